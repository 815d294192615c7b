# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks a stream of events while they arrive: the monitor of each case is the state of the stream.

The state of a case is the snapshot of its monitor, and the events that the watermark has not passed yet. Spark writes it
to the checkpoint together with the offset in the input, so a restart neither loses nor repeats anything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import gnomon

from ._planning import column, divide, quoted, read_micros, restored_type, roles, use_this_python, written

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, StatefulProcessorHandle, TimerValues

FOUND = (
    "case string, property string, number long, grew boolean, event_index long, position long, "
    "until_position long, time string, event string, decided_time string, decided_event string, binding string, "
    "summary string, failed string, because string"
)
FOUND_COLUMNS = [column.split()[0] for column in FOUND.split(", ")]
STATE = "snapshot binary, timer long, last long"
WAITING = "moment long, rank long, event string, fields string"


class CaseProcessor(StatefulProcessor):
    """Checks the events of a case once the watermark has passed them."""

    def __init__(self, spec: gnomon.Spec, idle: int | None) -> None:
        self.spec = spec
        self.idle = idle

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.state = handle.getValueState("monitor", STATE)
        self.waiting = handle.getListState("waiting", WAITING)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: TimerValues) -> Iterator[Row]:  # noqa: N802, N803
        events = [(row["moment"], row["rank"], row["event"], row["fields"]) for row in rows]
        self.waiting.appendList(events)
        snapshot, timer, last = self.load()
        self.store(snapshot, timer, last, min(event[0] for event in events) // 1000 + 1)
        return iter(())

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[Row]:
        passed = timerValues.getCurrentWatermarkInMs() * 1000
        snapshot, _, last = self.load()
        monitor = (
            gnomon.Monitor.restore(self.spec, bytes(snapshot)) if snapshot is not None else gnomon.Monitor(self.spec)
        )
        # Events of equal time and rank keep the order in which they came: the sort is stable.
        waiting = sorted(self.waiting.get(), key=lambda event: (event[0], event[1])) if self.waiting.exists() else []
        due = [event for event in waiting if event[0] <= passed]
        for micros, _, name, fields in due:
            monitor.step(name, written(micros), **json.loads(fields, parse_float=Decimal))
            last = micros
        monitor.advance(written(passed))
        found = monitor.take_violations()
        left = waiting[len(due) :]
        is_over = not left and self.idle is not None and last is not None and last + self.idle <= passed
        if is_over:
            found += end_violations(monitor)
            self.state.clear()
            self.waiting.clear()
            return (found_row(key[0], violation) for violation in found)
        if due and left:
            self.waiting.put(left)
        elif due:
            self.waiting.clear()
        wakes = [read_micros(monitor.next_deadline)] if monitor.next_deadline is not None else []
        wakes += [left[0][0]] if left else []
        wakes += [last + self.idle] if self.idle is not None and last is not None else []
        self.store(monitor.save(), None, last, max(min(wakes), passed) // 1000 + 1 if wakes else None)
        return (found_row(key[0], violation) for violation in found)

    def close(self) -> None:
        pass

    def load(self) -> tuple[bytes | None, int | None, int | None]:
        """Returns the snapshot, the time of the timer in milliseconds, and the time of the last event that was checked."""
        state = self.state.get() if self.state.exists() else None
        return (None, None, None) if state is None else (state[0], state[1], state[2])

    def store(self, snapshot: bytes | None, timer: int | None, last: int | None, wake: int | None) -> None:
        """Stores the state and sets one timer: the earlier of the current one and `wake`."""
        if wake is not None and (timer is None or wake < timer):
            if timer is not None:
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(wake)
            timer = wake
        self.state.update((snapshot, timer, last))


def end_violations(monitor: gnomon.Monitor) -> list[gnomon.Violation]:
    """Returns the violations that only the end decides."""
    known = {json.dumps(violation.to_dict(), sort_keys=True) for violation in monitor.report(end="prefix").violations}
    every = monitor.finish().violations
    return [violation for violation in every if json.dumps(violation.to_dict(), sort_keys=True) not in known]


def found_row(case: str, violation: gnomon.Violation) -> Row:
    row = violation.to_dict() | {"case": case, "number": violation.number, "grew": violation.grew}
    row |= {name: str(row[name]) for name in ("time", "decided_time")}
    return Row(**{name: row[name] for name in FOUND_COLUMNS})


ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
#: With all digits, so that the text is the same time.
MOMENTS = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "timeZone": "UTC"}


def watch(
    stream: DataFrame,
    spec: gnomon.Spec | str | os.PathLike[str],
    *,
    by: str,
    event: str | None = None,
    time: str | None = None,
    order: str | None = None,
    lateness: str = "0 seconds",
    idle: timedelta | None = None,
) -> DataFrame:
    """Returns the violations of a stream of events, each as soon as the watermark makes it certain.

    Each value of the column `by` is a trace of its own. Its events wait until the watermark has passed them, so they
    are checked in order of time however they arrive; what arrives later than `lateness` is dropped by Spark,
    which counts it (`numRowsDroppedByWatermark`). A deadline that passes in silence is found when the watermark passes
    it.

    Events with equal times keep the order of the column `order`, a number; without it, that in which they came. A case
    that is silent for `idle` is over: it is checked as complete and removed. Without `idle` every case is kept.
    """
    spec = spec if isinstance(spec, gnomon.Spec) else gnomon.load(spec)
    if not stream.isStreaming:
        raise ValueError("the data frame is not a stream; use `gnomon.spark.check` to check one that is complete")
    use_this_python(stream)
    found = roles(stream, spec, event, time)
    for role, name in (("by", by), ("order", order)):
        if name is not None:
            column(stream, role, name)
    if not isinstance(stream.schema[found.time].dataType, T.TimestampType):
        raise ValueError(f"`{found.time}` must be a timestamp, because the watermark follows it; cast it first")
    if order is not None and not isinstance(stream.schema[order].dataType, T.IntegralType):
        raise ValueError(f"`{order}` must be an integer, because it tells which of two events of one time comes first")
    divide(spec, by, stream.columns)
    session = stream.sparkSession
    if session.conf.get(PROVIDER, "") != ROCKSDB:
        session.conf.set(PROVIDER, ROCKSDB)
    names = dict.fromkeys([by, *found.fields])
    events = stream.withWatermark(found.time, lateness).select(
        quoted(by).cast("string").alias("case"),
        quoted(found.time).alias("time"),
        F.unix_micros(quoted(found.time)).alias("moment"),
        (quoted(order).cast("long") if order else F.lit(0).cast("long")).alias("rank"),
        quoted(found.event).cast("string").alias("event"),
        F.to_json(F.struct(*(quoted(name) for name in names)), MOMENTS).alias("fields"),
    )
    processor = CaseProcessor(spec, int(idle / timedelta(microseconds=1)) if idle is not None else None)
    # An event without a case is not checked, as in `gnomon check --by`.
    found_in = (
        events.where("case is not null")
        .groupBy("case")
        .transformWithState(statefulProcessor=processor, outputStructType=FOUND, outputMode="Append", timeMode="EventTime")
    )
    case = restored_type(stream.schema[by].dataType)
    return found_in.withColumns(
        {"case": F.col("case").cast(case)} | {name: F.col(name).cast("timestamp") for name in ("time", "decided_time")}
    )
