# SPDX-License-Identifier: MIT OR Apache-2.0
"""Traces of every kind are judged alike."""

import datetime
import gzip
import io
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import gnomon
import pytest
from conftest import ROOT, same


def test_files_bytes_and_events_give_the_same_report(spec: gnomon.Spec, csv: Path, rows: list[dict[str, object]]) -> None:
    report = gnomon.check(spec, csv)
    assert report.source == "answers.csv" and not report.ok
    assert [v.binding for v in report.violations] == [{"x": "bob"}, {"x": "ann"}]
    tuples = [(row["event"], row["time"], {"x": row["x"]}) for row in rows]
    for trace in (str(csv), csv.read_bytes(), csv.open("rb"), csv.open(), io.BytesIO(gzip.compress(csv.read_bytes())), rows, iter(rows), tuples):
        assert same(gnomon.check(spec, trace), report), trace


def test_columns_may_be_named(spec: gnomon.Spec, rows: list[dict[str, object]], csv: Path) -> None:
    renamed = [{"activity": row["event"], "ts": row["time"], "x": row["x"]} for row in rows]
    assert same(gnomon.check(spec, renamed, event="activity"), gnomon.check(spec, csv))
    renamed = [{"activity": row["event"], "when": row["time"], "x": row["x"]} for row in rows]
    assert same(gnomon.check(spec, renamed, event="activity", time="when"), gnomon.check(spec, csv))
    with pytest.raises(ValueError, match="event=..."):
        gnomon.check(spec, renamed)


@pytest.mark.parametrize(
    "times",
    [
        [1, 2.5, Decimal("7.25")],
        ["1", "2.5", "7.25"],
        [datetime.datetime(2026, 1, 1, 0, 0, second) for second in (1, 2, 7)],
        [datetime.datetime(2026, 1, 1, 1, 0, second, tzinfo=datetime.timezone.utc) for second in (1, 2, 7)],
        [f"2026-01-01T00:00:0{second}Z" for second in (1, 2, 7)],
    ],
)
def test_times_of_every_kind(spec: gnomon.Spec, times: list[object]) -> None:
    events = [("ask", times[0], {"x": 1}), ("ask", times[1], {"x": 2}), ("answer", times[2], {"x": 1})]
    report = gnomon.check(spec, events)
    assert report["answered"].violated == 2 and report.events == 3


def test_values_of_every_kind() -> None:
    spec = gnomon.Spec.from_text("mtl same { forall v. G (put(v) -> F get(v)) }")
    big = 2**70
    for value in ("a", 7, -2.5, True, Decimal("0.1"), big, ["a", 1], {"k": 2}, datetime.date(2026, 1, 2)):
        report = gnomon.check(spec, [("put", 1, {"v": value}), ("get", 2, {"v": value})])
        assert report.ok and report["same"].activated == 1, value
    assert gnomon.check(spec, [("put", 1, {"v": 0.5}), ("get", 2, {"v": Decimal("0.50")})]).ok
    with pytest.raises(TypeError, match="`object` cannot be a field"):
        gnomon.check(spec, [("put", 1, {"v": object()})])
    nested: list[object] = []
    for _ in range(100):
        nested = [nested]
    with pytest.raises(ValueError, match="levels deep"):
        gnomon.check(spec, [("put", 1, {"v": nested})])


def test_cases(spec: gnomon.Spec, csv: Path) -> None:
    report = gnomon.check(spec, csv, by="x")
    assert report.cases is not None and (report.cases.total, report.cases.violating) == (3, 2)
    assert {violation.case for violation in report.violations} == {"ann", "bob"}
    assert report["answered"].violating_cases == 2
    with pytest.raises(gnomon.TraceError, match="no event has the field `y`"):
        gnomon.check(spec, csv, by="y")


def test_an_example_of_every_format_says_what_the_command_says() -> None:
    report = gnomon.check(ROOT / "examples/atm/atm.rv", ROOT / "examples/atm/b4.xml")
    assert report.verdict is gnomon.Verdict.VIOLATED
    assert str(report).splitlines()[-1].endswith("hold") or "violated" in str(report).splitlines()[-1]


