"""Tensors written in place, seen through views, and asked for their metadata."""

from framefuzz.generate.program import Program, atom
from framefuzz.generate.registry import feature
from framefuzz.generate.values import NAMES


def _write_in_place(p: Program, expression: str) -> None:
    """Write a statement that changes the current tensor, and so perhaps the argument, in place."""
    p.x.written_in_place = True
    p.line(expression)


@feature("captured tensor in place", "statement", 5)
def captured_tensor_in_place(p: Program) -> None:
    """A captured tensor is written in place."""
    state = p.captured("tensor")
    state.written_in_place = True
    n = p.simple_number()
    p.line(f"{state.name}.{p.chooser.pick((f'add_({n})', 'mul_(0.5)', 'zero_()', f'fill_({n})'))}")


@feature("argument in place", "statement", 5)
def argument_in_place(p: Program) -> None:
    """The tensor is written in place."""
    n = atom(p.simple_number())
    form = p.chooser.pick(("{x}.add_({n})", "{x}[..., 0] = {n}", "{x} += {n}", "{x}.mul_(0.5)"))
    _write_in_place(p, form.format(x=p.current, n=n))


@feature("view and base", "statement", 5, lines=4)
def view_and_base(p: Program) -> None:
    """A view is read after its base was written in place."""
    view = p.fresh(NAMES["wide"])
    taken = p.chooser.pick(("[..., 1:]", ".t()", ".detach()", ".view(-1)[1:]"))
    p.line(f"{view} = {p.current}.contiguous(){taken}")
    if p.chooser.chance(2):
        p.breaking()
    _write_in_place(p, f"{p.current}.add_({p.simple_number()})")
    p.update(f"{p.current} + {view}.sum()")


@feature("list of tensors", "statement", 4, lines=2)
def list_of_tensors(p: Program) -> None:
    """A captured list keeps tensors from call to call."""
    outs = p.captured("tensors").name
    p.line(p.chooser.pick((f"{outs}.append({p.current})", f"{outs}[-1] = {p.current}")))
    p.update(f"{p.current} + {outs}[{p.chooser.pick(('0', '-1', '1'))}].sum()")


@feature("tensor in two places", "statement", 3, lines=3)
def tensor_in_two_places(p: Program) -> None:
    """One tensor is kept in two places and then written in place."""
    p.line(f"{p.captured('tensors').name}.extend([{p.current}, {p.current}])")
    if p.chooser.chance(2):
        p.breaking()
    _write_in_place(p, f"{p.current}.add_(1)")


@feature("argument returned", "statement", 3)
def argument_returned(p: Program) -> None:
    """The argument itself is returned."""
    p.x.returned = True
    if p.here is p.top and p.top.current is p.x and not p.top.depth:
        p.top.current = p.bind("wide", f"{p.current} + 1")
    else:
        p.update(f"{p.current} + 1")


@feature("shape", "number", 4)
def shape(p: Program) -> str:
    """A tensor's size is used as a number."""
    x = p.current
    return p.chooser.pick((f"{x}.shape[0]", f"{x}.size(-1)", f"{x}.numel()", f"{x}.dim()"))


@feature("metadata", "condition", 4)
def metadata(p: Program) -> str:
    """A tensor's metadata decides."""
    x = p.current
    return p.chooser.pick(
        (
            f"{x}.requires_grad",
            f"{x}.dtype == torch.float64",
            f"{x}.is_contiguous()",
            f"{x}.dim() == {p.simple_number()}",
            f"{x}.shape[0] in [{p.simple_number()}, 2]",
        )
    )


@feature("tensor from a number", "tensor", 4)
def tensor_from_number(p: Program) -> str:
    """A tensor's size or content comes from a changing int."""
    n = p.need("int").name
    return p.chooser.pick(
        (
            f"torch.full((3,), {n})",
            f"torch.arange({n} % 4).sum()",
            f"torch.tensor({n})",
            f"torch.ones({n} % 3, 3).sum(0)",
        )
    )


@feature("parts of a tensor", "tensor", 3)
def parts_of_tensor(p: Program) -> str:
    """A tensor is taken apart and put together."""
    x = p.current
    return p.chooser.pick(
        (
            f"torch.stack([{x}, {x}]).sum(0)",
            f"sum({x}.unbind(-1)).sum()",
            f"torch.cat([{x}, {x}]).max()",
            f"{x}.reshape(-1)[{x}.dim()]",
        )
    )


@feature("attribute on a tensor", "statement", 2, lines=3)
def attribute_on_tensor(p: Program) -> None:
    """An attribute is stored on a tensor and read after a break."""
    p.line(f"{p.current}.note = {p.simple_number()}")
    p.breaking()
    p.line(f'{p.captured("log").name}.append(getattr({p.current}, "note", None))')
