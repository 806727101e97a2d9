import pytest

from framefuzz.triage.normalize import LONGEST, RULES, normalize

EXAMPLES = {
    "from user code": (
        "boom\n\nfrom user code:\n   File x.py line 3\n    return x\n\nSet TORCHDYNAMO_VERBOSE=1",
        "boom",
    ),
    "file path": ('in File "/tmp/a-b/case.py", line 12 and /x/y.py:7', "in <file> and <file>"),
    "qualified name": ("make.<locals>.step failed", "<function> failed"),
    "object": (
        "<function make.<locals>.f at 0x7f1> <__main__.Plain object at 0x7f2a>",
        "<function> <object>",
    ),
    "address": ("at 0xdeadBEEF", "at 0x"),
    "resume function": ("torch_dynamo_resume_in_step_at_31", "torch_dynamo_resume"),
    "guard source": ("L['x_3'].a['k'] == G[\"fn\"][0]", "L[*] == L[*]"),
    "quoted name": (
        "'Plain' object has no attribute 'zz', \"Tensor\" and 'method' have '__dict__'",
        "'*' object has no attribute '*', 'Tensor' and 'method' have '__dict__'",
    ),
    "called name": (
        "TypeError: step() takes 2 positional arguments",
        "TypeError: f() takes # positional arguments",
    ),
    "counter": ("__compiled_fn_12 ___stack0", "__compiled_fn_# ___stack#"),
    "symbol": ("Eq(s77, u0) and zf3", "Eq(s#, u#) and zf#"),
    "number": ("3 + -2.5e-3 of int64 in 2x, signal 11", "# + # of int64 in 2x, signal 11"),
    "sequence": ("size [1, 2, 3] and (4,) and (5, 6)", "size [#] and (#) and (#)"),
    "white space": (" a\n\t b ", "a b"),
}


def test_every_rule_has_an_example():
    assert list(EXAMPLES) == [rule.name for rule in RULES]


@pytest.mark.parametrize("name", EXAMPLES)
def test_rule(name):
    text, expected = EXAMPLES[name]
    assert normalize(text) == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_without_the_rule_the_example_stays_different(name, monkeypatch):
    text, expected = EXAMPLES[name]
    left = tuple(rule for rule in RULES if rule.name != name)
    monkeypatch.setattr("framefuzz.triage.normalize.RULES", left)
    assert normalize(text) != expected


def test_normalizing_twice_changes_nothing():
    for text, expected in EXAMPLES.values():
        assert normalize(normalize(text)) == normalize(expected)


def test_length_is_bounded():
    assert len(normalize("word " * 1000)) <= LONGEST
