"""What changes between two calls, from outside the function under test."""

from framefuzz.generate.calls import Calls
from framefuzz.generate.registry import feature
from framefuzz.generate.scope import Variable
from framefuzz.generate.values import INTS, NUMBERS, READ_ONLY_REPLACEMENTS, REPLACEMENT, Kind


def _rebind(calls: Calls, variable: Variable, kind: Kind) -> str:
    options = REPLACEMENT[kind]
    if kind == "tensor" and not variable.written_in_place:
        options += READ_ONLY_REPLACEMENTS
    return f"{calls.rebound(variable)} = {calls.chooser.pick(options)}"


@feature("int rebound outside", "change", 6, on="int")
def int_rebound(calls: Calls, variable: Variable) -> str:
    """An int is rebound between calls."""
    return _rebind(calls, variable, "int")


@feature("float rebound outside", "change", 5, on="float")
def float_rebound(calls: Calls, variable: Variable) -> str:
    """A float is rebound between calls."""
    return _rebind(calls, variable, "float")


@feature("number rebound outside", "change", 5, on="number")
def number_rebound(calls: Calls, variable: Variable) -> str:
    """A number changes its type between calls."""
    return _rebind(calls, variable, "number")


@feature("tensor rebound outside", "change", 5, on="tensor")
def tensor_rebound(calls: Calls, variable: Variable) -> str:
    """A tensor is replaced between calls."""
    return _rebind(calls, variable, "tensor")


@feature("tensor written outside", "change", 3, on="tensor")
def tensor_written(calls: Calls, variable: Variable) -> str:
    """A tensor is written in place between calls."""
    return f"{calls.reach(variable)}.data.mul_(2)"


@feature("list replaced outside", "change", 4, on="ints")
def list_replaced(calls: Calls, variable: Variable) -> str:
    """A list is replaced between calls."""
    return _rebind(calls, variable, "ints")


@feature("list changed outside", "change", 5, on="ints")
def list_changed(calls: Calls, variable: Variable) -> str:
    """A list is changed between calls."""
    reached = calls.reach(variable)
    return calls.chooser.pick(
        (
            f"{reached}.append(4)",
            f"{reached}[0] = 9",
            f"{reached}.insert(0, 0)",
            f"{reached}.reverse()",
        )
    )


@feature("dict changed outside", "change", 5, on="table")
def dict_changed(calls: Calls, variable: Variable) -> str:
    """A dict is changed between calls."""
    reached = calls.reach(variable)
    return calls.chooser.pick(
        (f'{reached}["a"] = 7', f'{reached}["new"] = 1', f'{reached}["a"] = {reached}.pop("a")')
    )


@feature("dict replaced outside", "change", 3, on="table")
def dict_replaced(calls: Calls, variable: Variable) -> str:
    """A dict is replaced between calls."""
    return _rebind(calls, variable, "table")


@feature("set changed outside", "change", 4, on="set")
def set_changed(calls: Calls, variable: Variable) -> str:
    """A set is changed between calls."""
    return f"{calls.reach(variable)}.{calls.chooser.pick(('add(3)', 'discard(2)', 'add(0)'))}"


@feature("text rebound outside", "change", 4, on="text")
def text_rebound(calls: Calls, variable: Variable) -> str:
    """A str is rebound between calls."""
    return _rebind(calls, variable, "text")


@feature("tuple rebound outside", "change", 4, on="tuple")
def tuple_rebound(calls: Calls, variable: Variable) -> str:
    """A tuple is replaced between calls."""
    return _rebind(calls, variable, "tuple")


@feature("log cleared outside", "change", 2, on="log")
def log_cleared(calls: Calls, variable: Variable) -> str:
    """A list that the function fills is emptied between calls."""
    return f"{calls.reach(variable)}.clear()"


@feature("frozen set replaced outside", "change", 5, on="frozen")
def frozen_set_replaced(calls: Calls, variable: Variable) -> str:
    """A frozenset is replaced by one that is equal or not."""
    value = calls.chooser.pick(("{True, 2}", "{1.0, 2}", "{1, 3}", "{2, 1}"))
    return f"{calls.rebound(variable)} = frozenset({value})"


@feature("operation replaced outside", "change", 6, on="operation")
def operation_replaced(calls: Calls, variable: Variable) -> str:
    """A tensor operation is replaced between calls."""
    operation = calls.chooser.pick(("torch.Tensor.mul", "torch.sub", "torch.Tensor.__add__"))
    return f"{calls.rebound(variable)} = {operation}"


@feature("captured function replaced", "change", 4, on="worker")
def captured_function_replaced(calls: Calls, variable: Variable) -> str:
    """A captured function is replaced between calls."""
    body = calls.chooser.pick(("t + 10", "t * 0", "t.abs()"))
    return f"{calls.rebound(variable)} = lambda t: {body}"


@feature("defaults replaced", "change", 6, on="defaulted")
def defaults_replaced(calls: Calls, variable: Variable) -> str:
    """The defaults of the function under test are replaced."""
    return f"fn.__defaults__ = ({calls.chooser.pick(INTS)},)"


@feature("defaults of a helper replaced", "change", 5, on="function with defaults")
def helper_defaults_replaced(calls: Calls, variable: Variable) -> str:
    """The defaults of a global function are replaced."""
    name = variable.name
    return calls.chooser.pick(
        (
            f"{name}.__defaults__ = (3,)",
            f'{name}.__kwdefaults__["plus"] = 5',
            f'{name}.__kwdefaults__ = {{"plus": 0}}',
            f"{name}.__code__ = (lambda v, by=2, *, plus=1: v - by).__code__",
        )
    )


@feature("function attribute set outside", "change", 5, on="function under test")
def function_attribute_set(calls: Calls, variable: Variable) -> str:
    """An attribute of the function under test is set between calls."""
    return f"fn.calls = {calls.chooser.pick(NUMBERS)}"


@feature("class changed outside", "change", 6, on="meter class")
def class_changed(calls: Calls, variable: Variable) -> str:
    """A class attribute or a method is replaced between calls."""
    name = variable.name
    return calls.chooser.pick(
        (
            f"{name}.step = 5",
            f"{name}.grow = lambda self, v: v + self.total",
            f"{name}.total = 3",
        )
    )


@feature("instance changed outside", "change", 6, on="meter")
def instance_changed(calls: Calls, variable: Variable) -> str:
    """An instance is changed between calls."""
    reached = calls.reach(variable)
    return calls.chooser.pick(
        (
            f"{reached}.total = {calls.chooser.pick(NUMBERS)}",
            f"{reached}.step = 7",
            f"{reached}.grow = lambda v: v * 3",
        )
    )


@feature("static method replaced", "change", 6, on="counted class")
def static_method_replaced(calls: Calls, variable: Variable) -> str:
    """A static or class method is replaced between calls."""
    name = variable.name
    return calls.chooser.pick(
        (
            f"{name}.twice = staticmethod(lambda v: v * 5)",
            f"{name}.count = classmethod(lambda cls: cls.made + 10)",
            f"{name}.made = 20",
        )
    )
