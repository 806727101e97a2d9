"""Tensor guards, global state under torch, and torch.compile's own evaluator in the chain."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from native_support import at_entry, native

torch = pytest.importorskip("torch", reason="tensor guards need torch")

Source, Guard, Expr, Design = native.Source, native.Guard, native.Expr, native.Design
A, B = Source.local("a"), Source.local("b")


def takes(a: Any = None, b: Any = None) -> None:
    return None


def explain(guard: Any, *args: Any) -> Any:
    program = native.GuardProgram(takes.__code__, [guard])

    def look(frame: Any) -> Any:
        failure = program.explain(frame)
        for design in (Design.FRAME, Design.DICT):
            assert program.check(frame, design) is (failure is None)
            assert str(program.explain(frame, design)) == str(failure)
        return failure

    return at_entry(takes, look, *args)[0]


class Subclass(torch.Tensor):  # type: ignore[misc,name-defined]
    pass


def kinds() -> dict[str, Callable[[], Any]]:
    def inference() -> Any:
        with torch.inference_mode():
            return torch.ones(2, 3)

    made = {
        "plain": lambda: torch.ones(2, 3),
        "other size": lambda: torch.ones(2, 4),
        "other rank": lambda: torch.ones(2, 3, 1),
        "transposed": lambda: torch.ones(3, 2).t(),
        "expanded": lambda: torch.ones(1, 3).expand(2, 3),
        "scalar": lambda: torch.ones(()),
        "empty": lambda: torch.ones(0, 3),
        "six dimensions": lambda: torch.ones(1, 2, 1, 2, 1, 2),
        "double": lambda: torch.ones(2, 3, dtype=torch.float64),
        "int8": lambda: torch.ones(2, 3, dtype=torch.int8),
        "uint8": lambda: torch.ones(2, 3, dtype=torch.uint8),
        "bool": lambda: torch.ones(2, 3, dtype=torch.bool),
        "bfloat16": lambda: torch.ones(2, 3, dtype=torch.bfloat16),
        "complex": lambda: torch.ones(2, 3, dtype=torch.complex64),
        "conj": lambda: torch.ones(2, 3, dtype=torch.complex64).conj(),
        "neg": lambda: torch._neg_view(torch.ones(2, 3)),
        "requires grad": lambda: torch.ones(2, 3, requires_grad=True),
        "non-leaf": lambda: torch.ones(2, 3, requires_grad=True) * 1,
        "parameter": lambda: torch.nn.Parameter(torch.ones(2, 3)),
        "subclass": lambda: torch.ones(2, 3).as_subclass(Subclass),
        "inference": inference,
        "meta": lambda: torch.ones(2, 3, device="meta"),
        "sparse": lambda: torch.ones(2, 3).to_sparse(),
        "zero": lambda: torch._efficientzerotensor(2, 3),
    }
    if hasattr(torch, "uint4"):
        made["uint4"] = lambda: torch.empty(2, 3, dtype=torch.uint4)
    return made


# These pairs differ in nothing that a compiled graph could depend on.
ALIKE = {frozenset({"requires grad", "non-leaf"})}


def test_every_kind_against_every_other() -> None:
    makers = kinds()
    if not hasattr(torch._C.DispatchKeySet, "raw_repr"):
        del makers["zero"]  # before torch 2.4 nothing but the dispatch keys tells it apart
    examples = {name: make() for name, make in makers.items()}
    for name, example in examples.items():
        guard = Guard.tensor(A, example)
        for other, make in makers.items():
            alike = name == other or frozenset({name, other}) in ALIKE
            failure = explain(guard, make())
            assert (failure is None) is alike, (name, other, failure)
            assert failure is None or failure.kind == "mismatch", (name, other, failure)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ("other size", "a: expected shape[1] 3, got shape[1] 4"),
        ("other rank", "a: expected number of dimensions 2, got number of dimensions 3"),
        ("transposed", "a: expected stride[0] 3, got stride[0] 1"),
        ("double", "a: expected dtype torch.float32, got dtype torch.float64"),
        ("requires grad", "a: expected requires_grad False, got requires_grad True"),
    ],
)
def test_a_refusal_names_what_differs(other: str, says: str) -> None:
    assert str(explain(Guard.tensor(A, torch.ones(2, 3)), kinds()[other]())) == says


@pytest.mark.skipif(
    not hasattr(torch._C.DispatchKeySet, "raw_repr"), reason="this torch does not tell its key sets"
)
def test_where_properties_lie_in_memory_is_found() -> None:
    assert native.tensor_support() == {"layout": True}


@pytest.mark.parametrize(
    "odd",
    [
        "torch._subclasses.fake_tensor.FakeTensorMode()",
        "Grad()",
        "Raising()",
    ],
)
def test_a_first_guard_in_odd_state_does_not_spoil_what_is_learnt(odd: str) -> None:
    script = f"""
