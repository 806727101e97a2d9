"""Running a case: what each call finds, and what a program leaves for the next."""

from __future__ import annotations

import gc
import os
import random
import sys
import warnings

import pytest
import torch
import torch._dynamo.config
from programs import case_of, part, run_of, stdouts

from framefuzz.case import CASE_MODULE, InvalidCase
from framefuzz.observe.observation import autocast_dtype, has_saved_hooks
from framefuzz.subjects.eager import EagerSubject, WatchedEager
from framefuzz.subjects.run import run

WEAK = """
    import weakref
    refs = []
    class Box: pass
    def alive(): return [ref() is not None for ref in refs]
"""


def test_a_section_for_each_thing_observed() -> None:
    trace = run_of(
        """
        count = 0
        def make():
            held = [1]
            def f(x):
                global count
                count += 1
                held.append(count)
                print("call", count)
                return x + count
            return f
        def observe(fn): return count * 2
        """,
        state_before=True,
    )
    assert len(trace.calls) == 3
    first = trace.calls[0]
    assert part(first.before.sections["globals"], ".count").text == "0"
    assert part(first.after.sections["globals"], ".count").text == "1"
    assert first.after.sections["observed"].text == "2"
    assert stdouts(trace) == ["'call 1\\n'", "'call 2\\n'", "'call 3\\n'"]
    out = first.after.sections["out"].tensor
    assert out is not None and out.shape == (2,)
    assert part(first.after.sections["modes"], ".grad").text == "True"


def test_arguments_results_and_exceptions_are_gone_before_the_next_call() -> None:
    trace = run_of(
        WEAK
        + """
    def make():
        def f(x, fails):
            box = Box()
            refs.append(weakref.ref(box))
            refs.append(weakref.ref(x))
            if fails: raise ValueError(box)
            return box
        return f
    def calls(fn):
        for fails in (True, False, True):
            yield (torch.ones(2), fails)
            print(alive())
        """
    )
    assert stdouts(trace)[1:] == ["'[False, False]\\n'", "'[False, False, False, False]\\n'"]


def test_arguments_are_gone_although_the_program_keeps_the_exception() -> None:
    trace = run_of(
        WEAK
        + """
    kept = []
    def fail(): raise ValueError
    def make():
        def f(x):
            refs.append(weakref.ref(x))
            del x
            try: fail()
            except ValueError as error: kept.append(error)
        return f
    def calls(fn):
        for _ in range(2):
            yield (torch.ones(2),)
            print(alive())
        """
    )
    assert stdouts(trace)[1] == "'[False]\\n'"


def test_cycles_die_when_the_program_says_so_and_not_before() -> None:
    trace = run_of(
        """
        import gc
        class Loop:
            def __init__(self): self.me = self
            def __del__(self): print("gone")
        def make():
            def f(x):
                Loop()
                list([] for _ in range(5000))
                if x.sum() > 2: gc.collect()
            return f
        def calls(fn):
            yield (torch.ones(2),)
            yield (torch.ones(2) * 2,)
            yield (torch.ones(2),)
        """
    )
    assert stdouts(trace) == ["''", "'gone\\ngone\\n'", "''"]


def test_garbage_of_one_program_does_not_print_into_the_next() -> None:
    source = """
        class Loop:
            def __init__(self): self.me = self
            def __del__(self): print("gone")
        def make(): return lambda x: Loop()
        """
    run_of(source)
    gc.collect()
    assert stdouts(run_of(source)) == ["''", "''", "''"]


def test_collection_is_as_it_was_afterwards() -> None:
    assert gc.isenabled()
    run_of("def make(): return lambda x: x")
    assert gc.isenabled()


@pytest.mark.parametrize("where", ["sys.stdout = io.StringIO()", "sys.stdout.close()", "pass"])
def test_programs_that_replace_or_close_stdout(where: str) -> None:
    before = sys.stdout
    trace = run_of(
        f"""
        import io, sys
        def make():
            def f(x):
                print("seen")
                {where}
            return f
        """
    )
    assert sys.stdout is before
    assert stdouts(trace)[0] == "'seen\\n'"
    assert stdouts(trace)[1] == ("''" if "StringIO" in where else "'seen\\n'")


def test_output_between_calls_goes_to_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    run_of("print('import')\ndef make():\n    print('make')\n    return lambda x: x")
    assert capsys.readouterr().out == ""


LEAVES = {
    "default dtype": "torch.set_default_dtype(torch.float64)",
    "default device": "torch.set_default_device('meta')",
    "grad mode": "torch.set_grad_enabled(False)",
    "inference mode": "kept.append(torch.inference_mode()); kept[0].__enter__()",
    "function mode": "Mode().__enter__()",
    "dispatch mode": "Dispatch().__enter__()",
    "deterministic": "torch.use_deterministic_algorithms(True)",
    "autocast": "torch.autocast('cpu').__enter__()",
    "autocast dtype": "torch.autocast('cpu', torch.float16).__enter__()",
    "saved hooks": "torch._C._autograd._push_saved_tensors_default_hooks(print, print)",
    "threads": "torch.set_num_threads(torch.get_num_threads() + 1)",
    "precision": "torch.set_float32_matmul_precision('medium')",
    "environment": "os.environ['LEFT_HERE'] = 'x'",
    "random": "random.seed(5); torch.manual_seed(5)",
    "warnings": "warnings.simplefilter('error')",
    "recursion limit": "sys.setrecursionlimit(5000)",
    "module": "sys.modules['left_here'] = types.ModuleType('left_here')",
    "module replaced": "sys.modules['random'] = types.ModuleType('random')",
    "config": "torch._dynamo.config.capture_scalar_outputs = True",
}


