"""What changes between two calls, from outside the function under test."""

from framefuzz.generate.calls import Calls
from framefuzz.generate.registry import feature
from framefuzz.generate.scope import Variable
from framefuzz.generate.values import READ_ONLY_REPLACEMENTS, REPLACEMENT, Kind


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
        (f"{reached}.append(4)", f"{reached}[0] = 9", f"{reached}.insert(0, 0)", f"{reached} *= 1")
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
