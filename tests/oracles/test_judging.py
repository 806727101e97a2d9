"""Each kind of divergence by a small case that has it, and a near miss that has not."""

from __future__ import annotations

import types
from textwrap import dedent
from typing import Any

import pytest
import torch
from fake import CHANGES, COUNTS, STILL, Fake, case_of, found, judged

from framefuzz.judgement import of_death
from framefuzz.oracles.judge import Judgement, Options, judge
from framefuzz.subjects.dynamo import DynamoSubject
from framefuzz.trace import CodeMade, EntryCheck


def test_the_same() -> None:
    judgement = judged(COUNTS, Fake())
    assert (judgement.status, judgement.divergences) == ("same", [])
    assert judgement.verdicts == ["compile", "hit", "hit"]
    assert set(judgement.seconds) == {"eager", "subject", "observe", "oracles"}


def test_vacuous() -> None:
    assert judged(COUNTS, Fake(compiles={})).status == "vacuous"


def test_invalid_names_the_line() -> None:
    judgement = judge(case_of("def make(:"), Fake())
    assert (judgement.status, judgement.line) == ("invalid", 1)
    assert judged("import random\ndef make(): return abs", Fake()).status == "same"


DIFFERENT: dict[str, tuple[str, str, str]] = {
    # What eager returns, what the compiler makes of it; where and how they differ.
    "value": ("1", "2", "out value"),
    "type": ("1", "True", "out type"),
    "minus zero": ("0.0", "-0.0", "out value"),
    "length": ("[1]", "[1, 2]", "out length"),
    "keys": ("{'a': 1}", "{'b': 1}", "out keys"),
    "order": ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", "out order"),
    "inner value": ("{'a': [1]}", "{'a': [2]}", "out['a'][0] value"),
    "members": ("{1, 2}", "{1, True, 3}", "out{1} value"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_behaviour_of_values(name: str) -> None:
    eager, subject, where = DIFFERENT[name]
    source = f"def make(): return lambda: {eager}"
    judgement = judged(source, Fake(lambda fn, call, fresh: eval(subject)))
    (divergence,) = [d for d in judgement.divergences if d.oracle == "behaviour"]
    assert f"{divergence.path} {divergence.kind}" == where
    assert divergence.call == 0
    assert judged(source, Fake(lambda fn, call, fresh: eval(eager))).status == "same"


def test_behaviour_of_aliasing() -> None:
    source = """
        held = []
        def make(): return lambda: [held, held]
    """
    copied = judged(source, Fake(lambda fn, call, fresh: [fn()[0], []]))
    assert found(copied) == [("behaviour", 0, "identity")]
    renamed = judged(source, Fake(lambda fn, call, fresh: [list(fn()[0])] * 2))
    # One list twice, but not the one that the global holds.
    assert found(renamed) == [("behaviour", 0, "identity")]
    assert renamed.divergences[0].path == "globals.held"


def test_behaviour_of_exceptions_stdout_cells_and_globals() -> None:
    def raises(fn: Any, call: int, fresh: bool) -> Any:
        raise ValueError("x")

    assert judged(COUNTS, Fake(raises)).divergences[0].path == "exc"
    failing = "def make():\n    def f(): raise ValueError('y')\n    return f"
    assert judged(failing, Fake(raises)).divergences[0].path == "exc[0]"
    swallowed = judged(failing, Fake(lambda fn, call, fresh: None)).divergences[0]
    assert (swallowed.path, swallowed.eager) == ("exc", "raised ValueError([0]='y')")
    assert swallowed.subject == "returned None"

    def prints(fn: Any, call: int, fresh: bool) -> Any:
        print("more")
        return fn()

    assert judged(COUNTS, Fake(prints)).divergences[0].path == "stdout"
    assert judged(COUNTS, Fake(lambda fn, call, fresh: call + 1)).divergences[0].path == (
        "cells(count)"
    )

    def leaves(fn: Any, call: int, fresh: bool) -> Any:
        torch.set_grad_enabled(False)
        return fn()

    assert judged(COUNTS, Fake(leaves)).divergences[0].path == "modes.grad"


def test_only_the_first_differing_call_is_judged() -> None:
    late = Fake(lambda fn, call, fresh: fn() + (call == 1))
    judgement = judged(COUNTS, late)
    assert [d.call for d in judgement.divergences if d.oracle == "behaviour"] == [1]


def test_calls_that_see_a_difference_themselves() -> None:
    source = """
        seen = []
        def make(): return lambda: seen.append
        def calls(fn):
            yield ()
            import builtins
            if getattr(builtins, "under_fake", False): raise ValueError("seen")
            yield ()
    """
    import builtins

    def marks(fn: Any, call: int, fresh: bool) -> Any:
        builtins.under_fake = True  # type: ignore[attr-defined]
        return fn()

    try:
        judgement = judged(source, Fake(marks))
    finally:
        del builtins.under_fake  # type: ignore[attr-defined]
    # Eager sees it as well when it runs again: the program does not repeat.
    assert judgement.status == "invalid"


def test_a_program_that_does_not_repeat_is_no_case() -> None:
    source = """
        import itertools, torch
        torch.framefuzz_count = getattr(torch, "framefuzz_count", itertools.count())
        def make(): return lambda: next(torch.framefuzz_count)
    """
    try:
        judgement = judged(source, Fake())
    finally:
        del torch.framefuzz_count  # type: ignore[attr-defined]
    assert judgement.status == "invalid"
    assert "does not repeat under eager: out differs" in judgement.message


class TestGuards:
    def test_accepted_wrongly(self) -> None:
        stale = Fake(lambda fn, call, fresh: fn() if fresh else 2)
        judgement = judged(CHANGES, stale)
        assert found(judgement) == [("guards", 2, "accepted wrongly"), ("behaviour", 2, "value")]
        guard = judgement.divergences[0]
        assert guard.path == "cells(factor)"
        assert guard.facts == ("cells value",)
        assert guard.note == "cells(factor) had changed since call 0: 2 to 3"

    def test_a_wrong_translation_is_no_wrong_guard(self) -> None:
        assert found(judged(CHANGES, Fake(lambda fn, call, fresh: 2))) == [
            ("behaviour", 2, "value")
        ]

    def test_a_call_that_compiled_let_nothing_through(self) -> None:
        fresh_only = Fake(lambda fn, call, fresh: fn() if fresh else 2, {0: (), 2: ("g",)})
        assert [f for f in found(judged(CHANGES, fresh_only)) if f[0] == "guards"] == []

    def test_nor_did_one_whose_compile_failed(self) -> None:
        def fails(fn: Any, call: int, fresh: bool) -> Any:
            if call == 2 and not fresh:
                raise RuntimeError("lower frame")
            return fn()

        judgement = judged(CHANGES, Fake(fails, internal="RuntimeError in f"))
        assert [f[0] for f in found(judgement)] == ["survival", "behaviour"]

    def test_the_entry_that_accepted_is_named(self) -> None:
        checks = {
            2: [EntryCheck(0, False, False, None), EntryCheck(1, True, True, None, "", "", 1)]
        }
        stale = Fake(lambda fn, call, fresh: fn() if fresh else 2, checks=checks)
        assert judged(CHANGES, stale).divergences[0].subject.endswith("compiled at call 1")


class TestInconsistent:
    def check(self, *answers: Any, failed: str = "") -> list[tuple[str, int, str]]:
        fake = Fake(checks={1: [EntryCheck(0, *answers, failed)]})
        return found(judged(STILL, fake))

    def test_the_answers_agree(self) -> None:
        assert self.check(True, True, True) == []
        assert self.check(True, True, None) == []

    def test_fast_and_explaining(self) -> None:
        assert self.check(True, False, True) == [("inconsistent", 1, "fast and explaining check")]

    def test_printed_conditions(self) -> None:
        assert self.check(True, True, False, failed="L['n'] == 1") == [
            ("inconsistent", 1, "printed refuses, check accepts")
        ]
        fake = Fake(
            checks={1: [EntryCheck(0, False, False, True)]},
            compiles={0: (), 1: ("g",)},
        )
        kinds = [f for f in found(judged(CHANGES, fake)) if f[0] == "inconsistent"]
        assert kinds == [("inconsistent", 1, "printed accepts, check refuses")]

    def test_printed_equality(self) -> None:
        refused = EntryCheck(0, False, False, False, "type of L['n'] == 1")
        fake = Fake(checks={2: [refused]}, compiles={0: (), 2: ("L['n'] == 1",)})
        assert found(judged(CHANGES, fake)) == []
        strict = judged(CHANGES, fake, strict=frozenset({"printed-equality"}))
        assert found(strict) == [("inconsistent", 2, "printed accepts, check refuses")]

    def test_the_frame_against_a_dict_of_its_locals(self) -> None:
        refusing = Fake(checks={1: [EntryCheck(0, False, False, None)]})
        assert found(judged(STILL, refusing)) == [
            ("inconsistent", 1, "frame accepted, dict refused")
        ]
        accepting = Fake(
            checks={2: [EntryCheck(0, True, True, None)]}, compiles={0: (), 2: ("g == 1",)}
        )
        assert found(judged(CHANGES, accepting)) == [
            ("inconsistent", 2, "frame refused, dict accepted")
        ]

    def test_the_frame_and_a_dict_of_its_locals_asked_together(self) -> None:
        def asked(fast: bool, by_dict: bool, **more: Any) -> list[tuple[str, int, str]]:
            check = EntryCheck(0, fast, fast, None, by_dict=by_dict)
            return found(judged(CHANGES, Fake(checks={2: [check]}, **more)))

        recompiles = {"compiles": {0: (), 2: ("g == 1",)}}
        assert asked(False, False, **recompiles) == []
        assert asked(False, True, **recompiles) == [
            ("inconsistent", 2, "frame refused, dict accepted")
        ]
        assert asked(True, True, **recompiles) == [
            ("inconsistent", 2, "call refused, check accepted")
        ]
        fake = Fake(checks={1: [EntryCheck(0, True, True, None, by_dict=False)]})
        assert found(judged(STILL, fake)) == [("inconsistent", 1, "frame accepted, dict refused")]
        fake = Fake(checks={1: [EntryCheck(0, False, False, None, by_dict=False)]})
        assert found(judged(STILL, fake)) == [("inconsistent", 1, "call accepted, check refused")]


class TestOrder:
    def code(self, order: tuple[str, ...]) -> types.CodeType:
        source = "def o(b, a):\n    def f(): return a, b\n    return f"
        module = compile(source, "o.py", "exec")
        code = module.co_consts[0]
        inner = next(c for c in code.co_consts if isinstance(c, types.CodeType))
        return inner.replace(co_freevars=order)

    def kinds(self, original: types.CodeType, made: types.CodeType, resume: bool) -> list[str]:
        fake = Fake(codes=[CodeMade(0, original, made, resume)])
        return [kind for oracle, _, kind in found(judged(STILL, fake)) if oracle == "order"]

    def test_natural(self) -> None:
        good = self.code(("a", "b"))
        assert self.kinds(good, good, False) == []
        assert self.kinds(good, good, True) == []

    def test_a_resume_function_out_of_order(self) -> None:
        wrong = self.code(("b", "a"))
        assert self.kinds(wrong, wrong, True) == ["co_freevars unsorted"]

    def test_free_variables_not_kept(self) -> None:
        kinds = self.kinds(self.code(("a", "b")), self.code(("b", "a")), False)
        assert kinds == ["co_freevars not kept", "co_freevars unsorted"]


class TestSurvival:
    def failing(self, fn: Any, call: int, fresh: bool) -> Any:
        raise RuntimeError("internal")

    def test_an_internal_error(self) -> None:
        judgement = judged(STILL, Fake(self.failing, internal="RuntimeError in trace_it"))
        assert found(judgement) == [("survival", 0, "internal error"), ("behaviour", 0, "presence")]
        assert judgement.divergences[0].facts == ("RuntimeError in trace_it",)
        assert judgement.divergences[0].subject == "RuntimeError: internal"

    def test_the_programs_own_exception(self) -> None:
        assert found(judged(STILL, Fake(self.failing))) == [("behaviour", 0, "presence")]

    @pytest.mark.parametrize(
        ("cause", "kind"),
        [
            ("signal 11", "signal"),
            ("deadline 10 s", "hang"),
            ("memory", "memory"),
            ("exit code 3", "exit"),
        ],
    )
    def test_deaths(self, cause: str, kind: str) -> None:
        (judgement,) = of_death("c", ["fake"], "subject", cause)
        assert (judgement.subject, judgement.status) == ("fake", "diverges")
        (divergence,) = judgement.divergences
        assert (divergence.oracle, divergence.kind) == ("survival", kind)
        assert divergence.facts == (cause,)


def test_oracles_can_be_left_out() -> None:
    stale = Fake(lambda fn, call, fresh: fn() if fresh else 2)
    assert found(judged(CHANGES, stale, ignore=frozenset({"guards"}))) == [
        ("behaviour", 2, "value")
    ]


# The same of the real compiler, for what torch 2.13 still does.


def real(source: str) -> Judgement:
    return judge(case_of("import torch\n" + dedent(source)), DynamoSubject(), Options())


@pytest.mark.parametrize(
    "body",
    [
        "return x * n",
        "torch._dynamo.graph_break()\n        return x * n",
        "print(n)\n        return x + 1, [x]",
        "if n > 1: raise ValueError(n)\n        return x",
    ],
)
def test_silence_about_programs_that_are_the_same(body: str) -> None:
    source = f"""
def make():
    n = 0
    def step(x):
        nonlocal n
        n += 1
        {body}
    return step
def calls(fn):
    for _ in range(3):
        yield (torch.ones(2),)
"""
    assert real(source).divergences == []


def test_a_real_wrong_guard() -> None:
    source = """
def make():
    s = frozenset({1})
    def step(x): return x + (1 if next(iter(s)) is True else 2)
    return step
def calls(fn):
    for s in (frozenset({1}), frozenset({True})):
        fn.__closure__[0].cell_contents = s
        yield (torch.ones(2),)
"""
    judgement = real(source)
    if torch.__version__.startswith("2.13."):
        assert found(judgement)[0] == ("guards", 1, "accepted wrongly")
