"""The code cache, the callback, verdicts, threads, and what bad input says."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import pytest
from native_support import at_entry, native

Source, Guard = native.Source, native.Guard
A = Source.local("a")

pytestmark = pytest.mark.usefixtures("hooked")


def numbered(count: int) -> Any:
    """A function, and `count` replacements of it that return their number."""

    def original(a: Any) -> Any:
        return "original"

    scope: dict[str, Any] = {}
    for i in range(count):
        exec(f"def r{i}(a):\n return {i}", scope)
    return original, [scope[f"r{i}"].__code__ for i in range(count)]


def outcomes(recorder: Any, code: Any) -> list[str]:
    return [verdict.outcome for verdict in recorder.verdicts if verdict.code is code]


def test_hit_moves_to_the_front() -> None:
    original, codes = numbered(3)
    entries = [
        native.install(original.__code__, code, [Guard.equals(A, i)])
        for i, code in enumerate(codes)
    ]
    assert native.entries(original.__code__) == entries[::-1]
    assert original(0) == 0
    assert native.entries(original.__code__) == [entries[0], entries[2], entries[1]]
    assert original(1) == 1
    assert native.entries(original.__code__) == [entries[1], entries[0], entries[2]]
    assert original(9) == "original"
    assert [entry.hits for entry in entries] == [1, 1, 0]


def test_limit_removes_what_has_not_hit_for_the_longest_time() -> None:
    assert native.set_cache_limit(2) == 64
    original, codes = numbered(3)
    first = native.install(original.__code__, codes[0], [Guard.equals(A, 0)])
    second = native.install(original.__code__, codes[1], [Guard.equals(A, 1)])
    assert original(0) == 0
    native.install(original.__code__, codes[2], [Guard.equals(A, 2)])
    assert first.alive and not second.alive and second.removed.startswith("evicted")
    assert (original(0), original(1), original(2)) == (0, "original", 2)


def test_removal() -> None:
    original, codes = numbered(2)
    entries = [native.install(original.__code__, code) for code in codes]
    assert original(0) == 1
    entries[1].remove()
    entries[1].remove()
    assert original(0) == 0 and entries[1].removed == "removed by hand"
    native.reset(original.__code__)
    assert original(0) == "original" and native.entries(original.__code__) == []
    native.install(original.__code__, codes[0])
    native.reset()
    assert original(0) == "original"


class Thing:
    pass


@pytest.mark.parametrize("how", ["identity", "type", "depends_on"])
def test_entry_goes_when_what_it_depends_on_dies(how: str) -> None:
    original, codes = numbered(1)
    thing: Any = Thing() if how != "type" else type("Gone", (), {})
    if how == "depends_on":
        entry = native.install(original.__code__, codes[0], (), [thing])
    else:
        guard = Guard.type if how == "type" else Guard.identity
        entry = native.install(original.__code__, codes[0], [guard(A, thing)])
    alive = weakref.ref(thing)
    assert original(thing() if how == "type" else thing) == 0
    del thing
    gc.collect()
    assert alive() is None
    assert not entry.alive and entry.removed == "an object it depends on died"
    assert native.entries(original.__code__) == []


def test_entries_die_with_their_code() -> None:
    scope: dict[str, Any] = {}
    exec("def original(a):\n return 1\ndef compiled(a):\n return 2", scope)
    sentinel = Thing()
    gone = weakref.ref(sentinel)

    def predicate(value: Any, kept: Any = sentinel) -> bool:
        return True

    guards = [Guard.predicate(A, predicate)]
    entry = native.install(scope["original"].__code__, scope["compiled"].__code__, guards)
    assert scope["original"](1) == 2
    del predicate, sentinel, guards
    gc.collect()
    assert gone() is not None
    scope.clear()
    gc.collect()
    assert not entry.alive and entry.removed == "its code object is gone"
    del entry
    gc.collect()
    assert gone() is None


def test_weak_reference_that_outlives_the_program() -> None:
    original, codes = numbered(1)
    thing = Thing()
    native.install(original.__code__, codes[0], [Guard.identity(A, thing)])
    references = weakref.getweakrefs(thing)
    native.reset()
    del original
    gc.collect()
    del thing
    gc.collect()
    assert [reference() for reference in references] == [None]


def test_callback_compiles_what_it_is_offered() -> None:
    original, codes = numbered(2)
    offered = []

    def callback(frame: Any) -> None:
        if frame.code is original.__code__:
            offered.append(frame.local("a"))
            if frame.local("a") < 2:
                a = frame.local("a")
                native.install(frame.code, codes[a], [Guard.equals(A, a)])

    with native.Recorder() as recorder:
        assert native.set_callback(callback) is None
        results = [original(a) for a in (0, 0, 1, 0, 2)]
        assert native.set_callback(None) is callback
    assert results == [0, 0, 1, 0, "original"] and offered == [0, 1, 2]
    assert outcomes(recorder, original.__code__) == ["compiled", "hit", "compiled", "hit", "miss"]


def test_callbacks_own_frames_are_not_offered() -> None:
    original, _ = numbered(0)
    offered = []

    def helper() -> None:
        pass

    def callback(frame: Any) -> None:
        offered.append(frame.code.co_name)
        helper()

    native.set_callback(callback)
    original(0)
    native.set_callback(None)
    assert offered == ["original"]


def test_callback_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    original, _ = numbered(0)
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: told.append(args.exc_value))

    def callback(frame: Any) -> None:
        if frame.code is original.__code__:
            raise ValueError("no compiler today")

    with native.Recorder() as recorder:
        native.set_callback(callback)
        assert original(0) == "original"
        native.set_callback(None)
    assert [str(error) for error in told] == ["no compiler today"]
    (verdict,) = (v for v in recorder.verdicts if v.code is original.__code__)
    assert verdict.outcome == "skipped"
    assert verdict.reason == "the callback raised ValueError: no compiler today"


def test_skip_and_reset() -> None:
    original, _ = numbered(0)
    offered = []
    native.set_callback(lambda frame: offered.append(frame.code))
    native.skip(original.__code__, "too dull")
    with native.Recorder() as recorder:
        original(0)
    assert original.__code__ not in offered
    (verdict,) = (v for v in recorder.verdicts if v.code is original.__code__)
    assert (verdict.outcome, verdict.reason) == ("skipped", "too dull")
    native.reset(original.__code__)
    original(0)
    native.set_callback(None)
    assert original.__code__ in offered


def test_verdicts_say_why() -> None:
    original, codes = numbered(2)
    one = native.install(original.__code__, codes[1], [Guard.equals(A, 1)])
    zero = native.install(original.__code__, codes[0], [Guard.type(A, int), Guard.equals(A, 0)])
    with native.Recorder() as recorder:
        original(1)
        original("s")
        original(1)
    mine = [verdict for verdict in recorder.verdicts if verdict.code is original.__code__]
    assert [verdict.outcome for verdict in mine] == ["hit", "miss", "hit"]
    assert mine[0].entry is one and mine[1].entry is None
    ((entry, failure),) = mine[0].failures
    assert entry is zero and str(failure) == "a: expected 0, got 1"
    assert [str(failure) for _, failure in mine[1].failures] == [
        "a: expected 1, got 's'",
        "a: expected type <class 'int'>, got type <class 'str'>",
    ]
    assert mine[2].failures == []


def test_no_entry_is_a_verdict() -> None:
    original, _ = numbered(0)
    with native.Recorder() as recorder:
        original(0)
    assert outcomes(recorder, original.__code__) == ["no entry"]
    recorder.clear()
    assert recorder.verdicts == []


def test_recorders_are_one_a_thread() -> None:
    original, codes = numbered(1)
    native.install(original.__code__, codes[0])
    counts = {}

    def work(name: str, calls: int) -> None:
        with native.Recorder() as recorder:
            for _ in range(calls):
                original(0)
        counts[name] = outcomes(recorder, original.__code__).count("hit")

    threads = [threading.Thread(target=work, args=(str(n), n)) for n in (10, 20, 30)]
    with native.Recorder() as recorder:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with pytest.raises(RuntimeError, match="stop that first"):
            native.Recorder().start()
    assert counts == {"10": 10, "20": 20, "30": 30}
    assert original.__code__ not in [verdict.code for verdict in recorder.verdicts]
    with pytest.raises(RuntimeError, match="not on"):
        recorder.stop()


def test_callbacks_are_one_a_thread() -> None:
    original, _ = numbered(0)
    offered: dict[str, int] = {"main": 0, "other": 0}

    def counting(name: str) -> Any:
        def callback(frame: Any) -> None:
            offered[name] += frame.code is original.__code__

        return callback

    def work() -> None:
        native.set_callback(counting("other"))
        original(0)
        original(0)

    native.set_callback(counting("main"))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    original(0)
    native.set_callback(None)
    assert offered == {"main": 1, "other": 2}


def test_thread_that_ends_with_a_recorder_on() -> None:
    started = native.Recorder()
    thread = threading.Thread(target=started.start)
    thread.start()
    thread.join()
    gone = sys.getrefcount(started)
    with native.Recorder():
        pass
    assert gone <= 3


def bad(replacement: Any, message: str, guards: Any = ()) -> None:
    free = 1

    def original(a, b=1, *, k=2):
        return free

    with pytest.raises(ValueError, match=message):
        native.install(original.__code__, replacement.__code__, guards)
    assert native.entries(original.__code__) == []
    assert original(0) == 1


def test_replacements_that_do_not_fit() -> None:
    free = other = 1
    bad(lambda a, *, k: free, "co_argcount 1, but the original has 2")
    bad(lambda a, b, /, *, k: free, "co_posonlyargcount 2")
    bad(lambda a, b: free, "co_kwonlyargcount 0")
    bad(lambda a, b, *c, k: free, "CO_VARARGS 1")
    bad(lambda a, b, *, k, **c: free, "CO_VARKEYWORDS 1")
    bad(lambda a, b, *, k: 1, r"co_freevars \(\), but the original has \('free',\)")
    bad(lambda a, b, *, k: other, r"co_freevars \('other',\)")
    bad(lambda a, b, *, k: (yield free), "generator")


def test_guards_that_do_not_fit() -> None:
    free = 1

    def fits(a, b, *, k):
        return free

    bad(fits, r"no variable 'zz'; use Source\.global_\('zz'\)", [Guard.present(Source.local("zz"))])
    bad(fits, r"use Source\.free\('free'\)", [Guard.present(Source.local("free"))])
    bad(fits, r"use Source\.local\('a'\)", [Guard.present(Source.free("a"))])
    for make in (A.dict_key, A.closure, A.default):
        with pytest.raises(ValueError, match="out of range"):
            make(-1)
    for wrong in (1, None, b"a"):
        with pytest.raises(TypeError, match="must be a str"):
            Source.local(wrong)
        with pytest.raises(TypeError, match="must be a str"):
            A.attribute(wrong)
    with pytest.raises(ValueError, match="no object has the length -1"):
        Guard.length(A, -1)
    for make, message in (
        (lambda: Guard.type(A, 5), "needs a class"),
        (lambda: Guard.dict_keys(A, ["k"]), "as a tuple"),
        (lambda: Guard.predicate(A, 5), "callable"),
    ):
        with pytest.raises(TypeError, match=message):
            make()


def test_other_misuse() -> None:
    original, codes = numbered(1)
    with pytest.raises(TypeError, match="code object"):
        native.install(original, codes[0])
    with pytest.raises(TypeError, match="weak references"):
        native.install(original.__code__, codes[0], (), [5])
    with pytest.raises(TypeError, match="callable"):
        native.set_callback(5)
    with pytest.raises(ValueError, match="at least one"):
        native.set_cache_limit(0)
    with pytest.raises(ValueError, match="say why"):
        native.skip(original.__code__, "")


def test_an_entry_is_asked_about_a_frame() -> None:
    """Of its own code, or of code with the same variables; nothing runs and nothing is counted."""

    def original(a: Any) -> Any:
        return a

    def alike(a: Any) -> Any:
        return None

    def other(b: Any) -> Any:
        return None

    entry = native.install(original.__code__, alike.__code__, [Guard.equals(A, 1)])

    def look(frame: Any) -> Any:
        answers = []
        for design in (native.Design.FRAME, native.Design.DICT):
            failure = entry.explain(frame, design)
            answers.append((entry.check(frame, design), failure and str(failure)))
        return answers

    def refusal(frame: Any) -> str:
        with pytest.raises(ValueError) as raised:
            entry.check(frame)
        return str(raised.value)

    assert at_entry(alike, look, 1) == ([(True, None)] * 2, None)
    for function in (alike, original):
        assert at_entry(function, look, 2)[0] == [(False, "a: expected 1, got 2")] * 2
    assert entry.hits == 0
    assert "other variables" in at_entry(other, refusal, 1)[0]
    kept, _ = at_entry(alike, lambda frame: frame, 1)
    with pytest.raises(RuntimeError, match="has begun to run"):
        entry.check(kept)
    entry.remove()
    assert at_entry(alike, refusal, 1)[0] == "this entry was removed: removed by hand"
