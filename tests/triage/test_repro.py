"""Scripts agree with the judge: they exit 1 where it objects, 0 where it does not.

The cases are the corpus's, so the tests hold with every torch: what diverges is asked, not known.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from framefuzz.case import Case, read_case
from framefuzz.subjects.dynamo import DynamoSubject
from framefuzz.subjects.protocol import InScript
from framefuzz.trace import Divergence
from framefuzz.triage import repro
from framefuzz.triage.confirm import SHOWN, Confirmation, Rate
from framefuzz.triage.finding import FindingRecord
from framefuzz.triage.repro import render
from framefuzz.triage.signature import lead_of

IN_SCRIPT = DynamoSubject.in_script
CORPUS = Path(__file__).parents[2] / "corpus"


class WarmTorch:
    """See warm_torch.py."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("warm_torch.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        )
        assert self._process.stdout.readline() == "ready\n"

    def ask(self, **request):
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def judge(self, case, backend="eager"):
        answer = self.ask(judge=[case.name, case.source, backend])
        assert answer["status"] == 0, answer["said"]
        judgement = json.loads(answer["said"].splitlines()[-1])
        return [Divergence(**{**d, "facts": tuple(d["facts"])}) for d in judgement["divergences"]]

    def run(self, script):
        answer = self.ask(run=str(script))
        return answer["status"], answer["said"]

    def end(self):
        self._process.communicate()


@pytest.fixture(scope="module")
def torch_process():
    process = WarmTorch()
    yield process
    process.end()


def record_of(case, divergences, backend="eager"):
    lead = lead_of(divergences)
    return FindingRecord(
        signature="x",
        status="pending",
        divergences=(lead, *(one for one in divergences if one is not lead)),
        subject="dynamo",
        backend=backend,
        case=case.name,
        title=case.title,
        index=0,
        seed=0,
        count=1,
        versions={"torch": "2", "python": "3"},
        found="",
    )


def script_of(tmp_path, case, *divergences, backend="eager"):
    path = tmp_path / "repro.py"
    path.write_text(render(case, record_of(case, divergences, backend), IN_SCRIPT))
    return path


def events(divergences):
    signatures = dict.fromkeys(one.signature for one in divergences)
    return [[one for one in divergences if one.signature == name] for name in signatures]


def assert_script_agrees_with_judge(torch_process, tmp_path, path):
    case = read_case(path)
    divergences = torch_process.judge(case)
    for members in events(divergences):
        status, said = torch_process.run(script_of(tmp_path, case, *members))
        assert status == 1, said
        assert said.rstrip().rpartition("\n")[2] == SHOWN
    return divergences


@pytest.mark.parametrize(
    "name",
    [
        "classes/instance_dict_order",  # the order of attributes
        "classes/finalizers",  # the type of an item in a list in a closure of a method
        "classes/dies_after_a_break",  # standard output
        "containers/deque_maxlen",  # an internal error
        "exceptions/read_only_attribute",  # an exception
        "guards/function_with_the_same_code",  # a missing guard
        "guards/slot_wrapper",
        "iterators/generator_kept_unfinished",  # a type that the program never made
        "iterators/unpacked_into_too_few",  # a tensor's elements
        "cells/list_and_dict_of_a_method",  # observe()
        "recompiles/string_as_a_key",  # after STEADY
        "order/rebuilt_closure",
    ],
)
def test_script_agrees_with_judge(torch_process, tmp_path, name):
    assert_script_agrees_with_judge(torch_process, tmp_path, CORPUS / f"{name}.py")


