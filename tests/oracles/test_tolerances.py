"""Each tolerance: what it excuses, what comes near and is not excused, and switching it off.

``fresh-identity`` and ``printed-equality`` stand with their oracles in test_judging.py.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest
import torch
from fake import Fake, found, judged
from torch._dynamo import exc

from framefuzz import tolerances
from framefuzz.oracles.difference import Comparison
from framefuzz.trace import Node, Observation

USER_CODE = '\n\nfrom user code:\n   File "a.py", line 3, in f\n    it\'s here\n'
OPERATOR = "return torch.ones(2) @ torch.ones(3)"
FAILS = f"import torch\ndef make():\n    def f(): {OPERATOR}\n    return f"
BOOM = "def make():\n    def f(): raise RuntimeError('boom')\n    return f"


def raising(make: Callable[[], BaseException]) -> Fake:
    def instead(fn: Any, call: int, fresh: bool) -> Any:
        raise make()

    return Fake(instead)


def reported(source: str, fake: Fake, name: str) -> tuple[bool, bool]:
    """Whether a divergence is reported with the tolerance, and without it."""
    strict = judged(source, fake, strict=frozenset({name}))
    return bool(judged(source, fake).divergences), bool(strict.divergences)


def test_every_tolerance_is_documented() -> None:
    assert len(tolerances.TOLERANCES) == len(tolerances.ALL)
    assert all(text.endswith(".") for text in tolerances.TOLERANCES.values())


class TestTorchRuntimeError:
    name = "torch-runtime-error"

    def test_excused(self) -> None:
        fake = raising(lambda: exc.TorchRuntimeError("while making fake tensors"))
        assert reported(FAILS, fake, self.name) == (False, True)

    def test_what_one_exception_holds_shifts_no_number_of_what_follows(self) -> None:
        def make() -> BaseException:
            error = exc.TorchRuntimeError("while making fake tensors")
            error.__cause__ = ValueError([1], [2])
            return error

        source = "held = [[1], [2]]\n" + FAILS
        assert reported(source, raising(make), self.name) == (False, True)

    # By functions of Python's, since a raise statement would be reason enough.
    @pytest.mark.parametrize("body", ["return 1", "return int('boom')", "return [].pop()"])
    def test_not_when_eager_raised_no_runtime_error(self, body: str) -> None:
        source = f"def make():\n    def f(): {body}\n    return f"
        fake = raising(lambda: exc.TorchRuntimeError("boom"))
        assert reported(source, fake, self.name) == (True, True)

    @pytest.mark.parametrize("text", ["boom", "bang"])
    def test_not_what_a_raise_statement_made(self, text: str) -> None:
        fake = raising(lambda: exc.TorchRuntimeError(text))
        assert reported(BOOM, fake, self.name) == (True, True)

    def test_excused_where_the_program_raises_on(self) -> None:
        source = f"""
        def make():
            def f():
                try:
                    {OPERATOR}
                except RuntimeError as error:
                    raise error
            return f"""
        fake = raising(lambda: exc.TorchRuntimeError("while making fake tensors"))
        assert reported(f"import torch\n{dedent(source)}", fake, self.name) == (False, True)

    @pytest.mark.parametrize("other", [ValueError, exc.Unsupported, exc.InternalTorchDynamoError])
    def test_not_another_type(self, other: type[Exception]) -> None:
        fake = raising(lambda: other("while making fake tensors"))
        assert reported(FAILS, fake, self.name) == (True, True)


class TestFromUserCode:
    name = "from-user-code"

    @pytest.mark.parametrize("text", ["boom", "it's", 'a "b"', "two\nlines", "both ' and \""])
    def test_excused(self, text: str) -> None:
        source = f"def make():\n    def f(): raise ValueError({text!r})\n    return f"
        fake = raising(lambda: ValueError(text + USER_CODE))
        assert reported(source, fake, self.name) == (False, True)

    def test_not_where_what_stands_before_differs(self) -> None:
        fake = raising(lambda: RuntimeError("bang" + USER_CODE))
        assert reported(BOOM, fake, self.name) == (True, True)

    def test_not_another_addition(self) -> None:
        fake = raising(lambda: RuntimeError("boom\n\nfrom elsewhere"))
        assert reported(BOOM, fake, self.name) == (True, True)

    def test_not_in_a_value(self) -> None:
        fake = Fake(lambda fn, call, fresh: "boom" + USER_CODE)
        assert reported("def make(): return lambda: 'boom'", fake, self.name) == (True, True)


class TestCompilerContext:
    name = "compiler-context"

    @staticmethod
    def chained(context: BaseException, cause: bool = False) -> Fake:
        def make() -> BaseException:
            error = RuntimeError("boom")
            if cause:
                error.__cause__ = context
            else:
                error.__context__ = context
            return error

        return raising(make)

    @pytest.mark.parametrize("cause", [True, False])
    def test_excused(self, cause: bool) -> None:
        source = "held = [[1], [2]]\n" + BOOM
        fake = self.chained(exc.ObservedRuntimeError([1]), cause)
        assert reported(source, fake, self.name) == (False, True)

    def test_not_the_programs_exception(self) -> None:
        assert reported(BOOM, self.chained(ValueError("x")), self.name) == (True, True)

        class ObservedByUs(Exception):
            pass

        assert reported(BOOM, self.chained(ObservedByUs("x")), self.name) == (True, True)

    def test_not_in_place_of_eagers(self) -> None:
        source = """
            def make():
                def f():
                    try: 1 / 0
                    except Exception: raise RuntimeError("boom")
                return f
        """
        assert reported(source, self.chained(exc.Unsupported("x")), self.name) == (True, True)


class TestCompilerGlobals:
    name = "compiler-globals"

    @staticmethod
    def adding(name: str, value: Any = print) -> Fake:
        def instead(fn: Any, call: int, fresh: bool) -> Any:
            fn.__globals__[name] = value
            return fn()

        return Fake(instead)

    @pytest.mark.parametrize(
        "name", ["__compiled_fn_0_1a", "torch_dynamo_resume_in_f_at_3", "__resume_at_8_2"]
    )
    def test_excused(self, name: str) -> None:
        source = "zed = [1]\ndef make(): return lambda: 1\ndef observe(fn): return zed"
        assert reported(source, self.adding(name, [[1]]), self.name) == (False, True)

    @pytest.mark.parametrize("name", ["konst", "konst_0"])
    def test_constants(self, name: str) -> None:
        marked = """
            import torch
            class K:
                @torch._dynamo.assume_constant_result
                def konst(self): return 3
            def make(): return lambda: 1
        """
        assert reported(marked, self.adding(name, 3), self.name) == (False, True)
        plain = marked.replace("@torch._dynamo.assume_constant_result", "")
        assert reported(plain, self.adding(name, 3), self.name) == (True, True)

    def test_not_another_name(self) -> None:
        source = "def make(): return lambda: 1"
        assert reported(source, self.adding("_resume"), self.name) == (True, True)

    def test_not_a_change_of_the_programs_own_name(self) -> None:
        source = "__private = 1\ndef make(): return lambda: 1"
        assert reported(source, self.adding("__private", 2), self.name) == (True, True)

    def test_not_a_loss(self) -> None:
        def loses(fn: Any, call: int, fresh: bool) -> Any:
            fn.__globals__.pop("__private", None)
            return fn()

        source = "__private = 1\ndef make(): return lambda: 1"
        assert reported(source, Fake(loses), self.name) == (True, True)


class TestCompilerMarks:
    name = "compiler-marks"
    source = """
        class C: pass
        held = [C(), [1]]
        def make(): return lambda: held[1]
    """

    @staticmethod
    def marking(owner: Callable[[Any], Any], name: str) -> Fake:
        def instead(fn: Any, call: int, fresh: bool) -> Any:
            setattr(owner(fn), name, [1])
            return fn()

        return Fake(instead)

    @pytest.mark.parametrize("name", ["_torchdynamo_disable", "_torch_dynamo_x", "__compiled_x"])
    @pytest.mark.parametrize("owner", ["function", "instance", "class"])
    def test_excused(self, owner: str, name: str) -> None:
        owners: dict[str, Callable[[Any], Any]] = {
            "function": lambda fn: fn,
            "instance": lambda fn: fn.__globals__["held"][0],
            "class": lambda fn: fn.__globals__["C"],
        }
        fake = self.marking(owners[owner], name)
        assert reported(self.source, fake, self.name) == (False, True)

    def test_not_another_attribute(self) -> None:
        fake = self.marking(lambda fn: fn, "torchdynamo")
        assert reported(self.source, fake, self.name) == (True, True)


class TestInexactBits:
    name = "inexact-bits"

    @staticmethod
    def near(by: float, exact: bool = False) -> Fake:
        return Fake(lambda fn, call, fresh: (fn()[0] + by, fn()[1] + by), exact=exact)

    source = "import torch\ndef make(): return lambda: (torch.ones(2), 1.0)"

    def test_excused(self) -> None:
        assert reported(self.source, self.near(1e-7), self.name) == (False, True)

    def test_not_far_off(self) -> None:
        assert reported(self.source, self.near(1e-3), self.name) == (True, True)

    def test_not_of_an_exact_backend(self) -> None:
        assert reported(self.source, self.near(1e-7, exact=True), self.name) == (True, True)

    @pytest.mark.parametrize("wrong", ["torch.ones(2).double()", "torch.ones(1, 2)"])
    def test_not_metadata(self, wrong: str) -> None:
        value = eval(wrong, {"torch": torch})
        fake = Fake(lambda fn, call, fresh: (value, 1.0), exact=False)
        assert reported(self.source, fake, self.name) == (True, True)

    def test_not_integers(self) -> None:
        source = "import torch\ndef make(): return lambda: torch.ones(2, dtype=torch.int64)"
        fake = Fake(lambda fn, call, fresh: fn() + 1, exact=False)
        assert reported(source, fake, self.name) == (True, True)


def test_no_tolerance_hides_a_plain_difference() -> None:
    fake = Fake(lambda fn, call, fresh: 2)
    judgement = judged("def make(): return lambda: 1", fake, strict=tolerances.ALL)
    assert found(judgement) == [("behaviour", 0, "value")]


def test_identity_is_a_pairing() -> None:
    def observed(numbers: list[int], refs: list[int]) -> Observation:
        parts = [Node("list", "", number) for number in numbers]
        parts += [Node("ref", "", number) for number in refs]
        edges = tuple((f"[{index}]", part) for index, part in enumerate(parts))
        return Observation({"out": Node("list", "", 0, edges)})

    compare = Comparison(True, frozenset()).observations
    assert compare(observed([1, 2], [1]), observed([5, 9], [5])) is None
    one = compare(observed([1, 2], [1]), observed([5, 9], [9]))
    assert one is not None and (one.path, one.kind) == ("out[2]", "identity")
    # Two objects here, one there.
    two = compare(observed([1, 2], []), observed([5, 5], []))
    assert two is not None and two.path == "out[1]"


class TestTracingCalls:
    name = "tracing-calls"
    source = """
def make():
    log, count = [], [0]
    class Key:
        def {method}(self, *rest):
            log.append('call')
            count[0] += 1
            print('call')
            return 1
    key = Key()
    def f(calls=1):
        for _ in range(calls):
            type(key).{method}(key)
    return f
"""

    @staticmethod
    def calling(times: int) -> Fake:
        return Fake(lambda fn, call, fresh: fn(times))

    @pytest.mark.parametrize("method", ["__hash__", "__getattr__", "__getattribute__"])
    def test_more_calls_are_excused(self, method: str) -> None:
        source = self.source.replace("{method}", method)
        assert reported(source, self.calling(3), self.name) == (False, True)

    def test_fewer_calls_are_not(self) -> None:
        source = self.source.replace("{method}", "__hash__")
        assert reported(source, self.calling(0), self.name) == (True, True)

    def test_more_calls_of_other_methods_are_not(self) -> None:
        source = self.source.replace("{method}", "__eq__")
        assert reported(source, self.calling(3), self.name) == (True, True)
