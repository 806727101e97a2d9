"""What a snapshot tells apart, kind of value by kind of value."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import functools
import http
import itertools
import math
import re
import types
import weakref
from typing import Any

import pytest
import torch
from describe import edges, node, own, text

from framefuzz.observe.instances import is_opaque
from framefuzz.observe.render import digest
from framefuzz.observe.snapshot import DEPTH_LIMIT, NODE_LIMIT
from framefuzz.trace import Observation


class _Referent:
    pass


_KEPT = _Referent()

# Pairs that a program can tell apart.
UNLIKE: dict[str, tuple[Any, Any]] = {
    "int and bool": (1, True),
    "int and float": (1, 1.0),
    "zero and minus zero": (0.0, -0.0),
    "nan and inf": (math.nan, math.inf),
    "floats one bit apart": (0.1, math.nextafter(0.1, 1)),
    "complex of minus zero": (complex(0, 0.0), complex(0, -0.0)),
    "str and bytes": ("a", b"a"),
    "None and its name": (None, "None"),
    "list and tuple": ([1], (1,)),
    "tuple and Size": ((1,), torch.Size([1])),
    "list order": ([1, 2], [2, 1]),
    "empty dict and set": ({}, set()),
    "dict order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "dict key types": ({1: 0}, {True: 0}),
    "dict key float": ({1: 0}, {1.0: 0}),
    "dict and OrderedDict": ({"a": 1}, collections.OrderedDict(a=1)),
    "defaultdict factory": (collections.defaultdict(int), collections.defaultdict(list)),
    "dict and Counter": ({"a": 1}, collections.Counter("a")),
    "set member type": ({1}, {True}),
    "set and frozenset": ({1}, frozenset({1})),
    "set of tuples": ({(1, 2)}, {(1, 3)}),
    "set of sets of tuples": ({frozenset({(1,)})}, {frozenset({(2,)})}),
    "deque maxlen": (collections.deque([1], 3), collections.deque([1], 4)),
    "deque order": (collections.deque([1, 2]), collections.deque([2, 1])),
    "views of one dict": ({"a": 1}.keys(), {"a": 1}.values()),
    "view contents": ({"a": 1}.items(), {"a": 2}.items()),
    "range": (range(3), range(0, 3, 2)),
    "slice": (slice(1), slice(1, None, 2)),
    "bytearray": (bytearray(b"a"), bytearray(b"b")),
    "mappingproxy": (types.MappingProxyType({"a": 1}), types.MappingProxyType({"a": 2})),
    "SimpleNamespace": (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2)),
    "builtins of one name": (math.pow, pow),
    "bound builtin": ([1].append, [2].append),
    "descriptor": (torch.Tensor.add, torch.Tensor.mul),
    "slot wrapper": (int.__add__, int.__sub__),
    "method wrapper": ((1).__add__, (2).__add__),
    "partial arguments": (functools.partial(print, 1), functools.partial(print, 2)),
    "partial keywords": (functools.partial(print, end=""), functools.partial(print)),
    "weakref": (weakref.ref(_KEPT), weakref.ref(_Referent())),
    "types": (int, bool),
    "library enum": (http.HTTPStatus.OK, http.HTTPStatus.CREATED),
    "flags": (re.I, re.I | re.M),
    "Decimal": (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    "Fraction": (fractions.Fraction(1, 2), fractions.Fraction(1, 3)),
    "timedelta": (datetime.timedelta(1), datetime.timedelta(2)),
    "pattern": (re.compile("a"), re.compile("a", re.I)),
    "UserDict": (collections.UserDict(a=1), collections.UserDict(a=2)),
    "list iterator position": (iter([1, 2]), itertools.islice(iter([1, 2]), 0, None)),
    "exception type": (ValueError("a"), TypeError("a")),
    "exception arguments": (ValueError("a"), ValueError("a", 1)),
    "dtype": (torch.float32, torch.float64),
    "tensor bits": (torch.tensor([0.0]), torch.tensor([-0.0])),
    "tensor dtype": (torch.tensor([1]), torch.tensor([1.0])),
    "meta shape": (torch.empty(2, device="meta"), torch.empty(3, device="meta")),
    "sparse values": (torch.eye(2).to_sparse(), (torch.eye(2) * 2).to_sparse()),
    "csr values": (torch.eye(2).to_sparse_csr(), (torch.eye(2) * 2).to_sparse_csr()),
}

# Pairs that no program can tell apart, or is promised to.
LIKE: dict[str, tuple[Any, Any]] = {
    "nan": (math.nan, float("nan")),
    "set order": ({8, 0}, {0, 8}),
    "set of lookalikes": ({object(), object()}, {object(), object()}),
    "equal lists": ([1, [2]], [1, [2]]),
    "tuples shared or not": (((1,),) * 2, ((1,), (1,))),
    "conj bit": (torch.tensor([1 - 1j]), torch.tensor([1 + 1j]).conj()),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_tells_apart(name: str) -> None:
    left, right = UNLIKE[name]
    assert _whole(left) != _whole(right)
    assert _whole(left) == _whole(left)


@pytest.mark.parametrize("name", LIKE)
def test_does_not_tell_apart(name: str) -> None:
    left, right = LIKE[name]
    assert _whole(left) == _whole(right)


def _whole(value: Any) -> bytes:
    return digest(Observation({"out": node(value)}))


def test_floats_are_exact() -> None:
    assert node(-0.0).text == "-0.0"
    assert node(0.1 + 0.2).text == "0.30000000000000004"
    assert node(1).kind == "int" and node(True).kind == "bool"


def test_ordered_dict_has_the_order_of_its_own_list() -> None:
    ordered = collections.OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    assert [edge for edge, _ in node(ordered).parts] == ["['b']", "['a']"]


def test_a_set_of_objects_that_reach_the_set_ends() -> None:
    namespace = own(
        """
        class Place:
            def __init__(self): self.next = set()
        a, b, c = Place(), Place(), Place()
        a.next |= {b, c}
        b.next |= {a, c}
        c.next |= {a, b}
        """
    )
    assert node(namespace["a"]).kind == "Place"


def test_a_view_is_one_with_its_dict() -> None:
    held = {"a": 1}
    same, other = node([held, held.keys()]), node([held, dict(held).keys()])
    assert edges(same)["[1]"].parts[0][1].kind == "ref"
    assert edges(other)["[1]"].parts[0][1].kind == "dict"


FUNCTIONS = """
    def make(start=0, *, step=1):
        count, log = start, []
        def bump(by=2, *, times=3):
            nonlocal count
            count += by
            log.append(count)
            return count
        return bump
    first, second = (lambda x: x + 1), (lambda x: x + 2)
