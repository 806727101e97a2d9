"""framejit's native core: an evaluation hook (PEP 523), guards on fast locals, a code cache."""

import builtins
from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FunctionType, TracebackType
from typing import Any, Literal, final

PY_VERSION_HEX: int
"""The CPython whose frame layout this was built for."""

@final
class Source:
    """Where a guarded value comes from. Immutable.

    A source that leads nowhere (an unbound variable, an attribute, key or index that is not
    there) yields nothing, which only Guard.absent accepts.
    """

    @staticmethod
    def local(name: str) -> Source:
        """A name in co_varnames. Before the body runs only arguments are bound."""
    @staticmethod
    def cell(name: str) -> Source:
        """The content of a name in co_cellvars; bound if it is an argument."""
    @staticmethod
    def free(name: str) -> Source:
        """The content of a free variable, a name in co_freevars."""
    @staticmethod
    def global_(name: str) -> Source:
        """A name in the function's globals (not its builtins)."""
    @staticmethod
    def builtin(name: str) -> Source:
        """A name in the function's builtins."""
    def attribute(self, name: str) -> Source:
        """getattr(this, name); AttributeError means that there is nothing."""
    def item(self, key: object) -> Source:
        """this[key]; KeyError and IndexError mean that there is nothing."""
    def dict_key(self, index: int) -> Source:
        """The key at a place, from 0, in the order of a dict."""
    def closure(self, index: int) -> Source:
        """The content of a cell of a function's closure, from 0."""
    def default(self, index: int) -> Source:
        """An entry of a function's __defaults__, from 0."""
    def keyword_default(self, name: str) -> Source:
        """An entry of a function's __kwdefaults__."""
    def type(self) -> Source:
        """type(this)."""
    def instance_dict(self) -> Source:
        """The object's own __dict__, whatever its class says of that name; nothing for classes."""
    @property
    def text(self) -> str:
        """The source as a Python expression."""

@final
class Expr:
    """A sum, product, quotient or comparison of sizes and ints, for Guard.relation."""

    @staticmethod
    def size(source: Source, dim: builtins.int) -> Expr:
        """source.shape[dim]; dim counts from 0 (ValueError)."""
    @staticmethod
    def int(source: Source) -> Expr:
        """The value of a source, which must be exactly an int."""
    def __add__(self, other: Expr | builtins.int) -> Expr: ...
    def __radd__(self, other: builtins.int) -> Expr: ...
    def __sub__(self, other: Expr | builtins.int) -> Expr: ...
    def __rsub__(self, other: builtins.int) -> Expr: ...
    def __mul__(self, other: Expr | builtins.int) -> Expr: ...
    def __rmul__(self, other: builtins.int) -> Expr: ...
    def __floordiv__(self, other: Expr | builtins.int) -> Expr: ...
    def __rfloordiv__(self, other: builtins.int) -> Expr: ...
    def __mod__(self, other: Expr | builtins.int) -> Expr: ...
    def __rmod__(self, other: builtins.int) -> Expr: ...
    def __eq__(self, other: Expr | builtins.int) -> Expr: ...  # type: ignore[override]
    def __ne__(self, other: Expr | builtins.int) -> Expr: ...  # type: ignore[override]
    def __lt__(self, other: Expr | builtins.int) -> Expr: ...
    def __le__(self, other: Expr | builtins.int) -> Expr: ...
    def __gt__(self, other: Expr | builtins.int) -> Expr: ...
    def __ge__(self, other: Expr | builtins.int) -> Expr: ...
    @property
    def text(self) -> str:
        """The expression in Python."""