import contextlib
import torch, torch._subclasses.fake_tensor
from framejit import _native as native
x = torch.ones(2)
guard = lambda: native.Guard.tensor(native.Source.local("x"), x)

class Raising(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.ones:
            raise ValueError
        return function(*args, **(kwargs or {{}}))

@contextlib.contextmanager
def Grad():
    def inside(t):
        guard()
        # Its tensors are wrappers: nothing is to be learnt from them.
        assert native.tensor_support() == {{"layout": False}}
        return t.sum()
    torch.func.grad(inside)(torch.ones(3))
    yield

with {odd}:
    guard()
with torch.inference_mode(), torch.device("meta"):
    guard()
print(native.tensor_support())
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    found = hasattr(torch._C.DispatchKeySet, "raw_repr")
    assert told.stdout == f"{{'layout': {found}}}\n", told.stderr


def test_an_interrupt_while_learning_goes_through() -> None:
    script = """
import torch
from framejit import _native as native
ones, x = torch.ones, torch.ones(2)
def interrupted(*args, **kwargs):
    raise KeyboardInterrupt
torch.ones = interrupted
try:
    native.Guard.tensor(native.Source.local("x"), x)
except KeyboardInterrupt:
    torch.ones = ones
    native.Guard.tensor(native.Source.local("x"), x)
    print("interrupted", native.tensor_support())
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if hasattr(torch._C.DispatchKeySet, "raw_repr"):
        assert told.stdout == "interrupted {'layout': True}\n", told.stderr


def test_symbolic_sizes_on_the_meta_device() -> None:
    shapes = pytest.importorskip("torch.fx.experimental.symbolic_shapes")
    fake = pytest.importorskip("torch._subclasses.fake_tensor")
    dynamic = shapes.StatelessSymbolicContext(dynamic_sizes=[shapes.DimDynamic.DYNAMIC])
    mode = fake.FakeTensorMode(shape_env=shapes.ShapeEnv())
    size = mode.from_tensor(torch.ones(4), symbolic_context=dynamic).shape[0]
    one, two = torch.empty(size, device="meta"), torch.empty(size, 2, device="meta")
    assert type(one) is torch.Tensor
    empty = Guard.tensor(A, torch.empty(0, device="meta"))
    assert explain(empty, one) is not None and explain(empty, two) is not None
    any_size = Guard.tensor(A, torch.empty(4, device="meta"), sizes=(None,), strides=(None,))
    assert explain(any_size, two) is not None
    assert explain(Guard.relation(Expr.size(A, 0) == 0), one) is not None


def test_a_subclass_that_answers_otherwise() -> None:
    class Lying(torch.Tensor):  # type: ignore[misc,name-defined]
        shape = property(lambda self: (8, 8))

        @classmethod
        def __torch_function__(
            cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function is torch.Tensor.stride:
                return (7, 7)
            return super().__torch_function__(function, types, args, kwargs or {})

    lying = torch.ones(2, 3).as_subclass(Lying)
    assert explain(Guard.tensor(A, lying), lying) is None
    assert explain(Guard.relation(Expr.size(A, 0) == 8), lying) is None


def test_views_without_a_gradient() -> None:
    base = torch.ones(4, 3)
    guard = Guard.tensor(A, base[:2])
    assert explain(guard, torch.ones(2, 3)) is None
    assert explain(guard, torch.ones(4, 3, requires_grad=True)[:2].detach()) is None
    assert explain(guard, torch.ones(2, 3).requires_grad_().requires_grad_(False)) is None
    says = "a: expected requires_grad False, got requires_grad True"
    assert str(explain(guard, torch.ones(4, 3, requires_grad=True)[:2])) == says


def test_no_tensor_at_all() -> None:
    guard = Guard.tensor(A, torch.ones(2, 3))
    assert explain(guard, 5).actual == "type <class 'int'>"
    assert explain(Guard.tensor(A.attribute("x"), torch.ones(2, 3)), 5).kind == "missing"
    with pytest.raises(TypeError, match=r"Guard\.type"):
        Guard.tensor(A, 5)


def test_dimensions_that_may_vary() -> None:
    guard = Guard.tensor(A, torch.ones(2, 3), sizes=(None, 3), strides=(None, 1))
    assert explain(guard, torch.ones(9, 3)) is None
    assert explain(guard, torch.ones(9, 6)[:, :3]) is None
    assert explain(guard, torch.ones(9, 4)).actual == "shape[1] 4"
    for wrong in ((None,), (1, 2, 3)):
        with pytest.raises(ValueError, match="dimensions"):
            Guard.tensor(A, torch.ones(2, 3), sizes=wrong)
    with pytest.raises(TypeError, match=r"Guard\.relation"):
        Guard.tensor(A, torch.ones(2, 3), sizes=("n", 3))


def test_relations_between_tensors() -> None:
    guard = Guard.relation(Expr.size(A, 0) * Expr.size(A, 1) == Expr.size(B, 0))
    Guard.tensor(A, torch.ones(1))
    assert explain(guard, torch.ones(2, 3), torch.ones(6)) is None
    assert explain(guard, torch.ones(2, 3), torch.ones(6, device="meta")) is None
    assert explain(guard, torch.ones(2, 3), torch.ones(5)).actual == (
        "a.shape[0] = 2, a.shape[1] = 3, b.shape[0] = 5"
    )
    assert explain(guard, torch.ones(2), torch.ones(5)).kind == "missing"


def test_attributes_hung_on_a_tensor() -> None:
    guard = Guard.length(A.instance_dict(), 0)
    tensor = torch.ones(2)
    assert explain(guard, tensor) is None
    tensor._dynamo_dynamic_indices = {0}
    assert explain(guard, tensor).actual == "length 1"


def test_global_state() -> None:
    guard = Guard.global_state()
    assert explain(guard) is None
    changes: list[tuple[Any, str]] = [
        (torch.no_grad, "grad mode"),
        (torch.inference_mode, "inference mode"),
        (lambda: torch.autocast("cpu", dtype=torch.bfloat16), "autocast on CPU"),
        (lambda: torch.device("meta"), "mode"),
        (lambda: torch._C.DisableTorchFunction(), "torch function"),
        (
            lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x),
            "saved-tensor hooks",
        ),
        (lambda: torch._C._AutoDispatchBelowAutograd(), "dispatch keys"),
    ]
    if not hasattr(torch._C._autograd, "_top_saved_tensors_default_hooks"):
        changes = [change for change in changes if change[1] != "saved-tensor hooks"]
    for change, name in changes:
        with change():
            program = native.GuardProgram(takes.__code__, [guard])
            held, _ = at_entry(takes, lambda frame, p=program: (p.check(frame), p.explain(frame)))
        assert held[0] is False, name
        assert name in str(held[1]) or "grad mode" in str(held[1]), (name, str(held[1]))
        assert explain(guard) is None, name
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        assert explain(guard).actual == "default dtype torch.float64"
    finally:
        torch.set_default_dtype(before)


def test_global_state_is_the_threads_own() -> None:
    guard = Guard.global_state()
    program = native.GuardProgram(takes.__code__, [guard])
    seen: list[bool] = []

    def work() -> None:
        with torch.no_grad():
            seen.append(at_entry(takes, program.check)[0])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False] and at_entry(takes, program.check)[0]


def counting_backend(counts: list[int]) -> Any:
    def backend(graph: Any, inputs: Any) -> Any:
        counts[0] += 1
        return graph.forward

    return backend


@pytest.fixture
def ours() -> Callable[[Any], str]:
    """A function that returns "compiled" where the hook is in."""

    def ours(x: Any) -> str:
        return "original"

    def compiled(x: Any) -> str:
        return "compiled"

    native.install(ours.__code__, compiled.__code__)
    return ours


def test_torch_compile_under_the_hook(ours: Callable[[Any], str]) -> None:
    """The hook is in before torch.compile is entered."""
    torch._dynamo.reset()
    counts = [0]

    @torch.compile(backend=counting_backend(counts))
    def theirs(x: Any) -> Any:
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    native.enable()
    for _ in range(3):
        assert ours(1) == "compiled"
        assert theirs(torch.ones(2)).tolist() == [4.0, 4.0]
        assert ours(1) == "compiled"
    assert counts == [2]


def test_torch_compile_entered_over_a_hook_that_lies_over_torch() -> None:
    """Each holds the other for the evaluator under itself: a frame must not go to and fro."""
    torch._dynamo.reset()
    set_eval_frame = torch._C._dynamo.eval_frame.set_eval_frame
    is_in, may_leave = threading.Event(), threading.Event()

    def keep_torch_in() -> None:
        # What is called is the thread's own; the evaluator is the whole interpreter's.
        set_eval_frame(False)
        is_in.set()
        may_leave.wait(60)
        set_eval_frame(None)

    thread = threading.Thread(target=keep_torch_in)
    thread.start()
    assert is_in.wait(60)
    counts = [0]

    @torch.compile(backend=counting_backend(counts))
    def theirs(x: Any) -> Any:
        return x + 1

    try:
        native.enable()
        assert theirs(torch.ones(2)).tolist() == [2.0, 2.0]
    finally:
        may_leave.set()
        thread.join()
    assert counts == [1]


def test_hook_put_in_and_taken_out_inside_torch_compile(ours: Callable[[Any], str]) -> None:
    """torch.compile restores the evaluator from before: the hook must survive that."""
    torch._dynamo.reset()
    counts = [0]

    @torch._dynamo.disable
    def switch(on: bool) -> None:
        native.enable() if on else native.disable()

    def outer(x: Any, on: bool) -> Any:
        y = x + 1
        switch(on)
        return y * 2

    compiled = torch.compile(outer, backend=counting_backend(counts))
    assert compiled(torch.ones(1), True).item() == 4.0
    assert ours(1) == "compiled"
    assert compiled(torch.ones(1), True).item() == 4.0
    assert ours(1) == "compiled"
    graphs = counts[0]
    assert compiled(torch.ones(1), False).item() == 4.0
    assert ours(1) == "original"
    native.enable()
    assert ours(1) == "compiled"
    compiled(torch.ones(1), True)
    assert counts[0] >= graphs >= 2


def test_region_inside_torch_compile_and_around_it(ours: Callable[[Any], str]) -> None:
    torch._dynamo.reset()
    counts = [0]

    said = []

    @torch._dynamo.disable
    def in_a_region(x: Any) -> None:
        before = native.begin(None)
        said.append(ours(x))
        native.end(before)
        said.append(ours(x))

    @torch.compile(backend=counting_backend(counts))
    def theirs(x: Any) -> Any:
        y = x + 1
        in_a_region(x)
        return y * 2

    for _ in range(2):
        assert theirs(torch.ones(1)).item() == 4.0
    assert ours(1) == "original" and said == ["compiled", "original"] * 2
    before = native.begin(None)
    assert theirs(torch.ones(1)).item() == 4.0
    assert ours(1) == "compiled" and said[4:] == ["compiled", "compiled"]
    native.end(before)
    assert ours(1) == "original" and counts == [2]


def test_replacement_runs_inside_a_torch_region(ours: Callable[[Any], str]) -> None:
    torch._dynamo.reset()

    seen = []

    @torch._dynamo.disable
    def call_ours(x: Any) -> None:
        seen.append(ours(x))

    @torch.compile(backend="eager")
    def outer(x: Any) -> Any:
        y = x + 1
        call_ours(x)
        return y

    native.enable()
    outer(torch.ones(1))
    outer(torch.ones(1))
    assert seen == ["compiled", "compiled"]


def test_tensor_entries_do_not_leak() -> None:
    import gc
    import sys

    def function(a: Any) -> Any:
        return a

    tensor = torch.ones(2, 3)
    guards = [Guard.tensor(A, tensor), Guard.length(A.instance_dict(), 0), Guard.global_state()]
    native.install(function.__code__, function.__code__, guards)
    native.enable()
    other = torch.ones(4)
    for _ in range(100):
        function(tensor), function(other)
    gc.collect()
    counts = [sys.getrefcount(each) for each in (tensor, other, torch.Tensor, torch.float32)]
    for _ in range(10_000):
        function(tensor), function(other)
    gc.collect()
    after = [sys.getrefcount(each) for each in (tensor, other, torch.Tensor, torch.float32)]
    assert after[:2] == counts[:2]
    # What torch itself does with these varies by a few.
    assert all(now - then < 100 for now, then in zip(after, counts, strict=True))