"""


def test_functions_with_closures_defaults_and_attributes() -> None:
    namespace = own(FUNCTIONS)
    bump = namespace["make"](7)
    bump.tag = [1]
    bump._torchdynamo_orig_callable = bump
    parts = edges(node(bump))
    assert list(parts) == [
        "(count)",
        "(log)",
        ".__defaults__",
        ".__kwdefaults__",
        ".tag",
        "._torchdynamo_orig_callable",
    ]
    assert parts["(count)"].parts[0][1].text == "7"
    assert parts["(log)"].parts[0][1].kind == "list"
    assert parts["._torchdynamo_orig_callable"].kind == "mark"


def test_two_lambdas_on_one_line_are_two_functions() -> None:
    namespace = own(FUNCTIONS)
    assert text(namespace["first"]) != text(namespace["second"])
    assert text(own(FUNCTIONS)["first"]) == text(namespace["first"])
    # The same text on another line: another code object, which compilers guard.
    assert text(own("\n\n" + FUNCTIONS)["first"]) != text(namespace["first"])


def test_cells_shared_and_empty() -> None:
    namespace = own(
        """
        def shared():
            items = []
            def put(): items.append(1)
            def get(): return items
            return put, get
        def apart():
            items, others = [], []
            def put(): items.append(1)
            def get(): return others
            return put, get
        def empty():
            def get(): return later
            if 0: later = 1
            return get
        """
    )
    put, get = node(namespace["shared"]()).parts
    assert get[1].parts[0][1] is not put[1].parts[0][1]
    assert get[1].parts[0][1].kind == "ref"
    assert node(namespace["apart"]()).parts[1][1].parts[0][1].kind == "cell"
    assert node(namespace["empty"]()).parts[0][1].text == "empty"


def test_a_wrapper_with_the_programs_module_is_the_programs() -> None:
    namespace = own(
        """
        import contextlib
        state = [1]
        def outer():
            held = [1]
            @contextlib.contextmanager
            def manager(): yield held
            return manager
        """
    )
    wrapped = namespace["outer"]()
    before = text(wrapped)
    wrapped.__wrapped__.__closure__[0].cell_contents.append(2)
    assert text(wrapped) != before


def test_globals_of_a_module_that_the_program_made() -> None:
    namespace = own(
        """
        import types
        other = types.ModuleType("made_here")
        exec("count = 0\\ndef bump():\\n global count\\n count += 1", other.__dict__)
        bump = other.bump
        """
    )
    for held in (namespace["bump"], namespace["other"]):
        before = text(held, namespace)
        namespace["bump"]()
        assert text(held, namespace) != before
    # The case's own globals are a section of their own.
    functions = own(FUNCTIONS)
    assert ".__globals__" in text(functions["make"], namespace)
    assert ".__globals__" not in text(functions["make"], functions)


def test_instances_with_dict_slots_and_a_property_named_dict() -> None:
    namespace = own(
        """
        class Plain: pass
        class Slotted:
            __slots__ = ("x", "unset")
        class Both(Slotted): pass
        class Hidden:
            @property
            def __dict__(self): raise AssertionError("looked at")
        plain, slotted, both, hidden = Plain(), Slotted(), Both(), Hidden()
        plain.x = slotted.x = both.x = hidden.x = 1
        both.y = 2
        """
    )
    for name, expected in {
        "plain": [".x"],
        "slotted": [".x"],
        "both": [".y", ".x"],
        "hidden": [".x"],
    }.items():
        assert list(edges(node(namespace[name]))) == [*expected, ".__class__"]


def test_classes_attributes_bases_and_metaclasses() -> None:
    namespace = own(
        """
        class Meta(type): limit = 1
        class Base: shared = []
        class Derived(Base, metaclass=Meta):
            count = 0
            @classmethod
            def make(cls): return cls
            @property
            def half(self): return self.count / 2
        one = Derived()
        """
    )
    one, derived = namespace["one"], namespace["Derived"]
    for change in (
        lambda: setattr(derived, "count", 1),
        lambda: namespace["Base"].shared.append(1),
        lambda: setattr(namespace["Meta"], "limit", 2),
        lambda: setattr(derived, "make", classmethod(lambda cls: None)),
    ):
        before = text(one)
        change()
        assert text(one) != before


def test_builtin_subclasses_that_override_iteration() -> None:
    namespace = own(
        """
        class L(list):
            def __iter__(self): raise AssertionError
            __len__ = __getitem__ = __iter__
        class D(dict):
            def __iter__(self): raise AssertionError
            items = keys = __getitem__ = __len__ = __iter__
        class S(set):
            def __iter__(self): raise AssertionError
        class I(int):
            def __repr__(self): raise AssertionError
            __str__ = __int__ = __index__ = __repr__
        values = [L([1, 2]), D(a=1), S({1}), I(3)]
        """
    )
    listed, mapped, members, number = node(namespace["values"]).parts
    assert [edge for edge, _ in listed[1].parts][:2] == ["[0]", "[1]"]
    assert mapped[1].parts[0][0] == "['a']"
    assert members[1].parts[0][1].text == "1"
    assert (number[1].kind, number[1].text) == ("I", "3")


def test_enum_members_by_name_and_value() -> None:
    namespace = own(
        """
        import enum
        class Colour(enum.Enum):
            RED = [1]
            BLUE = [2]
        class Level(enum.IntEnum):
            LOW = 1
        """
    )
    red = node(namespace["Colour"].RED)
    assert (red.kind, red.text) == ("Colour", "RED")
    assert edges(red)["._value_"].kind == "list"
    assert node(namespace["Level"].LOW).text == "LOW"
    assert issubclass(namespace["Level"], enum.IntEnum)


def test_exceptions_with_cause_context_and_notes() -> None:
    def raised(source: str) -> Any:
        try:
            exec(source, {})
        except Exception as error:
            return node(error)

    caused = raised("try: 1/0\nexcept Exception as e: raise ValueError(1) from e")
    assert edges(caused)[".__cause__"].kind == "ZeroDivisionError"
    during = raised("try: 1/0\nexcept Exception as e: raise ValueError(1)")
    assert edges(during)[".__context__"].kind == "ZeroDivisionError"
    hidden = raised("try: 1/0\nexcept Exception as e: raise ValueError(1) from None")
    assert list(edges(hidden)) == ["[0]"]
    error = ValueError("a")
    error.__dict__["__notes__"] = ["n"]
    assert edges(node(error))[".__notes__"].parts[0][1].text == "'n'"


def test_attributes_of_the_programs_own_exception() -> None:
    namespace = own("class Mine(Exception): pass\nerror = Mine('a')\nerror.code = 3")
    assert edges(node(namespace["error"]))[".code"].text == "3"


def test_tensors_bits_metadata_storage_and_grad() -> None:
    base = torch.arange(6.0).reshape(2, 3)
    view = base.t()[1:]
    other = base.clone()
    described = [item.tensor for _, item in node([base, view, other]).parts]
    assert described[0] is not None and described[1] is not None and described[2] is not None
    assert described[1].shape == (2, 2) and described[1].stride == (1, 3)
    assert described[1].offset == 1
    assert [bits.storage for bits in described if bits] == [0, 0, 1]
    grown = torch.ones(2, requires_grad=True)
    (grown * 3).sum().backward()
    assert grown.grad is not None
    assert edges(node(grown))[".grad"].tensor is not None
    assert node(grown * 2).text == "not a leaf"
    tagged = torch.ones(1)
    tagged.tag = "a"  # type: ignore[attr-defined]
    assert edges(node(tagged))[".tag"].text == "'a'"


@pytest.mark.parametrize("dtype", ["bool", "int8", "bfloat16", "float16", "complex64"])
def test_tensors_of_every_size_of_element(dtype: str) -> None:
    bits = node(torch.ones(3, dtype=getattr(torch, dtype))).tensor
    assert bits is not None
    assert len(bits.data) == 3 * getattr(torch, dtype).itemsize


def test_tensor_subclasses_by_name_and_attributes() -> None:
    namespace = own(
        """
        import torch
        class Marked(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                raise AssertionError(func)
            @property
            def shape(self): raise AssertionError
            dtype = requires_grad = layout = device = is_leaf = grad = shape
            def stride(self): raise AssertionError
            detach = contiguous = untyped_storage = storage_offset = numel = data_ptr = stride
        marked = torch.ones(2).as_subclass(Marked)
        marked.tag = 1
        """
    )
    described = node(namespace["marked"])
    assert described.kind == "Marked"
    assert described.tensor is not None and described.tensor.shape == (2,)
    assert edges(described)[".tag"].text == "1"


def test_aliasing_is_part_of_a_value() -> None:
    shared: list[int] = []
    assert text([shared, shared]) != text([[], []])
    assert edges(node([shared, shared]))["[1]"].kind == "ref"
    loop: list[Any] = []
    loop.append(loop)
    assert node(loop).parts[0][1].kind == "ref"


def test_too_deep_and_too_much_is_said() -> None:
    deep: list[Any] = []
    for _ in range(DEPTH_LIMIT + 5):
        deep = [deep]
    assert is_opaque(node(deep))
    assert is_opaque(node([[] for _ in range(NODE_LIMIT + 5)]))
    assert not is_opaque(node([[1], {"a": (2,)}]))


def test_what_was_met_too_deep_is_described_where_it_is_not() -> None:
    inner = [1]
    deep: list[Any] = [inner]
    for _ in range(DEPTH_LIMIT):
        deep = [deep]
    assert node((deep, inner)).parts[1][1].parts[0][1].text == "1"


def test_a_librarys_object_is_not_looked_into() -> None:
    import logging

    assert is_opaque(node(logging.getLogger("framefuzz")))
    assert not is_opaque(node(list[int]))
