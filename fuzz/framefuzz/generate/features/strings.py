"""Text: made from containers and tensors, compared, taken apart."""

from framefuzz.generate.program import Program
from framefuzz.generate.registry import feature


@feature("text of a container", "text", 4)
def text_of_container(p: Program) -> str:
    """A container of changing numbers becomes text."""
    n = p.simple_number()
    items = p.captured("ints").name
    return p.chooser.pick(
        (
            f"repr([{n}, {p.simple_number()}])",
            f'",".join(str(v) for v in {items})',
            f"str({items})",
            f"str(({n}, None))",
            f'f"{{{items}}}"',
        )
    )


@feature("debug f-string", "text", 4)
def debug_f_string(p: Program) -> str:
    """An f-string names what it shows, or computes inside."""
    n = p.simple_number()
    return p.chooser.pick((f'f"{{{n}=}}"', f'f"{{{n} + 1}}:{{{n} * 2}}"', f'"{{}}".format({n})'))


@feature("text of a tensor", "text", 3)
def text_of_tensor(p: Program) -> str:
    """A tensor's metadata becomes text."""
    return p.chooser.pick((f'f"{{{p.current}.shape}}"', f"str({p.current}.dtype)"))


@feature("text operations", "text", 4)
def text_operations(p: Program) -> str:
    """A changing str is taken apart."""
    label, n = p.need("text").name, p.need("int").name
    return p.chooser.pick((f"{label}.upper()", f"{label} * ({n} % 3)", f'{label}[: {n} % 2] + "."'))


@feature("compare texts", "condition", 4)
def compare_texts(p: Program) -> str:
    """A changing str is compared."""
    label = p.need("text").name
    return p.chooser.pick((f'{label} == "a"', f'{label} in "abc"', f'{label}.startswith("z")'))


@feature("text grows", "statement", 3, lines=2)
def text_grows(p: Program) -> None:
    """A captured str grows by a changing number."""
    p.line(f"{p.assign(p.captured('text'))} += str({p.simple_number()})")
