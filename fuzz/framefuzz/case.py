"""The case format: one Python file that holds a program and its calls.

A case defines ``make()``, which builds fresh state and returns the callable under test, and
``calls(fn)``, a generator of positional-argument tuples, one a call, between whose yields the
world changes.  ``observe(fn)``, ``STEADY``, ``CONFIG`` and ``KW`` are optional (docs/cases.md).
"""

from __future__ import annotations

import functools
import linecache
import marshal
import stat
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Every program is executed under this one module name, so that what a value says of its module
# (a class's repr, a pickled name) is the same on both sides of a comparison.
CASE_MODULE = "framefuzz_case"


class InvalidCase(Exception):
    """A file that is no case: what is wrong, and where.

    ``line`` is 1-based, or None where no line can be named.
    """

    def __init__(self, message: str, filename: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.filename = filename
        self.line = line

    def __str__(self) -> str:
        where = self.filename if self.line is None else f"{self.filename}:{self.line}"
        return f"{where}: {self.message}"


@dataclass(frozen=True)
class Case:
    """The source text of a case.

    ``filename`` is what its code objects carry as ``co_filename``: the file's path, or for
    generated text a path that need not exist.
    """

    name: str
    source: str
    filename: str

    @property
    def title(self) -> str:
        """The first line of the module's docstring, or an empty string."""
        head = self.source.lstrip()
        for quote in ('"""', "'''"):
            if head.startswith(quote):
                return head[3:].split(quote, 1)[0].strip().partition("\n")[0]
        return ""


@dataclass
class Program:
    """One fresh execution of a case: its own module and its own ``make()``.

    ``own_names`` are the globals that the module had once ``make()`` had returned.
    """

    case: Case
    module: types.ModuleType
    fn: Callable[..., Any]
    observe: Callable[[Callable[..., Any]], Any] | None
    steady: int | None
    config: dict[str, Any]
    compile_kwargs: dict[str, Any]
    own_names: frozenset[str]
    line_of_calls: int = field(default=0)

    def calls(self) -> Iterator[tuple[Any, ...]]:
        """Yield the arguments of one call after the other, as ``calls(fn)`` gives them.

        Raises InvalidCase if ``calls`` is no generator, or yields what is no tuple.
        """
        yielded = self.module.__dict__["calls"](self.fn)
        if type(yielded) is not types.GeneratorType:
            raise self._bad(f"calls(fn) must be a generator, not {type(yielded).__name__}")
        for arguments in yielded:
            if type(arguments) is not tuple:
                raise self._bad(
                    "calls(fn) must yield a tuple of positional arguments, "
                    f"not {type(arguments).__name__}"
                )
            yield arguments
            # A name kept here would keep the arguments alive into the next call.
            del arguments

    def _bad(self, message: str) -> InvalidCase:
        return InvalidCase(message, self.case.filename, self.line_of_calls or None)


def read_case(path: str | Path) -> Case:
    """Read a case from a file; raise InvalidCase if it cannot be read or is no Python."""
    path = Path(path)
    try:
        if _never_ends(path):
            raise InvalidCase("is no file to read", str(path))
        # As Python reads it: an editor's mark at the beginning is no part of the text.
        source = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidCase(f"is no UTF-8 text ({error.reason})", str(path)) from None
    except OSError as error:
        raise InvalidCase(f"cannot be read: {error.strerror}", str(path)) from None
    case = Case(path.stem, source, str(path))
    compile_case(case)
    return case


def _never_ends(path: Path) -> bool:
    """Whether reading would wait for a writer, or go on for ever: a named pipe, a device."""
    mode = path.stat().st_mode
    if stat.S_ISFIFO(mode):
        # A shell's <(...) is a pipe that has its writer.
        return path.parts[:2] not in (("/", "dev"), ("/", "proc"))
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def compile_case(case: Case) -> types.CodeType:
    """The module code object of a case, fresh at each call; raise InvalidCase if it is no Python.

    Fresh for each execution: closures made from one code object share what a compiler caches on
    it, and would hit each other's entries.  As with an imported module, compiled once and then
    read from its marshalled form, which costs a twentieth.
    """
    try:
        code = marshal.loads(_marshalled(case.source, case.filename))
    except SyntaxError as error:
        raise InvalidCase(f"is no Python: {error.msg}", case.filename, error.lineno) from None
    except ValueError as error:  # a NUL byte
        raise InvalidCase(f"is no Python: {error}", case.filename) from None
    assert isinstance(code, types.CodeType)
    return code


@functools.lru_cache(maxsize=4)
def _marshalled(source: str, filename: str) -> bytes:
    return marshal.dumps(compile(source, filename, "exec", dont_inherit=True))


def instantiate(case: Case) -> Program:
    """Execute a case in a fresh module and call its ``make()``.

    Raises InvalidCase, naming the line, for a module that breaks the protocol or fails by itself.
    The module stands in ``sys.modules`` under CASE_MODULE until the next call.
    """
    code = compile_case(case)
    lines = case.source.splitlines(keepends=True)
    # A tuple whose mtime is None is never dropped by linecache.checkcache.
    linecache.cache[case.filename] = (len(case.source), None, lines, case.filename)
    module = types.ModuleType(CASE_MODULE)
    module.__file__ = case.filename
    sys.modules[CASE_MODULE] = module
    _run_own_code(case, "fails when imported", lambda: exec(code, module.__dict__))

    names = module.__dict__
    for required in ("make", "calls"):
        if not isinstance(names.get(required), types.FunctionType):
            raise InvalidCase(f"defines no function {required}()", case.filename)
    steady = names.get("STEADY")
    if steady is not None and (type(steady) is not int or steady < 0):
        raise InvalidCase("STEADY must be the number of a call, 0 or more", case.filename)
    for optional in ("CONFIG", "KW"):
        if not isinstance(names.get(optional, {}), dict):
            raise InvalidCase(f"{optional} must be a dict", case.filename)
    observe = names.get("observe")
    if observe is not None and not callable(observe):
        raise InvalidCase("observe must be a function", case.filename)

    fn = _run_own_code(case, "make() fails", names["make"])
    if not callable(fn):
        raise InvalidCase(
            f"make() must return a callable, not {type(fn).__name__}",
            case.filename,
            names["make"].__code__.co_firstlineno,
        )
    return Program(
        case,
        module,
        fn,
        observe,
        steady,
        dict(names.get("CONFIG", {})),
        dict(names.get("KW", {})),
        frozenset(name for name in names if type(name) is str),
        names["calls"].__code__.co_firstlineno,
    )


def line_in_case(case: Case, error: BaseException) -> int | None:
    """The last line of the case's own file in an error's traceback, or None."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == case.filename
    ]
    return lines[-1] if lines else None


def _run_own_code(case: Case, what: str, run: Callable[[], Any]) -> Any:
    try:
        return run()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a SystemExit too
        said = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InvalidCase(f"{what}: {said}", case.filename, line_in_case(case, error)) from error
