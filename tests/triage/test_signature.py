import re

import pytest

from framefuzz.trace import Divergence
from framefuzz.triage.signature import (
    LONGEST,
    lead_of,
    message_of,
    path_shape,
    sign,
    signature_of,
    type_name,
)


def behaviour(path="cells(count)", eager="3", subject="2", kind="value", **more):
    more = {"call": 1, "facts": ("int", "int"), **more}
    return Divergence("behaviour", path=path, eager=eager, subject=subject, kind=kind, **more)


def test_reads_as_what_it_is():
    assert re.fullmatch(r"behaviour-cells-value-int-[0-9a-f]{6}", signature_of(behaviour()))


@pytest.mark.parametrize(
    "path, shape",
    [
        ("out", "out"),
        ("out[0][12]", "out[0]"),
        ("cells(count)", "cells<cell>"),
        ("cells(f)(g)['a]b'].x.y", "cells<cell>[''].x"),
        ("out.grad", "out.grad"),
        ("out.__closure__[3]", "out.__closure__[0]"),
        ("args[1]{3}", "args[0]{0}"),
        ("args[1]()key 3", "args[0]<referent>key 0"),
        ("out[True]", "out['']"),
        ("entry 3", "entry 3"),
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
        behaviour(facts=("int", "float")),
        behaviour(kind="type"),
        behaviour(facts=("int", "Plain")),
    ],
)
def test_another_section_type_kind_or_fact_is_another_bug(other):
    assert signature_of(other) != signature_of(behaviour())


def test_names_of_the_programs_own_classes_say_nothing():
    one, other = behaviour(facts=("int", "Plain")), behaviour(facts=("int", "Other"))
    assert signature_of(one) == signature_of(other)
    assert signature_of(one) != signature_of(behaviour(facts=("int", "OrderedDict")))
    assert type_name("list_iterator") == "list_iterator"


def test_exceptions_are_told_apart_by_type_and_normalized_message():
    def raised(text):
        facts = ("nothing", "object")
        return signature_of(behaviour("exc", "returned 3", text, "presence", facts=facts))

    one = raised("raised IndexError([0]=\"index 3 of 'a' is out of range\")")
    assert one == raised("raised IndexError([0]=\"index 4 of 'bb' is out of range\")")
    assert one == raised("raised IndexError([0]=\"index 4 of 'b' is out of range\\n\\nfrom user...")
    assert one != raised("raised IndexError([0]='pop from an empty list')")
    assert one != raised("raised KeyError([0]=\"index 3 of 'a' is out of range\")")


@pytest.mark.parametrize(
    "side, message",
    [
        ("returned tensor([3.0], float32 [1])", "returned"),
        ("raised ValueError([0]='it\\'s 3')", "ValueError: it's #"),
        ("raised ValueError", "ValueError: "),
        ("ValueError: 3 items", "ValueError: # items"),
        ("'3 items are'", "# items are"),
    ],
)
def test_message_of_a_side(side, message):
    assert message_of(side) == message


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
    one = Divergence("order", 0, "", "a b", "b a", "free variables", ("resume",))
    two = Divergence("order", 2, "", "c d", "d c", "free variables", ("resume",))
    assert len(sign([one, two])) == 2
    assert one.signature == two.signature


def test_where_a_wrong_guard_shows_is_no_part_of_it():
    def accepted(path, *facts):
        return signature_of(Divergence("guards", 1, path, "a", "b", "accepted wrongly", facts))

    assert accepted("cells(a)", "cells type") == accepted("cells(b)[0]", "cells type")
    assert accepted("cells(a)", "cells type") != accepted("cells(a)", "cells value")


def test_an_internal_error_is_named_for_the_function_that_failed():
    fact = "InternalTorchDynamoError in wrap_fx_proxy"
    failed = Divergence("survival", 0, "exc", "returned", "...", "internal error", (fact,))
    assert signature_of(failed).startswith("survival-internal-error-wrap-fx-proxy-")


def test_a_signal_is_told_from_another():
    def died(cause, kind):
        return signature_of(Divergence("survival", -1, "process", "", cause, kind, (cause,)))

    assert died("signal 11", "signal").startswith("survival-signal-signal-11-")
    assert died("signal 11", "signal") != died("signal 6", "signal")
    assert died("deadline 10 s", "hang") == died("deadline 20 s", "hang")


def test_without_facts_the_normalized_sides_tell():
    def inconsistent(guard):
        return signature_of(
            Divergence("inconsistent", 1, "entry 0", "accepts", f"refuses {guard}", "two checks")
        )

    assert inconsistent("L['a'] == 3") == inconsistent("L['b'] == 4")
    assert inconsistent("L['a'] == 3") != inconsistent("len(L['a']) == 3")


def test_serves_as_the_name_of_a_folder():
    wild = behaviour(
        "out['../../etc']",
        "class/../x y",
        "Ünïcode::<T>",
        "a kind / with * all\nsorts",
        facts=("f",),
    )
    long = behaviour(kind="word " * 50, facts=("x" * 500,))
    for divergence in (wild, long):
        assert re.fullmatch(r"[a-z0-9-]+", signature_of(divergence))
        assert len(signature_of(divergence)) <= LONGEST


def test_is_the_same_in_every_version_of_python_and_every_process():
    # A change here gives every known bug a new name: it must be meant.
    assert signature_of(behaviour()) == "behaviour-cells-value-int-54e13d"


def test_a_subject_begins_the_signature_and_changes_no_digit():
    alone, named = behaviour(), behaviour()
    sign([alone])
    sign([named], "framejit")
    assert named.signature == f"framejit-{alone.signature}"
    long = behaviour(kind="a kind of many words " * 4)
    sign([long], "framejit")
    assert len(long.signature) <= LONGEST
    assert long.signature.startswith("framejit-behaviour-")