@final
class Guard:
    """One fact about a source. Immutable; the static methods make them.

    Unless said otherwise, a source that yields nothing, or raises, fails the guard.
    """

    @staticmethod
    def type(source: Source, cls: builtins.type) -> Guard:
        """type(value) is cls. The class is not kept alive; when it dies, so does the program."""
    @staticmethod
    def identity(source: Source, object: builtins.object) -> Guard:
        """value is object. It is kept alive only if it has no weak references."""
    @staticmethod
    def absent(source: Source) -> Guard:
        """The source yields nothing."""
    @staticmethod
    def present(source: Source) -> Guard:
        """The source yields something."""
    @staticmethod
    def equals(source: Source, constant: object) -> Guard:
        """The same exact type and value, floats by their bits.

        1 is not True, 0.0 is not -0.0, nan is itself. Constants are None, Ellipsis,
        NotImplemented, bool, int, float, complex, str, bytes, and tuples and frozensets of these;
        TypeError for others.
        """
    @staticmethod
    def length(source: Source, length: int) -> Guard:
        """len(value) == length."""
    @staticmethod
    def dict_keys(source: Source, keys: tuple[object, ...]) -> Guard:
        """A dict with these keys in this order: constants as by equals, others by identity."""
    @staticmethod
    def set_contents(source: Source, contents: set[Any] | frozenset[Any]) -> Guard:
        """A set or frozenset, as `contents` is, of the same constants."""
    @staticmethod
    def contains(source: Source, object: builtins.object) -> Guard:
        """object in value."""
    @staticmethod
    def lacks(source: Source, object: builtins.object) -> Guard:
        """object not in value."""
    @staticmethod
    def tensor(
        source: Source,
        example: object,
        *,
        sizes: Sequence[int | None] | None = None,
        strides: Sequence[int | None] | None = None,
    ) -> Guard:
        """A tensor like the example.

        Compared: type, dispatch keys (conj, neg, zero, inference and functionalized tensors,
        layout), dtype, device, shape, strides and requires_grad. `sizes` and `strides` replace
        the example's, one entry a dimension; None stands for one that may vary. ImportError
        without torch, TypeError if the example is no tensor.
        """
    @staticmethod
    def same(sources: Sequence[Source]) -> Guard:
        """All sources yield the same object."""
    @staticmethod
    def distinct(sources: Sequence[Source]) -> Guard:
        """No two sources yield the same object."""
    @staticmethod
    def relation(relation: Expr) -> Guard:
        """A comparison of sizes and ints holds. Division by zero fails it as an error."""
    @staticmethod
    def global_state(getters: dict[str, Callable[[], object]] = ...) -> Guard:
        """The state that a compiled graph depends on is as it is now.

        With torch imported, all that torch.compile guards on for every graph; and what `getters`
        return. ValueError if there is neither.
        """
    @staticmethod
    def predicate(source: Source, callable: Callable[[Any], object]) -> Guard:
        """callable(value) is true."""
    @staticmethod
    def frame_predicate(callable: Callable[[Frame], object]) -> Guard:
        """callable(frame) is true; the Frame is valid until the check is over."""
    @property
    def source(self) -> str:
        """What is guarded, as Python text."""
    @property
    def expected(self) -> str:
        """What is demanded of it."""
    @property
    def state(self) -> list[tuple[str, str]]:
        """The names and values that a global_state guard compares; empty for other guards."""

class Design:
    """How a check reads variables."""

    FRAME: Design
    """Where they lie in the frame."""
    DICT: Design
    """From a dict of the locals made for each frame, as before PyTorch PR 140063."""

@final
class Failure:
    """The first guard that did not hold."""

    @property
    def guard(self) -> int:
        """Its place among the guards; -1: a dependency of the entry."""
    @property
    def kind(self) -> Literal["mismatch", "missing", "error", "died"]:
        """Whether the value is wrong, absent, could not be had, or was compared to what is gone."""
    @property
    def source(self) -> str: ...
    @property
    def expected(self) -> str: ...
    @property
    def actual(self) -> str: ...

@final
class Frame:
    """A frame that has not yet begun, as a callback sees it.

    Valid until the callback returns; RuntimeError after that.
    """

    @property
    def code(self) -> CodeType: ...
    @property
    def function(self) -> FunctionType | None:
        """The function that was called; None on 3.10, whose frames do not know it."""
    @property
    def globals(self) -> dict[str, Any]: ...
    @property
    def builtins(self) -> dict[str, Any]: ...
    @property
    def locals(self) -> dict[str, Any]:
        """The bound variables, name for name what frame.f_locals shows when the body starts."""
    def local(self, name: str) -> Any:
        """ValueError if the code has no such local, LookupError if it is unbound."""
    def cell(self, name: str) -> Any: ...
    def free(self, name: str) -> Any: ...
    def slot(self, index: int) -> tuple[str, Any]:
        """(name, value) by place among the variables that can be bound at entry; IndexError."""

@final
class GuardProgram:
    """Guards compiled for a code object, to be checked by hand on a Frame."""

    def __init__(self, code: CodeType, guards: Sequence[Guard]) -> None:
        """ValueError if the code has no such variable or is a generator."""
    def check(self, frame: Frame, design: Design = ...) -> bool:
        """Whether all guards hold."""
    def explain(self, frame: Frame, design: Design = ...) -> Failure | None:
        """None if all guards hold."""
    def __len__(self) -> int: ...
    @property
    def instructions(self) -> int:
        """How many steps a check of all guards takes."""
    @property
    def dead(self) -> bool:
        """Whether an object that a guard names has died."""