@pytest.mark.nightly
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*/*.py")), ids=lambda path: path.stem)
def test_every_script_agrees_with_judge(torch_process, tmp_path, path):
    assert_script_agrees_with_judge(torch_process, tmp_path, path)


RIGHT = '''\
"""Counts in a cell; right under every compiler."""
import torch

UNUSED = 3


def make():
    count = 0
    log = [1, {"k": (1.5, True)}]

    class Kept:
        def __init__(self):
            self.held = {1}

    def echo():
        return log

    kept = Kept()

    def step(x):
        nonlocal count
        (echo, Kept, kept, step)
        count += 1
        torch._dynamo.graph_break()
        log.append(count)
        print("step", count)
        if count == 3:
            raise ValueError(f"{count} is too much")
        return {"y": x * count}

    return step


def calls(fn):
    yield (torch.ones(2),)
    yield (torch.ones(2),)
    yield (torch.ones(3),)


def observe(fn):
    return fn.__code__.co_freevars
'''


@pytest.mark.parametrize(
    "divergence, shown",
    [
        (("behaviour", 1, "out['y']", "bits", ("tensor", "tensor")), "[2.0, 2.0]"),
        (("behaviour", 1, "out['y']", "shape", ("tensor", "tensor")), "(2,)"),
        (("behaviour", 1, "out['y']", "dtype", ("tensor", "tensor")), "torch.float32"),
        (("behaviour", 1, "out['y']", "stride", ("tensor", "tensor")), "(1,)"),
        (("behaviour", 1, "out['y']", "requires_grad", ("tensor", "tensor")), "False"),
        (
            ("behaviour", 1, "out['y']", "storage", ("tensor", "tensor")),
            "torch.float32, storage 3)",
        ),
        (("behaviour", 0, "out", "type", ("dict", "list")), "dict"),
        (("behaviour", 0, "out", "keys", ("dict", "dict")), "['y']"),
        (("behaviour", 1, "cells(count)", "value", ("int", "int")), "2"),
        (("behaviour", 1, "cells(log)[1]['k'][0]", "type", ("float", "int")), "1.5"),
        (("behaviour", 1, "cells(log)", "length", ("list", "list")), "4 items"),
        (
            ("behaviour", 1, "cells(log)[1]", "identity", ("dict", "ref")),
            "dict(tuple('k', tuple(1.5, True)))",
        ),
        (
            ("behaviour", 1, "args[0]", "identity", ("tensor", "ref")),
            "list(dict(tuple('y', tensor(",
        ),
        (("behaviour", 1, "stdout", "value", ("str", "str")), r"'step 1\nstep 2\n'"),
        (("behaviour", 1, "observed[0]", "value", ("str", "str")), "'Kept'"),
        (("behaviour", 1, "globals.UNUSED", "value", ("int", "int")), "3"),
        (("behaviour", 1, "modes.grad", "value", ("bool", "bool")), "True"),
        (("behaviour", 1, "modes.torch_rng", "value", ("str", "str")), ""),
        (("behaviour", 2, "exc", "presence", ("nothing", "ValueError")), "raised ValueError: 3 is"),
        (("behaviour", 2, "exc[0]", "value", ("str", "str")), "3 is too much"),
        (
            ("behaviour", 2, "exc", "type", ("RuntimeError", "ValueError")),
            "raised ValueError: 3 is",
        ),
        (("behaviour", 0, "cells(log)[1]", "value", ("dict", "dict")), "dict(tuple('k', "),
        (("behaviour", 0, "cells(echo)", "value", ("function", "function")), "echo', "),
        (("behaviour", 0, "cells(echo)", "identity", ("function", "ref")), "function(log=cell("),
        (("behaviour", 0, "out['y']", "value", ("tensor", "tensor")), "True, torch.strided"),
        (("behaviour", 0, "out['y']", "keys", ("tensor", "tensor")), "None"),
        (("behaviour", 0, "cells(Kept)", "order", ("type", "type")), "type(__module__='program'"),
        (("behaviour", 0, "cells(kept)", "keys", ("Kept", "Kept")), "['held']"),
        (("behaviour", 0, "cells(kept).held{0}", "type", ("int", "bool")), "set(1)"),
        (
            ("behaviour", 0, "cells(kept).__class__", "identity", ("type", "ref")),
            "Kept(held=set(1))",
        ),
        (("behaviour", 0, "cells(step).__globals__.UNUSED", "type", ("int", "bool")), "3"),
        (("behaviour", 2, "exc", "keys", ("ValueError", "ValueError")), "['ValueError', "),
        (("behaviour", 3, "calls", "value", ("calls", "calls")), "calls() ended after 3 calls"),
        (("survival", 0, "exc", "internal error", ("x",)), "returned"),
        (("guards", 1, "cells(count)", "accepted wrongly", ("x",)), "afresh just before call 1: 2"),
        (("order", 0, "step.co_freevars", "co_freevars unsorted", ()), ""),
        (("order", 0, "step.co_freevars", "co_freevars not kept", ()), ""),
        (("order", 0, "step.co_cellvars", "co_cellvars out of order", ()), ""),
        (("order", 0, "step.co_freevars", "MAKE_CELL unsorted", ()), ""),
        (("order", 0, "step: closure of f", "closure out of order", ()), ""),
        (("recompile", 2, "verdict", "limit", ()), "expected: no code object compiled 8 times"),
        (("inconsistent", 1, "entry 0", "fast and explaining check", ()), "cache entry 0: check_"),
        (
            ("inconsistent", 1, "entry 0", "printed refuses, check accepts", ()),
            "printed conditions",
        ),
        (("inconsistent", 1, "frame", "frame refused, dict accepted", ()), "accepts a dict"),
    ],
    ids=lambda value: " ".join(map(str, value[:4])) if isinstance(value, tuple) else "",
)
def test_where_nothing_diverges_a_script_says_so(torch_process, tmp_path, divergence, shown):
    oracle, call, path, kind, facts = divergence
    claimed = [Divergence(oracle, call, path, "a ...", "b ...", kind, facts)]
    if oracle == "guards":
        claimed.append(Divergence("behaviour", 1, path, "1", "2", "value", ("int", "int")))
    if oracle == "survival":
        claimed.append(Divergence("behaviour", 0, "exc", "1", "2", "presence", ("nothing", "E")))
    script = script_of(tmp_path, Case("right", RIGHT, "right.py"), *claimed)
    status, said = torch_process.run(script)
    assert (status, said.rstrip().rpartition("\n")[2]) == (0, "same"), said
    assert shown in said


def test_a_tolerance_of_an_inexact_backend_holds_in_the_script(torch_process, tmp_path):
    bits = Divergence("behaviour", 0, "out", "1", "2", "bits", ("tensor", "tensor"))
    source = """import torch
def make():
    # As rounding does: another last bit, the same to within the tolerance.
    return lambda x: x + 1e-7 * torch.compiler.is_compiling()
def calls(fn): yield (torch.ones(2),)
"""
    case = Case("close", source, "close.py")
    assert torch_process.run(script_of(tmp_path, case, bits))[0] == 1
    assert torch_process.run(script_of(tmp_path, case, bits, backend="aot_eager"))[0] == 0


DIES = '''\
"""Dies where it is compiled."""
import os
import torch


def make():
    def step(x):
        if torch.compiler.is_compiling():
            os.abort()
        return x + 1

    return step


def calls(fn):
    yield (torch.ones(2),)
'''


def test_a_death_by_signal_is_shown_and_confirmed_in_fresh_interpreters(tmp_path):
    died = Divergence("survival", -1, "process", "survived", "signal 6", "signal", ("signal 6",))
    script = script_of(tmp_path, Case("dies", DIES, "dies.py"), died)
    confirmation = Confirmation(script)
    while (rate := confirmation.poll()) is None:
        time.sleep(0.05)
    assert rate == Rate(1, 1), rate.said


def test_a_hang_is_given_up(torch_process, tmp_path, monkeypatch):
    monkeypatch.setattr(repro, "HANG", 1)  # less than importing torch takes
    hung = Divergence("survival", -1, "process", "survived", "deadline 10 s", "hang", ("x",))
    script = script_of(tmp_path, Case("dies", DIES.replace("os.abort()", "pass"), "d.py"), hung)
    status, said = torch_process.run(script)
    assert status == 1
    assert "compiled: exit status none, no end within 1 seconds" in said


def test_settings_and_keywords_of_the_case_hold(torch_process, tmp_path):
    source = """import torch
CONFIG = {"capture_scalar_outputs": True, "no_such_setting": 1}
KW = {"fullgraph": True}
def make():
    def step(x):
        torch._dynamo.graph_break()
        return x
    return step
def calls(fn): yield (torch.ones(2),)
"""
    case = Case("kw", source, "kw.py")
    raised = Divergence("behaviour", 0, "exc", "returned", "raised", "presence", ("nothing", "E"))
    status, said = torch_process.run(script_of(tmp_path, case, raised))
    assert status == 1
    assert "compiled: raised Unsupported: " in said
    without = Case("kw", source.replace("KW =", "OTHER ="), "kw.py")
    assert torch_process.run(script_of(tmp_path, without, raised))[0] == 0


def test_the_programs_own_code_does_not_run_for_a_description(torch_process, tmp_path):
    # Not compiled: the compiler itself may run it.
    source = """import torch
KW = {"disable": True}
class Touchy(list):
    __slots__ = ("inside",)
    def no(self, *args): raise SystemExit("touched")
    __getitem__ = __iter__ = __len__ = __repr__ = __eq__ = __hash__ = __bool__ = no
    def __getattr__(self, name): self.no()
def make():
    touchy = Touchy()
    list.append(touchy, 1)
    return lambda x: (x + 1, touchy)
def calls(fn): yield (torch.ones(2),)
"""
    case = Case("touchy", source, "touchy.py")
    for path, kind, facts in (
        ("cells(touchy)[0]", "value", ("int", "int")),
        ("out[1]", "type", ("Touchy", "list")),
        ("out[1]", "identity", ("Touchy", "ref")),
    ):
        wrong = Divergence("behaviour", 0, path, "Touchy(...", "...", kind, facts)
        status, said = torch_process.run(script_of(tmp_path, case, wrong))
        assert (status, said.rstrip().rpartition("\n")[2]) == (0, "same"), said


PROGRAM = '''\
"""Twenty lines, as the generator writes them."""
import torch


def make():
    count, scale = 0, 2.0
    seen = [1, 2]

    def step(x):
        nonlocal count
        count += 1
        with torch.no_grad():
            torch._dynamo.graph_break()
            y = x * scale
        seen.append(count)
        return y + count

    return step


def calls(fn):
    yield (torch.ones(3),)
    yield (torch.ones(3),)
    fn.__closure__[1].cell_contents = 3.0
    yield (torch.ones(3),)
'''


@pytest.mark.parametrize(
    "divergence",
    [
        Divergence("behaviour", 2, "cells(count)", "3", "2", "value", ("int", "int")),
        Divergence("behaviour", 2, "out", "tensor(...", "...", "bits", ("tensor", "tensor")),
        Divergence("recompile", 1, "verdict", "...", "...", "same state", ("==",)),
        Divergence("order", 1, "step.co_freevars", "...", "...", "co_freevars unsorted", ()),
    ],
    ids=lambda divergence: divergence.kind,
)
def test_short_enough_to_paste(divergence):
    case = Case("p", PROGRAM, "p.py")
    text = render(case, record_of(case, [divergence]), IN_SCRIPT)
    assert len(text.splitlines()) < 70
    assert max(map(len, text.splitlines())) <= 100
    assert not re.search(r"\n\n\n\n|[ \t]\n", text)
    assert PROGRAM.partition('"""\n')[2].strip() in text
    imported = re.findall(r"^ *import (.*)$", text, re.MULTILINE)
    assert set(", ".join(imported).split(", ")) <= {"torch"} | sys.stdlib_module_names


def test_sides_that_would_end_the_docstring():
    case = Case("p", PROGRAM.replace("Twenty", "Back\\\\slash"), "p.py")
    nasty = Divergence("behaviour", 0, "out", '"""\n\\', "\\x", "value", ("str", "str"))
    compile(render(case, record_of(case, [nasty]), IN_SCRIPT), "repro.py", "exec")


def test_a_subject_of_which_no_one_knows_how_it_compiles():
    case = Case("p", PROGRAM, "p.py")
    record = record_of(case, [Divergence("order", 0, "", "", "", "co_freevars unsorted", ())])
    with pytest.raises(ValueError, match="it is not known how a script uses other"):
        render(case, replace(record, subject="other"), None)


@pytest.mark.parametrize(
    "divergence, line",
    [
        (Divergence("behaviour", 2, "cells(count)", "3", "2", "value", ("int",)), ""),
        (
            Divergence("guards", 2, "cells(count)", "3", "2", "accepted wrongly", ("int",)),
            "jit.forget()",
        ),
        (Divergence("recompile", 1, "verdict", "", "", "same state"), "jit.cache.watch(lambda"),
        (Divergence("order", 1, "", "", "", "co_freevars unsorted"), "jit.cache.watch(look)"),
    ],
    ids=lambda value: getattr(value, "oracle", ""),
)
def test_another_compiler_says_how_a_script_uses_it(divergence, line):
    case = Case("p", PROGRAM, "p.py")
    seen = Divergence("behaviour", 2, "cells(count)", "3", "2", "value", ("int", "int"))
    members = [divergence] if divergence.oracle != "guards" else [divergence, seen]
    record = replace(record_of(case, members), subject="jit")
    text = render(case, record, InScript("jit.compile", "jit.forget", "jit.cache.watch"))
    assert 'called = jit.compile(fn, backend="eager") if compiled else fn' in text
    assert line in text
    assert "_dynamo" not in text.partition("__main__")[2]
    assert "jit" in re.findall(r"^    import (.*)$", text, re.MULTILINE)[0].split(", ")


@pytest.mark.parametrize("raised, excused", [("TorchRuntimeError", False), ("ValueError", True)])
def test_a_torch_runtime_error_is_excused_unless_the_program_raised_itself(raised, excused):
    facts = ("RuntimeError", raised)
    divergence = Divergence("behaviour", 0, "exc", "RuntimeError", raised, "type", facts)
    case = Case("p", PROGRAM, "p.py")
    text = render(case, record_of(case, [divergence]), IN_SCRIPT)
    assert ('compiled.startswith("raised TorchRuntimeError")' in text) is excused


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n\n"])
def test_no_warning_of_numpys(tmp_path, future):
    case = Case("p", f"{future}import torch\n\n{PROGRAM}", "p.py")
    seen = Divergence("behaviour", 0, "cells(count)", "3", "2", "value", ("int", "int"))
    script = script_of(tmp_path, case, seen)
    # A module that cannot be imported, whether or not NumPy is installed.
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError('numpy')")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=100)
    assert done.stdout.splitlines()[-1] == "same"
    assert done.stderr == ""
