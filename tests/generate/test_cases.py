"""Generated cases as a whole: valid, readable, and the same everywhere."""

from __future__ import annotations

import ast
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from eager_runs import numbers_in, run_eagerly, tensors_in

from framefuzz.case import Case, instantiate
from framefuzz.generate import case_for, generate, generated_for
from framefuzz.generate.chooser import BytesChooser

SEED = 11
CASES = [case_for(SEED, index) for index in range(300)]

DIGEST = """
import hashlib, sys
from framefuzz.generate import case_for
digest = hashlib.sha256()
for index in range(60):
    digest.update(case_for(5, index).source.encode())
assert "torch" not in sys.modules, "generating imported torch"
print(digest.hexdigest())
"""


def make_of(case: Case) -> ast.FunctionDef:
    functions = [n for n in ast.parse(case.source).body if isinstance(n, ast.FunctionDef)]
    return next(f for f in functions if f.name == "make")


def function_depth(node: ast.AST) -> int:
    """How many functions stand inside each other at the deepest place below a node."""
    below = max((function_depth(child) for child in ast.iter_child_nodes(node)), default=0)
    return below + isinstance(node, ast.FunctionDef)


@pytest.mark.parametrize("block", range(6))
def test_cases_run_under_eager_and_stay_finite_and_small(block: int) -> None:
    for case in CASES[block * 50 : block * 50 + 50]:
        results = run_eagerly(case)
        assert 3 <= len(results) <= 5, case.source
        for tensor in itertools.chain.from_iterable(map(tensors_in, results)):
            assert torch.isfinite(tensor).all(), case.source
        for number in itertools.chain.from_iterable(map(numbers_in, results)):
            assert abs(number) < 10**6, case.source


def test_a_case_does_the_same_twice() -> None:
    for case in CASES[:40]:
        assert repr(list(map(list, map(tensors_in, run_eagerly(case))))) == repr(
            list(map(list, map(tensors_in, run_eagerly(case))))
        )


def test_make_has_ten_to_twenty_lines_and_three_levels() -> None:
    for case in CASES:
        make = make_of(case)
        lines = case.source.splitlines()[make.lineno : make.end_lineno]
        assert 10 <= len([line for line in lines if line.strip()]) <= 20, case.source
        assert function_depth(make) <= 4, case.source


def test_names_are_declared_out_of_order() -> None:
    unsorted = 0
    several = 0
    for case in CASES:
        names = [
            target.id
            for statement in make_of(case).body
            if isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Call)
            for target in ast.walk(statement.targets[0])
            if isinstance(target, ast.Name)
        ]
        several += len(names) > 1
        unsorted += names != sorted(names)
    assert several > 200
    assert unsorted / several > 0.9


def test_first_line_says_what_is_exercised() -> None:
    titles = {case.title for case in CASES}
    assert all(title.endswith(".") and 10 < len(title) < 95 for title in titles)
    assert len(titles) > 200


def test_layout_is_what_the_formatter_makes(tmp_path: Path) -> None:
    for case in CASES[:150]:
        (tmp_path / f"{case.name}.py").write_text(case.source)
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--diff", "--isolated", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_changes_reach_the_cells_they_mean() -> None:
    """Every index into the closure is one of a free variable, and what is there changes."""
    reached = 0
    for case in CASES[:100]:
        program = instantiate(case)
        free = len(program.fn.__code__.co_freevars)
        for node in ast.walk(ast.parse(case.source)):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "fn.__closure__":
                assert isinstance(node.slice, ast.Constant)
                assert 0 <= node.slice.value < free
                reached += 1
    assert reached > 50


def test_some_calls_follow_one_another_unchanged() -> None:
    repeated = sum(
        any(a == b and "yield" in a for a, b in itertools.pairwise(case.source.splitlines()))
        for case in CASES
    )
    assert repeated > 100


def test_the_same_bytes_whatever_the_hash_seed_and_without_torch() -> None:
    digests = set()
    for hash_seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        digests.add(done.stdout)
    assert len(digests) == 1


def test_index_and_seed_both_matter() -> None:
    assert case_for(0, 1).source != case_for(1, 1).source != case_for(1, 0).source
    assert case_for(3, 42).name == "s3_p00042"
    assert case_for(3, 42).filename == "generated/s3_p00042.py"


def test_features_are_recorded_in_order_of_use() -> None:
    generated = generated_for(SEED, 0)
    assert generated.case == CASES[0]
    assert len(generated.features) == len(set(generated.features)) >= 2


def test_no_bytes_give_the_plainest_program() -> None:
    case = generate(BytesChooser(b""), "plain")
    assert "nonlocal" not in case.source
    assert "torch._dynamo.graph_break()" in case.source
    run_eagerly(case)


def test_bytes_drive_the_grammar() -> None:
    cases = {generate(BytesChooser(bytes([n] * 200)), "driven").source for n in range(1, 30)}
    assert len(cases) > 20
