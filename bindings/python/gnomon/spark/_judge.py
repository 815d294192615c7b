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
from ._scatter import Sorting

#: A place is the number of a partition of the input, shifted by so much, and of the row in it.
PARTITION_SHIFT = 33

VERDICT = gnomon.CASES_COLUMNS
VIOLATION = gnomon.VIOLATIONS_COLUMNS


def struct(columns: list[tuple[str, str]]) -> str:
    return ", ".join(f"{name}: {kind}" for name, kind in columns)


SCHEMA = f"verdict struct<{struct(VERDICT)}>, violation struct<{struct(VIOLATION)}>, part binary"


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
        """Rows of verdicts, rows of violations, and what is left to be joined."""
        for table in self.sorting.unpack(batches):
            yield from self.cases(table, self.by) if self.by is not None else self.whole(table)

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
        yield from rows("verdict", pa.table(part.cases))
        yield from rows("violation", pa.table(part.violations))
        yield row(part=pa.array([part.saved], pa.binary()))

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
        yield from rows("verdict", pa.Table.from_pylist(verdicts, schema=pa.schema(KINDS["verdict"])))
        yield from rows("violation", report.to_arrow("violations"))
        yield row(part=pa.array([pickle.dumps(report)], pa.binary()))

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


def numbered(place: Any, before: Any) -> Any:
    """The number of an event, or of many, from 0, by its place."""
    if before is None:
        return place
    return before[place >> PARTITION_SHIFT] + (place & ((1 << PARTITION_SHIFT) - 1))


def rows(name: str, table: pa.Table) -> Iterator[pa.RecordBatch]:
    for batch in table.to_batches():
        if batch.num_rows:
            yield row(**{name: pa.StructArray.from_arrays(batch.columns, fields=list(batch.schema))})


TYPES = {"string": pa.string(), "long": pa.int64(), "boolean": pa.bool_()}
KINDS = {
    "verdict": pa.struct([(name, TYPES[kind]) for name, kind in VERDICT]),
    "violation": pa.struct([(name, TYPES[kind]) for name, kind in VIOLATION]),
    "part": pa.binary(),
}


def row(**given: pa.Array) -> pa.RecordBatch:
    """Rows of one kind: what they are not is null."""
    length = len(next(iter(given.values())))
    columns = [given[name].cast(kind) if name in given else pa.nulls(length, kind) for name, kind in KINDS.items()]
    return pa.RecordBatch.from_arrays(columns, names=list(KINDS))


def verdict_row(outcome: gnomon.Outcome, events: int) -> dict[str, Any]:
    return {"case": None, "property": outcome.name, "verdict": outcome.verdict.value, "events": events} | {
        name: getattr(outcome, name)
        for name in ("presumably", "positions", "activated", "satisfied", "violated", "pending")
    }