@pytest.mark.parametrize("name", LEAVES)
def test_a_program_finds_the_process_as_every_program_does(name: str) -> None:
    def found() -> tuple[object, ...]:
        return (
            torch.get_default_dtype(),
            torch.empty(1).device,
            torch.is_grad_enabled(),
            torch.is_inference_mode_enabled(),
            torch._C._len_torch_function_stack(),
            torch._C._len_torch_dispatch_stack(),
            torch.are_deterministic_algorithms_enabled(),
            torch.ones(2, 2).mm(torch.ones(2, 2)).dtype,
            autocast_dtype(),
            has_saved_hooks(),
            torch.get_num_threads(),
            torch.get_float32_matmul_precision(),
            dict(os.environ),
            sys.getrecursionlimit(),
            list(warnings.filters),
            sys.modules.get("left_here"),
            sys.modules["random"] is random,
            torch._dynamo.config.capture_scalar_outputs,
            CASE_MODULE in sys.modules,
        )

    first = run_of("import random\ndef make(): return lambda x: (random.random(), torch.rand(1))")
    before = found()
    run_of(
        f"""
        import os, random, sys, types, warnings
        from torch.overrides import TorchFunctionMode as Base
        from torch.utils._python_dispatch import TorchDispatchMode
        import torch._dynamo
        kept = []
        class Mode(Base):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {{}}))
        class Dispatch(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {{}}))
        def make():
            def f(x):
                {LEAVES[name]}
            return f
        def calls(fn):
            yield (torch.ones(2),)
        """
    )
    assert found() == before
    again = run_of("import random\ndef make(): return lambda x: (random.random(), torch.rand(1))")
    assert first.calls[0].after.sections["out"].parts[0][1].text == (
        again.calls[0].after.sections["out"].parts[0][1].text
    )


@pytest.mark.parametrize("ends", ["raise ValueError('x')", "raise SystemExit(3)"])
def test_calls_that_fail_midway_end_the_run(ends: str) -> None:
    trace = run_of(
        f"def make(): return abs\ndef calls(fn):\n    yield (1,)\n    yield (2,)\n    {ends}\n"
    )
    assert len(trace.calls) == 2
    assert trace.calls_raised in ("ValueError: x", "SystemExit: 3")


def test_calls_that_fail_before_the_first_are_no_case() -> None:
    with pytest.raises(InvalidCase, match="fails before the first call: ValueError: x") as raised:
        run_of("def make(): return abs\ndef calls(fn):\n    raise ValueError('x')\n    yield\n")
    assert raised.value.line == 4


def test_no_calls_are_no_case() -> None:
    with pytest.raises(InvalidCase, match="yields nothing"):
        run_of("def make(): return abs\ndef calls(fn):\n    return\n    yield\n")


def test_an_observe_that_raises_is_part_of_the_observation() -> None:
    trace = run_of("def make(): return lambda x: x\ndef observe(fn): raise KeyError('k')")
    observed = trace.calls[0].after.sections["observed"]
    assert (observed.kind, observed.parts[0][1].kind) == ("raised", "KeyError")


def test_exits_and_interrupts_of_a_call() -> None:
    trace = run_of("def make():\n    def f(x): raise SystemExit(4)\n    return f")
    assert trace.calls[2].after.sections["exc"].kind == "SystemExit"
    with pytest.raises(KeyboardInterrupt):
        run_of("def make():\n    def f(x): raise KeyboardInterrupt\n    return f")


def test_last_call_ends_the_run() -> None:
    case = case_of("def make(): return lambda x: x")
    assert len(run(case, EagerSubject(), last_call=1).calls) == 2


def test_watching_tells_what_the_frames_held() -> None:
    case = case_of(
        """
        import itertools
        def make():
            count = itertools.count()
            class Names(dict):
                def __getitem__(self, name): return print(name)
                def items(self): return print("asked")
            class Meta(type):
                def __prepare__(*_): return Names()
            def f(which):
                if which == "class":
                    class Made(metaclass=Meta): pass
                if which == "local": value = next(count)
                if which == "item": value = [next(count), 10 ** 9000, "\\ud800", b""]
                if which == "returned": return (lambda: next(count))() * 0
            return f
        def calls(fn):
            for which in ("class", "local", "item", "returned"):
                yield (which,)
                yield (which,)
        """
    )
    watched = WatchedEager()
    trace = run(case, watched)
    assert stdouts(trace) == stdouts(run(case, EagerSubject()))
    before, after = watched.seen[::2], watched.seen[1::2]
    assert [one == other for one, other in zip(before, after, strict=True)] == [
        True,
        False,
        False,
        False,
    ]
    assert sys.gettrace() is None
