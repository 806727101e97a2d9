"""Compiles that were not needed: in a state that was seen, after STEADY, up to the limit."""

from __future__ import annotations

from textwrap import dedent

import pytest
from fake import CHANGES, COUNTS, STILL, Fake, found, judged

from framefuzz.trace import Verdict


class TestRecompile:
    def test_same_state(self) -> None:
        judgement = judged(STILL, Fake(compiles={0: (), 2: ("L['factor'] == 2",)}))
        assert found(judgement) == [("recompile", 2, "same state")]
        assert judgement.divergences[0].facts == ("==",)

    def test_another_state(self) -> None:
        assert found(judged(CHANGES, Fake(compiles={0: (), 2: ("L['factor'] == 2",)}))) == []

    @pytest.mark.parametrize(
        "change",
        [
            "fn.__code__ = (lambda: 2).__code__",
            "fn.tag = 1",
            "fn.__defaults__ = (1,)",
            "type(held[0]).limit = 2",
            "type(held[0]).go = lambda self: 2",
            "next(held[1])",
            "held[2].__globals__['n'] += 1",
            "held[3].microseconds, held.__setitem__(3, datetime.timedelta(2))",
            "held[4].register_forward_hook(print)",
            "held[5].random()",
            "torch.set_grad_enabled(False)",
            "torch.set_num_threads(torch.get_num_threads() + 1)",
            "torch.set_float32_matmul_precision('medium')",
            "torch._C._autograd._push_saved_tensors_default_hooks(print, print)",
        ],
    )
    def test_states_that_differ_in_one_thing(self, change: str) -> None:
        source = f"""
            import datetime, random, torch, types
            def numbers():
                yield 1
                yield 2
            def make():
                class C:
                    limit = 1
                    def go(self): return 1
                module = types.ModuleType("made")
                exec("n = 1\\ndef f(): return n", module.__dict__)
                held = [C(), numbers(), module.f, datetime.timedelta(1)]
                held += [torch.nn.Linear(1, 1), random.Random(1)]
                globals()["held"] = held
                return lambda: 1
            def calls(fn):
                yield ()
                yield ()
                {change}
                yield ()
        """
        again = Fake(compiles={0: (), 2: ("L['x'] == 1",)})
        assert found(judged(source, again)) == []
        assert found(judged(source, Fake(compiles={0: (), 1: ("L['x'] == 1",)}))) == [
            ("recompile", 1, "same state")
        ]

    @pytest.mark.parametrize(
        "reads",
        [
            "time.perf_counter_ns()",
            "os.urandom(8)",
            "os.environ.get('FRAMEFUZZ_TEST')",
            "[string.number for _ in [0]]",
        ],
    )
    def test_what_the_program_reads_from_outside(self, reads: str) -> None:
        source = f"""
            import os, string, time
            def make():
                def f():
                    value = {reads}
                    return 1 if value else 2
                return f
            def calls(fn):
                for number in range(12):
                    os.environ["FRAMEFUZZ_TEST"] = "x" * (number % 10)
                    string.number = number % 10
                    yield ()
        """
        assert found(judged(source, Fake(compiles={0: (), 2: ("L['value'] == 1",)}))) == []
        assert found(judged(source, Fake(limit="recompile_limit"))) == []

    def test_the_program_itself_emptied_the_cache(self) -> None:
        emptied = Fake(compiles={0: (), 2: ()}, verdicts={2: Verdict("compile")})
        assert found(judged(STILL, emptied)) == []
        refused = Fake(compiles={0: (), 2: ()}, verdicts={2: Verdict("recompile")})
        assert found(judged(STILL, refused)) == [("recompile", 2, "same state")]

    def test_a_state_that_cannot_be_seen_is_like_no_other(self) -> None:
        opaque = STILL + "    import threading\n    lock = threading.Lock()\n"
        assert found(judged(opaque, Fake(compiles={0: (), 2: ("g == 1",)}))) == []

    @pytest.mark.parametrize(
        "guard", ["___check_obj_id(L['f'], 1)", "___check_type_id(L['o'], 1)", "L['a'] is L['b']"]
    )
    def test_fresh_identity(self, guard: str) -> None:
        fake = Fake(compiles={0: (), 2: (guard,)})
        assert found(judged(STILL, fake)) == []
        strict = judged(STILL, fake, strict=frozenset({"fresh-identity"}))
        assert found(strict) == [("recompile", 2, "same state")]
        # Entries compiled in other states fail as well, and for their own reasons.
        mixed = Fake(compiles={0: (), 2: (guard, "L['n'] == 1")})
        assert found(judged(STILL, mixed)) == []
        other = Fake(compiles={0: (), 2: ("L['n'] == 1",)})
        assert found(judged(STILL, other)) == [("recompile", 2, "same state")]
        # STEADY is not affected.
        assert found(judged("STEADY = 1\n" + dedent(STILL), fake)) == [
            ("recompile", 2, "after STEADY")
        ]

    def test_after_steady(self) -> None:
        source = "STEADY = 2\n" + dedent(CHANGES)
        fake = Fake(compiles={0: (), 2: ("g == 2",)})
        assert found(judged(source, fake)) == [("recompile", 2, "after STEADY")]
        early = Fake(compiles={0: (), 1: ("g == 1",)})
        source = "STEADY = 2\n" + dedent(COUNTS)
        assert found(judged(source, early)) == []

    def test_limit(self) -> None:
        fake = Fake(limit="recompile_limit")
        assert found(judged(STILL, fake, calls=12)) == [("recompile", 11, "limit")]
        # A program with a state of its own in each call does need that many.
        assert found(judged(COUNTS, fake, calls=12)) == []
        identity = Fake(
            limit="recompile_limit",
            verdicts={1: Verdict("skip", ("___check_obj_id(L['f'], 1)",))},
        )
        assert found(judged(STILL, identity, calls=12)) == []

    def test_an_earlier_call_that_raised_says_nothing(self) -> None:
        failing = "def make():\n    def f(): raise ValueError\n    return f"

        fake = Fake(compiles={0: (), 2: ("g == 1",)})
        assert found(judged(failing, fake)) == []