def test_a_prefix_leaves_open_what_is_open(spec: gnomon.Spec) -> None:
    events = [("ask", 1, {"x": 1})]
    assert gnomon.check(spec, events)["answered"].verdict is gnomon.Verdict.VIOLATED
    outcome = gnomon.check(spec, events, end="prefix")["answered"]
    assert outcome.verdict is gnomon.Verdict.INCONCLUSIVE and outcome.pending == 1


def test_jobs_do_not_change_a_report(spec: gnomon.Spec) -> None:
    events = [("ask" if n % 3 else "answer", n, {"x": n % 50}) for n in range(20_000)]
    assert same(gnomon.check(spec, events), gnomon.check(spec, events, jobs=2))


def test_late_events_are_put_in_order(spec: gnomon.Spec, rows: list[dict[str, object]], csv: Path) -> None:
    swapped = [rows[1], rows[0], *rows[2:]]
    with pytest.raises(gnomon.TraceError, match="time goes back") as error:
        gnomon.check(spec, swapped)
    assert error.value.diagnostics[0].line == 2
    assert gnomon.check(spec, swapped, reorder="2s")["answered"].violated == 2


def test_wrong_options_are_said(spec: gnomon.Spec) -> None:
    for options, message in [
        ({"end": "open"}, '"complete" or "prefix"'),
        ({"format": "xls"}, '"csv"'),
        ({"mode": "strict"}, '"standard" or "critical"'),
        ({"reorder": "soon"}, "reorder"),
        ({"properties": ["x"]}, "no property `x`"),
    ]:
        with pytest.raises((ValueError, gnomon.GnomonError), match=message):
            gnomon.check(spec, [], **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="bys"):
        gnomon.check(spec, [], bys="x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="progress"):
        gnomon.check(spec, [], progress="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("trace", [3, None, {"event": "a"}, [3], [("a",)], ["a"]])
def test_what_is_no_trace_is_refused(spec: gnomon.Spec, trace: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        gnomon.check(spec, trace)  # type: ignore[arg-type]


def test_a_file_that_is_wrong(spec: gnomon.Spec, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing.csv"):
        gnomon.check(spec, tmp_path / "nothing.csv")
    with pytest.raises(OSError):
        gnomon.check(spec, tmp_path)
    path = tmp_path / "bad.csv"
    path.write_text("event,time\nask,soon\n")
    with pytest.raises(gnomon.TraceError, match=r"bad.csv:2:5") as error:
        gnomon.check(spec, path)
    assert error.value.diagnostics[0].help is not None


def test_exceptions_of_an_iterator_come_through(spec: gnomon.Spec) -> None:
    def events() -> Iterator[tuple[str, int]]:
        yield ("ask", 1)
        raise LookupError("the source is gone")

    with pytest.raises(LookupError, match="the source is gone"):
        gnomon.check(spec, events())

    class Broken(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise BrokenPipeError("closed")

    with pytest.raises(BrokenPipeError):
        gnomon.check(spec, Broken())


def test_progress_is_reported_and_can_stop(spec: gnomon.Spec) -> None:
    events = [("ask", n, {"x": n % 7}) for n in range(200_000)]
    reported: list[int] = []
    gnomon.check(spec, events, progress=lambda _bytes, count: reported.append(count))
    assert len(reported) >= 3 and reported == sorted(reported)

    def stop(_bytes: int, count: int) -> None:
        if count > 60_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gnomon.check(spec, events, progress=stop)


def test_progress_on_a_line(spec: gnomon.Spec, capsys: pytest.CaptureFixture[str]) -> None:
    gnomon.check(spec, [("ask", n, {"x": 1}) for n in range(70_000)], progress=True)
    assert "events" in capsys.readouterr().err


def test_other_threads_run_during_a_check(spec: gnomon.Spec, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("event,time,x\n" + "".join(f"ask,{n},{n % 97}\n" for n in range(300_000)))
    started, counted, done = threading.Event(), 0, threading.Event()

    def count() -> None:
        nonlocal counted
        started.wait()
        while not done.is_set():
            counted += 1
            time.sleep(0)

    other = threading.Thread(target=count)
    other.start()
    started.set()
    before = counted
    gnomon.check(spec, path)
    during = counted - before
    done.set()
    other.join()
    assert during > 100


def test_limits(spec: gnomon.Spec) -> None:
    with pytest.raises(gnomon.LimitError, match="max_bindings"):
        gnomon.check(spec, [("ask", 1, {"x": n}) for n in range(100)], max_bindings=10)
