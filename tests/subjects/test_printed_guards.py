"""Printed guard conditions, read in plain Python and without the program's code."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from framefuzz.subjects.printed_guards import TYPE_OF, evaluate


def function(x: int, y: int = 2) -> int:
    return x + y


FUNCTION_ID = id(function)
INT_ID = id(int)
LOCALS: dict[str, Any] = {
    "n": 3,
    "neg": -1,
    "f": 2.5,
    "nan": float("nan"),
    "t": True,
    "s": "abc",
    "none": None,
    "list": [1, [2, 3]],
    "tuple": (1, 2),
    "d": {"k": 1, 2: "two"},
    "empty": [],
    "x": torch.ones(2),
    "fn": function,
    "dtype": torch.float32,
}

# Condition: what it is, None where it is not interpreted.
CONDITIONS: list[tuple[str, bool | None]] = [
    ("L['n'] == 3", True),
    ("L['n'] == 4", False),
    ("L['n'] != 4", True),
    ("L['neg'] == -1", True),
    ("L['neg'] == 1", False),
    ("L['f'] == 2.5", True),
    ("L['nan'] == L['nan']", False),
    ("L['s'] == 'abc'", True),
    ("L['s'] == b'abc'", False),
    ("L['none'] is None", True),
    ("L['none'] is not None", False),
    ("L['n'] is None", False),
    ("2 <= L['n']", True),
    ("2 <= L['n'] < 3", False),
    ("2 <= L['n'] <= 3 < 9", True),
    ("L['n'] + 1 == 4", True),
    ("L['n'] * 2 - 1 == 5", True),
    ("L['n'] // 2 == 1", True),
    ("L['n'] % 2 == 1", True),
    ("not L['t']", False),
    ("not L['empty']", True),
    ("L['n'] == 3 and L['f'] == 2.5", True),
    ("L['n'] == 4 or L['f'] == 2.5", True),
    ("L['n'] == 4 or L['n'] == 5", False),
    # The rest is not looked at: there is no third item.
    ("len(L['tuple']) == 3 and L['tuple'][2] == 1", False),
    ("len(L['list']) == 2", True),
    ("len(L['d']) == 3", False),
    ("len(L['s']) == 3", True),
    ("L['list'][1][0] == 2", True),
    ("L['list'][1][1] == 2", False),
    ("L['d']['k'] == 1", True),
    ("L['d'][2] == 'two'", True),
    ("L['list'] is L['list']", True),
    ("L['list'] is L['tuple']", False),
    ("L['fn'].__defaults__[0] == 2", True),
    (f"___check_type_id(L['n'], {INT_ID})", True),
    (f"___check_type_id(L['t'], {INT_ID})", False),
    (f"___check_type_id(L['n'], {INT_ID}), type=<class 'int'>", True),
    (f"___check_obj_id(L['fn'], {FUNCTION_ID})", True),
    (f"___check_obj_id(L['n'], {FUNCTION_ID})", False),
    ("G['k'] == 5", True),
    ("G['k'] == 6", False),
    ("___check_global_state()", True),
    ("utils_device.CURRENT_DEVICE == None", True),
    # Not known here, or without an answer.
    ("L['missing'] == 1", None),
    ("L['d']['missing'] == 1", None),
    ("L['list'][9] == 1", None),
    ("check_tensor(L['x'], Tensor)", None),
    ("hasattr(L['x'], '_dynamo_dynamic_indices') == False", None),
    ("L['x'].size()[0] == 2", None),
    ("L['x'] == 1", None),
    ("L['x']", None),
    ("not L['x']", None),
    ("L['n'] in [1, 2]", None),
    ("L['n'] % 0 == 1", None),
    ("L['n'] // 0 == 1", None),
    ("L['s'] < 3", None),
    ("L['s'] + 1 == 3", None),
    ("L['s'] * 99999999999 == ''", None),
    ("-L['s'] == 1", None),
    ("len() == 1", None),
    ("len(L['n']) == 1", None),
    ("L['n'] == torch.float32", None),
    ("L['fn'].__dict__['a'] == 1", None),
    ("this is no Python", None),
    ("", None),
]


# Numbered: the texts hold addresses, and tests have to be called the same in each process.
@pytest.mark.parametrize(("condition", "expected"), CONDITIONS, ids=range(len(CONDITIONS)))
def test_one_condition(condition: str, expected: bool | None) -> None:
    scope = {"G": {"k": 5}}
    helpers = {"___check_global_state": lambda: True}
    verdict, failed = evaluate([condition], LOCALS, scope, helpers)
    assert verdict is expected
    assert failed == (condition if expected is False else "")


def test_a_conjunction() -> None:
    true, false, unknown = "L['n'] == 3", "L['n'] == 4", "mystery(L['n'])"
    assert evaluate([true, true], LOCALS, None, None) == (True, "")
    assert evaluate([true, unknown], LOCALS, None, None) == (None, "")
    assert evaluate([unknown, false, true], LOCALS, None, None) == (False, false)
    assert evaluate([], LOCALS, None, None) == (True, "")


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("L['v'] == 1", True),
        ("L['v'] == 1", 1.0),
        ("L['v'] == True", 1),
        ("L['v'] == -1", -1.0),
        ("L['v'] == 0.0", 0),
    ],
)
def test_printed_equality_checks_the_type_too(condition: str, value: Any) -> None:
    assert evaluate([condition], {"v": value}, None, None) == (False, TYPE_OF + condition)
    # One that is false as it is printed comes first.
    assert evaluate([condition, "L['v'] == 7"], {"v": value}, None, None)[1] == "L['v'] == 7"
    # Between two values of the program's nothing is said of types.
    assert evaluate(["L['v'] == L['w']"], {"v": 1, "w": True}, None, None) == (True, "")


def test_never_runs_the_programs_code() -> None:
    ran: list[str] = []

    class Meta(type):
        __eq__ = __hash__ = lambda *_: ran.append("metaclass")  # type: ignore[assignment]

    class Loud(metaclass=Meta):
        def __getattribute__(self, name: str) -> Any:
            ran.append(name)
            return lambda *_: 1

        def __eq__(self, other: object) -> bool:
            ran.append("eq")
            return True

        __bool__ = __len__ = __lt__ = __add__ = __neg__ = __getitem__ = __eq__  # type: ignore
        __hash__ = lambda self: 1  # noqa: E731

    loud = Loud()
    ran.clear()
    names = {"x": loud, "d": {loud: 1}, "l": [loud]}
    for condition in (
        "L['x']",
        "not L['x']",
        "L['x'] and L['x']",
        "L['x'] == 1",
        "1 == L['x']",
        "L['x'] < 1",
        "L['x'] + 1 == 2",
        "-L['x'] == 1",
        "L['x'][0] == 1",
        "L['x'].a == 1",
        "L['x'].__code__ == 1",
        "L['x'].cell_contents == 1",
        "L['d'][1] == 1",
        "L['d'][L['x']] == 1",
        "L['l'][L['x']] == 1",
        "len(L['x']) == 1",
        "L['x'] is None",
        "type(L['x']) == 1",
        "___check_type_id(L['x'], 3)",
    ):
        evaluate([condition], names, None, None)
    assert ran == []
