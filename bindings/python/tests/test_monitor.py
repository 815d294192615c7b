# SPDX-License-Identifier: MIT OR Apache-2.0
"""Events that come one by one."""

import copy
import pickle
import random

import gnomon
import pyarrow
import pytest
from conftest import EXPLANATIONS, PLACES, same, without


def test_violations_come_when_they_are_certain(spec: gnomon.Spec) -> None:
    monitor = gnomon.Monitor(spec)
    assert monitor.step("ask", 1, x="ann") == 0 and monitor.next_deadline == "4"
    assert monitor.take_violations() == []
    monitor.advance(4)
    assert monitor.take_violations() == []
    monitor.advance(4.5)
    (violation,) = monitor.take_violations()
    assert (violation.binding, violation.number, violation.grew) == ({"x": "ann"}, 1, False)
    assert monitor.take_violations() == [] and monitor.next_deadline is None
    monitor.step("alarm", 5)
    monitor.step("end", 6)
    assert [violation.property for violation in monitor] == ["calm"]
    assert (monitor.events, monitor.now) == (3, "6")
    assert [outcome.verdict for outcome in monitor.outcomes] == [gnomon.Verdict.VIOLATED] * 2


def test_a_monitor_ends_with_the_report_of_a_check(spec: gnomon.Spec, rows: list[dict[str, object]]) -> None:
    for by in (None, "x"):
        report = gnomon.check(spec, rows, by=by)
        monitor = gnomon.Monitor(spec, by=by)
        assert monitor.feed(rows) == len(rows)
        (judged,), (watched,) = report.to_dict()["traces"], monitor.finish().to_dict()["traces"]
        for part in ("verdict", "events", "properties", "first_time", "last_time"):
            assert without(judged[part], PLACES | EXPLANATIONS) == without(watched[part], PLACES | EXPLANATIONS), part
        with pytest.raises(RuntimeError, match="finished"):
            monitor.step("ask", 99)


def test_tables_are_fed(spec: gnomon.Spec, rows: list[dict[str, object]]) -> None:
    table = pyarrow.Table.from_pylist(rows)
    monitor = gnomon.Monitor(spec)
    assert monitor.feed_arrow(table.slice(0, 3)) == 3 and monitor.feed_arrow(table.slice(3)) == 4
    other = gnomon.Monitor(spec)
    other.feed(rows)
    assert same(monitor.report(), other.report())
    with pytest.raises(gnomon.TraceError, match="time goes back"):
        monitor.feed_arrow(table)
    with pytest.raises(TypeError, match="feed"):
        monitor.feed_arrow(rows)


def test_a_run_saved_at_any_event_goes_on_as_before(spec: gnomon.Spec) -> None:
    dice = random.Random(7)
    events = []
    for n in range(120):
        events.append((dice.choice(["ask", "answer"]), n // 2, {"x": dice.randrange(5)}))
    whole = gnomon.Monitor(spec)
    found = []
    for event in events:
        whole.feed([event])
        found += whole.take_violations()
    monitor, again = gnomon.Monitor(spec), []
    for event in events:
        state = monitor.save()
        assert b"forall" not in state
        monitor = gnomon.Monitor.restore(spec, state)
        monitor.feed([event])
        again += monitor.take_violations()
    assert found == again and len(found) > 5
    assert same(whole.finish(), monitor.finish())


def test_copies_and_pickles_go_their_own_ways(spec: gnomon.Spec) -> None:
    monitor = gnomon.Monitor(spec)
    monitor.step("ask", 1, x=1)
    for other in (copy.copy(monitor), copy.deepcopy(monitor), pickle.loads(pickle.dumps(monitor))):
        other.advance(10)
        assert len(other.take_violations()) == 1
    assert monitor.next_deadline == "4" and monitor.take_violations() == []


def test_states_of_others_are_refused(spec: gnomon.Spec) -> None:
    state = gnomon.Monitor(spec).save()
    other = gnomon.Spec.from_text("soloist calm { G(!bell) }")
    for wrong_spec, wrong in ((other, state), (spec, b""), (spec, state[:-1]), (spec, b"\xff" * 64)):
        monitor = None
        with pytest.raises(ValueError, match="cannot be restored"):
            monitor = gnomon.Monitor.restore(wrong_spec, wrong)
        assert monitor is None


def test_time_does_not_go_back(spec: gnomon.Spec) -> None:
    monitor = gnomon.Monitor(spec)
    monitor.step("ask", 5, x=1)
    with pytest.raises(gnomon.TraceError, match="4 is earlier than 5") as error:
        monitor.step("ask", 4, x=1)
    assert error.value.diagnostics[0].line == 2
    with pytest.raises(gnomon.TraceError):
        monitor.advance(4)
    with pytest.raises(gnomon.TraceError, match="date-time"):
        monitor.step("ask", "2026-01-01", x=1)
    with pytest.raises(TypeError):
        monitor.step("ask", object(), x=1)
    monitor.step("answer", 6, x=1)
    assert monitor.events == 2 and monitor.finish().ok
