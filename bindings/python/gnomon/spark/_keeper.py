# SPDX-License-Identifier: MIT OR Apache-2.0
"""The monitor of each case, as the state of a stream.

Of a case are kept: the monitor's snapshot, and the events that the watermark has not passed yet. Spark puts all of it
into the checkpoint with the place in the input, so a restart neither loses nor repeats anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import gnomon

from ._moments import read, written

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, StatefulProcessorHandle, TimerValues

FOUND = (
    "case string, property string, number long, grew boolean, event_index long, position long, "
    "until_position long, time string, event string, decided_time string, decided_event string, binding string, "
    "summary string, failed string, because string"
)
COLUMNS = [column.split()[0] for column in FOUND.split(", ")]
STATE = "snapshot binary, timer long, last long"
WAITING = "moment long, rank long, event string, fields string"


class Keeper(StatefulProcessor):
    """Judges the events of a case once the watermark has passed them."""

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
        snapshot, timer, last = self.kept()
        self.arm(snapshot, timer, last, min(event[0] for event in events) // 1000 + 1)
        return iter(())

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[Row]:
        passed = timerValues.getCurrentWatermarkInMs() * 1000
        snapshot, _, last = self.kept()
        monitor = (
            gnomon.Monitor.restore(self.spec, bytes(snapshot)) if snapshot is not None else gnomon.Monitor(self.spec)
        )
        # Of one time and rank, those that came first were put there first: the sort is stable.
        waiting = sorted(self.waiting.get(), key=lambda event: (event[0], event[1])) if self.waiting.exists() else []
        ripe = [event for event in waiting if event[0] <= passed]
        for moment, _, name, fields in ripe:
            monitor.step(name, written(moment), **json.loads(fields, parse_float=Decimal))
            last = moment
        monitor.advance(written(passed))
        found = monitor.take_violations()
        left = waiting[len(ripe) :]
        is_over = not left and self.idle is not None and last is not None and last + self.idle <= passed
        if is_over:
            found += ended(monitor)
            self.state.clear()
            self.waiting.clear()
            return (row(key[0], violation) for violation in found)
        if ripe and left:
            self.waiting.put(left)
        elif ripe:
            self.waiting.clear()
        wakes = [read(monitor.next_deadline)] if monitor.next_deadline is not None else []
        wakes += [left[0][0]] if left else []
        wakes += [last + self.idle] if self.idle is not None and last is not None else []
        self.arm(monitor.save(), None, last, max(min(wakes), passed) // 1000 + 1 if wakes else None)
        return (row(key[0], violation) for violation in found)

    def close(self) -> None:
        pass

    def kept(self) -> tuple[bytes | None, int | None, int | None]:
        """The snapshot, the time in milliseconds of the timer that is set, and the moment of the last event judged."""
        state = self.state.get() if self.state.exists() else None
        return (None, None, None) if state is None else (state[0], state[1], state[2])

    def arm(self, snapshot: bytes | None, timer: int | None, last: int | None, wake: int | None) -> None:
        """Keeps the state, and one timer: the earlier of the one that is set and of `wake`."""
        if wake is not None and (timer is None or wake < timer):
            if timer is not None:
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(wake)
            timer = wake
        self.state.update((snapshot, timer, last))


def ended(monitor: gnomon.Monitor) -> list[gnomon.Violation]:
    """What the end alone decides."""
    known = {json.dumps(violation.to_dict(), sort_keys=True) for violation in monitor.report(end="prefix").violations}
    every = monitor.finish().violations
    return [violation for violation in every if json.dumps(violation.to_dict(), sort_keys=True) not in known]


def row(case: str, violation: gnomon.Violation) -> Row:
    told = violation.to_dict() | {"case": case, "number": violation.number, "grew": violation.grew}
    told |= {name: str(told[name]) for name in ("time", "decided_time")}
    return Row(**{name: told[name] for name in COLUMNS})