@final
class Entry:
    """One compiled version of a code object."""

    @property
    def replacement(self) -> CodeType: ...
    def check(self, frame: Frame, design: Design = ...) -> bool:
        """Whether its guards hold for a frame, of its code or of code with the same variables.

        Nothing is run or counted. ValueError if the variables are others, or if it was removed.
        """
    def explain(self, frame: Frame, design: Design = ...) -> Failure | None:
        """None if its guards hold."""
    @property
    def hits(self) -> int: ...
    @property
    def errors(self) -> int:
        """How many checks met an exception."""
    @property
    def last_error(self) -> str:
        """The last of these: the guard and the exception."""
    @property
    def guards(self) -> list[tuple[str, str]]:
        """(source, what is demanded) of each guard, in the order in which they are checked."""
    @property
    def alive(self) -> bool:
        """Whether it is installed."""
    @property
    def removed(self) -> str:
        """Why it was removed; empty if it was not."""
    def remove(self) -> None:
        """Takes it out of the cache. Frames that run it go on."""

@final
class Verdict:
    """What was decided about one frame."""

    @property
    def code(self) -> CodeType: ...
    @property
    def outcome(self) -> Literal["hit", "compiled", "miss", "no entry", "skipped"]: ...
    @property
    def entry(self) -> Entry | None:
        """The entry that ran."""
    @property
    def failures(self) -> list[tuple[Entry, Failure]]:
        """Each entry that was tried before and did not hold."""
    @property
    def reason(self) -> str:
        """Why the frame was skipped."""

@final
class Recorder:
    """Records a verdict for each frame that this thread evaluates while it is on."""

    def __init__(self) -> None: ...
    def start(self) -> None:
        """RuntimeError if this thread has another that is on."""
    def stop(self) -> None:
        """RuntimeError if it is not on in this thread."""
    def __enter__(self) -> Recorder: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
    def clear(self) -> None: ...
    @property
    def verdicts(self) -> list[Verdict]: ...

def enable() -> None:
    """Installs the evaluation hook; an evaluator that is there already goes on getting frames."""

def disable() -> None:
    """Takes the evaluation hook out; in a region, when that ends."""

def enabled() -> bool: ...
def install(
    code: CodeType,
    replacement: CodeType,
    guards: Sequence[Guard] = ...,
    depends_on: Iterable[object] = ...,
) -> Entry:
    """Runs `replacement` in frames of `code` for which all guards hold.

    Its parameters and free variables must be the same, and the guards' variables the code's
    (ValueError). The entry is removed when an object of `depends_on`, or one that a guard names by
    identity or type, dies; they are not kept alive. On 3.11 a replacement that needs more stack
    raises code.co_stacksize.
    """

def entries(code: CodeType) -> list[Entry]:
    """The entries of a code object, in the order in which they are tried."""

def reset(code: CodeType | None = None) -> None:
    """Removes the entries of a code object, or of all, and forgets skip()."""

def skip(code: CodeType, reason: str) -> None:
    """Never looks at frames of the code until reset(); the reason shows in verdicts."""

def slots(code: CodeType) -> list[tuple[str, Literal["fast", "boxed", "closure"], int]]:
    """(name, storage, index) of every variable that can be bound when a frame starts."""

def set_cache_limit(limit: int) -> int:
    """How many entries a code object may have, at first 64; returns the limit before.

    Installing beyond it removes the entry that has not hit for the longest time.
    """

def set_callback(callback: Callable[[Frame], object] | None) -> Callable[[Frame], object] | None:
    """What this thread calls for a frame that no entry fits; returns what was set before.

    The callback may install entries, which are then tried, or skip the code. An exception goes to
    sys.unraisablehook and the frame runs as it is; KeyboardInterrupt is raised in the frame.
    Frames that the callback itself runs are not offered to it.
    """

def begin(callback: Callable[[Frame], object] | None) -> Callable[[Frame], object] | None:
    """Begins a region, until end(): the hook is in, and this thread has the callback.

    Returns what end() takes.
    """

def end(before: Callable[[Frame], object] | None) -> None:
    """Ends a region: this thread has the callback from before.

    The hook is taken out where it was the last region and nobody has called enable(). ValueError
    where none has begun.
    """

def hand_over(function: FunctionType, arguments: list[Any], own_calls: int = 0) -> Any:
    """Calls a Python function with the items of a list, which is emptied.

    In a region they are the function's alone, and die where it lets go of them. While it runs,
    `own_calls` calls do not count towards the recursion limit. RecursionError where the C stack is
    nearly used up.
    """

def set_design(design: Design) -> Design:
    """Chooses how checks read variables from now on; returns the choice before."""

def tensor_support() -> dict[str, bool]:
    """What was found in the torch that is imported; ImportError without torch.

    'exchange': the DLPack exchange API; 'dispatch_keys': the place of a tensor's key set. Without
    both, tensor guards read attributes, which is slower and says the same.
    """
