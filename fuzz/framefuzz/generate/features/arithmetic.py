"""Plain work on tensors and numbers: what is between the interesting statements."""

from framefuzz.generate.program import Program, atom
from framefuzz.generate.registry import feature


@feature("tensor arithmetic", "statement", 5)
def tensor_arithmetic(p: Program) -> None:
    """A tensor meets a Python number."""
    sign = p.chooser.pick(("+", "*"))  # a tensor minus a bool is an error
    p.update(f"{p.current} {sign} {atom(p.number())}")


@feature("combine tensors", "statement", 9)
def combine_tensors(p: Program) -> None:
    """Two tensors are combined."""
    sign = p.chooser.pick(("+", "*", "-"))
    p.update(f"{p.current} {sign} {atom(p.tensor())}")


@feature("variable", "number", 6)
def variable(p: Program) -> str:
    """A number is read from a variable."""
    return p.simple_number()


@feature("sum of two", "number", 4)
def sum_of_two(p: Program) -> str:
    """Two numbers are combined."""
    sign = p.chooser.pick(("+", "*", "-"))
    return f"{p.simple_number()} {sign} {p.simple_number()}"


@feature("captured tensor", "tensor", 5)
def captured_tensor(p: Program) -> str:
    """A captured tensor is read."""
    return p.captured("tensor").name


@feature("unary operation", "tensor", 4)
def unary_operation(p: Program) -> str:
    """A pointwise operation."""
    operation = p.chooser.pick(("abs", "sin", "cos", "relu", "neg", "tanh"))
    return f"torch.{operation}({p.current})"


@feature("reduction", "tensor", 3)
def reduction(p: Program) -> str:
    """A sum over a tensor."""
    return p.chooser.pick((f"{p.current}.sum()", f"{p.current}.max()"))


@feature("number to tensor", "tensor", 2)
def number_to_tensor(p: Program) -> str:
    """A tensor is built from Python numbers."""
    return f"torch.tensor([{p.simple_number()}, {p.simple_number()}, 1.0])"


@feature("compare", "condition", 6)
def compare(p: Program) -> str:
    """Two numbers are compared."""
    sign = p.chooser.pick(("<", "==", ">=", "!="))
    return f"{p.simple_number()} {sign} {p.simple_number()}"
