import re

import pytest

from framefuzz.trace import Divergence
from framefuzz.triage.signature import (
    LONGEST,
    exception_of,
    lead_of,
    path_shape,
    sign,
    signature_of,
    type_of,
)


def behaviour(path="cells(count)", eager="3", subject="2", kind="value", **more):
    return Divergence("behaviour", more.pop("call", 1), path, eager, subject, kind, **more)


def test_reads_as_what_it_is():
    assert re.fullmatch(r"behaviour-cells-value-int-[0-9a-f]{6}", signature_of(behaviour()))


@pytest.mark.parametrize(
    "path, shape",
    [
        ("out", "out"),
        ("out[0][12]", "out[]"),
        ("cells(count)", "cells(*)"),
        ("cells(f)(g)['a]b'].x.y", "cells(*)['']."),
        ("out.grad", "out.grad"),
        ("out.__closure__[0]", "out.__closure__[]"),
        ("args[0]{3}", "args[]{*}"),
        ("args[0]()key 3", "args[]()key *"),
        ("out[True]", "out['']"),
        ("", ""),
    ],
)
def test_path_shape(path, shape):
    assert path_shape(path) == shape


@pytest.mark.parametrize(
    "other",
    [
        behaviour(path="cells(total)"),
        behaviour(eager="30", subject="-7"),
        behaviour(call=4),
        behaviour(note="another"),
    ],
)
def test_names_values_calls_and_notes_make_no_new_bug(other):
    assert signature_of(other) == signature_of(behaviour())


@pytest.mark.parametrize(
    "other",
    [
        behaviour(path="out"),
        behaviour(path="cells(count)[0]"),
        behaviour(subject="2.0"),
        behaviour(kind="type"),
        behaviour(facts=("after a recompile",)),
    ],
)
def test_another_section_type_kind_or_fact_is_another_bug(other):
    assert signature_of(other) != signature_of(behaviour())


def test_exceptions_are_told_apart_by_type_and_normalized_message():
    def raised(text):
        return signature_of(behaviour("exc", "nothing", text, "missing"))

    one = raised("InternalTorchDynamoError: AttributeError: 'Foo' object has no attribute 'x'")
    assert one == raised(
        "torch._dynamo.exc.InternalTorchDynamoError: AttributeError: "
        "'Bar' object has no attribute 'yy'\n\nfrom user code:\n  File 'a.py', line 3"
    )
    assert one != raised("InternalTorchDynamoError: KeyError: 'x'")
    assert one != raised("AttributeError: 'Foo' object has no attribute 'x'")
    assert exception_of("ValueError") == "ValueError: "
    assert exception_of("ValueError([0]='it\\'s 3')") == "ValueError: it's #"
    assert exception_of("nothing") == "nothing"


@pytest.mark.parametrize(
    "text, name",
    [
        ("True", "bool"),
        ("None", "NoneType"),
        ("-3", "int"),
        ("3.0", "float"),
        ("-1e+20", "float"),
        ("nan", "float"),
        ("(1+2j)", "complex"),
        ("-2j", "complex"),
        ("'3'", "str"),
        ("b'3'", "bytes"),
        ("[1, 2]", "list"),
        ("(1, 2)", "tuple"),
        ("{1, 2}", "set"),
        ("{'a': 2}", "dict"),
        ("{}", "dict"),
        ("nothing", "nothing"),
        ("<object 3 again>", "ref"),
        ("tensor([1.0], float32 [1])", "tensor"),
        ("OrderedDict(['a']=1)", "OrderedDict"),
        ("list_iterator(state 0=[1])", "list_iterator"),
        ("Plain(a=1)", "object"),
    ],
)
def test_type_of_a_shown_value(text, name):
    assert type_of(text) == name


def test_one_event_seen_by_several_oracles_has_the_signature_of_the_most_specific():
    wrong = behaviour()
    guard = Divergence("guards", 1, "cells(count)", "3", "2", "accepted wrongly")
    order = Divergence("order", 1, "", "a b", "b a", "free variables")
    later = behaviour(call=2)
    leads = sign([wrong, guard, order, later])
    assert leads == [guard, order, later]
    assert wrong.signature == guard.signature == signature_of(guard)
    assert order.signature == signature_of(order)
    assert later.signature == signature_of(later) != wrong.signature
    assert lead_of([wrong, guard]) is guard


def test_of_several_needless_recompiles_in_one_call_the_most_telling_leads():
    steady = Divergence("recompile", 3, "", "", "1 code", "after STEADY", ("EQUALS_MATCH",))
    same = Divergence("recompile", 3, "", "", "1 code", "same state", ("EQUALS_MATCH",))
    assert sign([steady, same]) == [same]
    assert steady.signature == same.signature


def test_two_order_divergences_of_one_kind_are_one_bug():
    one = Divergence("order", 0, "", "a b", "b a", "free variables")
    two = Divergence("order", 2, "", "c d", "d c", "free variables")
    assert len(sign([one, two])) == 2
    assert one.signature == two.signature


def test_where_a_wrong_guard_shows_is_no_part_of_it_unless_nothing_else_is_known():
    def accepted(path, eager, subject, *facts):
        return signature_of(
            Divergence("guards", 1, path, eager, subject, "accepted wrongly", facts)
        )

    known = accepted("out", "3", "2", "CONSTANT_MATCH", "type of an item")
    assert known == accepted("cells(a)", "3.0", "2", "CONSTANT_MATCH", "type of an item")
    assert known != accepted("out", "3", "2", "EQUALS_MATCH", "type of an item")
    assert accepted("out", "3", "2") != accepted("cells(a)", "3", "2")


def test_serves_as_the_name_of_a_folder():
    wild = behaviour(
        "out['../../etc']",
        "class/../x y",
        "Ünïcode::<T>",
        "a kind / with * all\nsorts",
        facts=("f",),
    )
    long = behaviour(kind="word " * 50, subject="x" * 500)
    for divergence in (wild, long):
        assert re.fullmatch(r"[a-z0-9-]+", signature_of(divergence))
        assert len(signature_of(divergence)) <= LONGEST


def test_is_the_same_in_every_version_of_python_and_every_process():
    # A change here gives every known bug a new name: it must be meant.
    assert signature_of(behaviour()) == "behaviour-cells-value-int-77b127"
