# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a worker does with the events of its buckets."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import gnomon
from gnomon.part import Landmark

from ._names import PLACE
from ._narrow import narrowed, widened
from ._packets import read, write
from ._places import numbered
from ._sorting import Sorting

#: What the judging side tells: packets of verdicts and of violations, and what is left to be joined.
TOLD = "kind string, packet binary"
COLUMNS = {"verdict": gnomon.CASES_COLUMNS, "violation": gnomon.VIOLATIONS_COLUMNS}
TYPES = {"string": pa.string(), "long": pa.int64(), "boolean": pa.bool_()}
SCHEMAS = {kind: pa.schema([(name, TYPES[told]) for name, told in columns]) for kind, columns in COLUMNS.items()}
#: Rows of a packet.
ROWS = 1 << 17


@dataclass
class Work:
    """All that a worker must know."""

    spec: gnomon.Spec
    #: The column of cases; without it, the whole is one trace.
    by: str | None
    event: str
    time: str
    sorting: Sorting
    #: For each partition of the input, how many events are in those before it.
    before: list[int] | None
    end: str
    max_violations: int
    source: str
    first: Landmark | None = None
    last: Landmark | None = None

    def judge(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Packets of verdicts, packets of violations, and what is left to be joined."""
        for table in self.sorting.unpack(batches):
            yield from self.told(table)

    def told(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """The same of the events of a bucket, in order."""
        return self.cases(table, self.by) if self.by is not None else self.whole(table)

    def cases(self, table: pa.Table, by: str) -> Iterator[pa.RecordBatch]:
        part = gnomon.judge_part(
            self.spec,
            self.numbered(table),
            by=by,
            event=self.event,
            time=self.time,
            index=PLACE,
            end=self.end,
            max_violations=self.max_violations,
            first=self.first,
            last=self.last,
        )
        yield from packed("verdict", pa.table(part.cases))
        yield from packed("violation", pa.table(part.violations))
        yield rows("part", part.saved)

    def whole(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        report = gnomon.check(
            self.spec,
            table.drop_columns([PLACE]),
            event=self.event,
            time=self.time,
            end=self.end,
            max_violations=self.max_violations,
        )
        verdicts = [verdict_row(outcome, report.events) for outcome in report.outcomes]
        yield from packed("verdict", pa.Table.from_pylist(verdicts, schema=SCHEMAS["verdict"]))
        yield from packed("violation", report.to_arrow("violations"))
        yield rows("part", pickle.dumps(report))

    def numbered(self, table: pa.Table) -> pa.Table:
        """Events by their places in the whole input, from 0."""
        if self.before is None:
            return table
        numbers = numbered(table.column(PLACE).to_numpy(), np.asarray(self.before, np.int64))
        return table.set_column(table.column_names.index(PLACE), PLACE, pa.array(numbers))

    def joined(self, parts: list[bytes]) -> gnomon.Report:
        """The report of all parts."""
        if self.by is None and parts:
            report: gnomon.Report = pickle.loads(parts[0])
            return report
        return gnomon.join_parts(self.spec, parts, source=self.source, max_violations=self.max_violations)


def rows(kind: str, *packets: bytes) -> pa.RecordBatch:
    return pa.record_batch([pa.array([kind] * len(packets)), pa.array(packets, pa.binary())], names=["kind", "packet"])


def packed(kind: str, table: pa.Table) -> Iterator[pa.RecordBatch]:
    """Many rows as few, because the engine takes its time with each."""
    for start in range(0, table.num_rows, ROWS):
        yield rows(kind, write(narrowed(table.slice(start, ROWS))))


def unfolded(kind: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows in packets of verdicts or violations."""
    for batch in batches:
        for packet in batch.column(0):
            yield from widened(read(packet.as_buffer())).select(SCHEMAS[kind].names).cast(SCHEMAS[kind]).to_batches()


def verdict_row(outcome: gnomon.Outcome, events: int) -> dict[str, Any]:
    return {"case": None, "property": outcome.name, "verdict": outcome.verdict.value, "events": events} | {
        name: getattr(outcome, name)
        for name in ("presumably", "positions", "activated", "satisfied", "violated", "pending")
    }
