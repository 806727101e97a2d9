"""Observing never runs a line of the program's own code."""

from __future__ import annotations

import collections
import functools
import types
from typing import Any

import pytest
from describe import node, own

SOURCE = """
    import abc, collections, enum, torch

    ran = []

    def told(name):
        def method(*args, **kwargs):
            ran.append(name)
            raise AssertionError(name)
        return method

    NAMES = '''
        __eq__ __ne__ __lt__ __hash__ __repr__ __str__ __format__ __bool__ __len__ __iter__
        __next__ __contains__ __getitem__ __missing__ __getattr__ __getattribute__ __call__ __int__
        __index__ __float__ __complex__ __bytes__ __reversed__ __dir__ __sizeof__ __reduce__
        __reduce_ex__ __getstate__ __copy__ __deepcopy__ __instancecheck__ __subclasscheck__
        __fspath__ __length_hint__ __get__ __set__ __delete__ __torch_dispatch__ keys values items
        get index count
    '''.split()

    def loud(*bases, **more):
        names = {name: told(name) for name in NAMES}
        for name in ("__class__", "__dict__", "__module__", "__name__", "__qualname__", "__doc__"):
            if name not in ("__qualname__", "__module__"):
                names[name] = property(told(name))
        return type("Loud", bases, {**names, **more, "__module__": __name__})

    class Meta(type):
        __getattribute__ = told("metaclass getattribute")
        __iter__ = told("metaclass iter")
        __eq__ = told("metaclass eq")
        __hash__ = told("metaclass hash")
        __instancecheck__ = told("metaclass instancecheck")
        __subclasscheck__ = told("metaclass subclasscheck")
        __repr__ = told("metaclass repr")
        __len__ = told("metaclass len")

    Plain = loud()
    List, Dict, Set = loud(list), loud(dict), loud(set)
    Tuple, Int, Float, Str = loud(tuple), loud(int), loud(float), loud(str)
    Ordered = loud(collections.OrderedDict)
    Deque = loud(collections.deque)
    Default = loud(collections.defaultdict)
    Module = loud(torch.nn.Module)
    Error = loud(Exception, __cause__=property(told("cause")), args=property(told("args")))
    Tensor = loud(torch.Tensor, __torch_function__=classmethod(told("__torch_function__")))
    WithMeta = Meta("WithMeta", (), {"__module__": __name__, "x": 1})
    WithSlots = loud(__slots__=("a", "b"))

    class Hashed:
        def __hash__(self):
            if self.quiet: return 1
            ran.append("hash")
            raise AssertionError
        def __eq__(self, other):
            ran.append("eq")
            return self is other
        quiet = True
"""


def _values(names: dict[str, Any]) -> dict[str, Any]:
    import torch

    plain = names["Plain"]()
    slots = names["WithSlots"]()
    names["WithSlots"].a.__set__(slots, plain)
    hashed = names["Hashed"]()
    keyed = {hashed: 1, names["Hashed"](): 2}
    ordered = collections.OrderedDict(keyed)
    members = {hashed, names["Hashed"]()}
    views = [ordered.items(), keyed.keys(), {"a": plain}.values()]
    names["Hashed"].quiet = False
    return {
        "instance": plain,
        "class": names["Plain"],
        "slots": slots,
        "list": names["List"]([plain]),
        "dict": names["Dict"](a=plain),
        "set": names["Set"]([1]),
        "tuple": names["Tuple"]([plain]),
        "int": names["Int"](1),
        "float": names["Float"](1),
        "str": names["Str"]("a"),
        "OrderedDict": names["Ordered"](a=plain),
        "deque": names["Deque"]([plain]),
        "defaultdict": names["Default"](None, a=plain),
        "exception": names["Error"]("a"),
        "tensor": torch.Tensor._make_subclass(names["Tensor"], torch.ones(2)),
        "metaclass": names["WithMeta"],
        "instance of a metaclass's": object.__new__(names["WithMeta"]),
        "user keys": keyed,
        "ordered user keys": ordered,
        "user members": members,
        "views": views,
        "iterators over user keys": [iter(keyed), iter(members)],
        "bound builtin of a user's": list.append.__get__(names["List"]()),
        "method wrapper of a user's": list.__add__.__get__(names["List"]()),
        "method of a callable": types.MethodType(plain, plain),
        "partial of a callable": functools.partial(plain, plain),
        "proxy of a user's mapping": types.MappingProxyType(names["Dict"](a=1)),
        "weak and strong": [plain, plain],
        "map over a user's": map(plain, [1]),
        "namespace with keys": types.SimpleNamespace(a=plain),
        "str subclass as key": {names["Str"]: 1},
    }


NAMES = list(_values(own(SOURCE)))


@pytest.mark.parametrize("name", NAMES)
def test_never_runs_user_code(name: str) -> None:
    names = own(SOURCE)
    value = _values(names)[name]
    names["ran"].clear()
    node(value, names)
    node([value, {"k": value}, (value,)], names)
    assert names["ran"] == []


def test_a_keyed_instance_dict() -> None:
    names = own(
        SOURCE
        + """
    class Key(str):
        __str__ = __eq__ = startswith = __repr__ = told("key")
        __hash__ = str.__hash__
    class Open: pass
    one = Open()
    one.__dict__[Key("x")] = 1
        """
    )
    names["ran"].clear()
    assert node(names["one"], names).parts[0][1].kind
    assert names["ran"] == []
