import pytest

from framefuzz.trace import Divergence
from framefuzz.triage.shown import shown


@pytest.mark.parametrize(
    "path, kind, facts, sides, text",
    [
        ("cells(n)", "value", "int int", "1 2", 'repr(cell(fn, "n"))'),
        ("cells(f)(n)", "value", "int int", "1 2", 'repr(cell(cell(fn, "f"), "n"))'),
        ("out[0]['k']", "type", "int float", "1 1.0", "repr(out[0]['k'])"),
        ("out", "type", "dict list", "{} []", "repr(out)"),
        ("out", "type", "Own list", "Own() []", "type(out).__qualname__"),
        ("out", "bits", "tensor tensor", "t t", "str(out.tolist())"),
        ("args[0].grad", "shape", "tensor tensor", "t t", "str(tuple(args[0].grad.shape))"),
        ("cells(s)", "length", "set set", "{1} {2}", 'str(sorted(cell(fn, "s"), key=repr))'),
        ("cells(l)", "length", "list list", "[O()] []", "f'{len(cell(fn, \"l\"))} items'"),
        ("cells(d)", "keys", "OrderedDict OrderedDict", "O() O()", 'str(list(cell(fn, "d")))'),
        ("cells(o)", "keys", "Own Own", "Own(a=1) Own()", 'str(list(vars(cell(fn, "o"))))'),
        ("cells(o)", "keys", "Own Own", "Own(['a']=1) Own()", 'show(cell(fn, "o"), {})'),
        ("out{0}", "type", "int bool", "1 True", "show(out, {})"),
        ("out.x{0}", "type", "int bool", "1 True", "show(out.x, {})"),
        ("args[0]", "identity", "list ref", "[] x", "show([out, fn, args], {})"),
        ("modes.grad", "value", "bool bool", "True False", "repr(torch.is_grad_enabled())"),
        ("exc.__cause__[0]", "type", "int str", "1 'a'", "repr(out.__cause__.args[0])"),
        ("out.__globals__.a", "value", "int int", "1 2", 'repr(out.__globals__["a"])'),
    ],
)
def test_text(path, kind, facts, sides, text):
    eager, subject = sides.split()
    wrong = Divergence("behaviour", 0, path, eager, subject, kind, tuple(facts.split()))
    assert shown(wrong, "def make(): ...", ["a"]).text == text


def test_an_item_may_be_of_a_container_with_methods_of_its_own():
    wrong = Divergence("behaviour", 0, "out[0]", "1", "2", "value", ("int", "int"))
    view = shown(wrong, "class Own(list): ...", [])
    assert (view.text, view.helpers) == ("repr(item(out, 0))", {"item"})


def test_whether_a_call_raises_is_an_outcome():
    assert shown(Divergence("behaviour", 0, "exc", "", "", "presence"), "", []).raised
