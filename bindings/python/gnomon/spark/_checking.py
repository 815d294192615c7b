# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks the events of buckets, on a worker.

A worker returns rows of two columns: a kind, and a packet. Packets of kind `verdict` and `violation` are Arrow tables of many
rows, because Spark spends a constant time on each row; the packet of kind `part` is the result that is joined with those of the
other workers to the report of the whole trace.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import gnomon
from gnomon.part import BoundaryEvent

from ._planning import PLACE, numbered
from ._packing import Sorting, is_progress_marker, narrow, read_packet, widen, write_packet

#: The columns of the results of workers.
RESULT_COLUMNS = "kind string, packet binary"
COLUMNS = {"verdict": gnomon.CASES_COLUMNS, "violation": gnomon.VIOLATIONS_COLUMNS}
TYPES = {"string": pa.string(), "long": pa.int64(), "boolean": pa.bool_()}
SCHEMAS = {kind: pa.schema([(name, TYPES[of]) for name, of in columns]) for kind, columns in COLUMNS.items()}
#: Rows of a packet.
RESULT_ROWS = 1 << 17


@dataclass
class CheckTask:
    """The arguments of a worker."""

    spec: gnomon.Spec
    #: The column of cases; `None`: the whole is one trace.
    by: str | None
    event: str
    time: str
    sorting: Sorting
    #: For each partition of the input, the number of events in those before it.
    before: list[int] | None
    end: str
    max_violations: int
    source: str
    first: BoundaryEvent | None = None
    last: BoundaryEvent | None = None

    def check(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Checks the events in packets of buckets; returns the results."""
        for table in self.sorting.unpack(batches):
            yield from self.results(table)

    def results(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """Checks the sorted events of a bucket; returns the results."""
        return self.cases(table, self.by) if self.by is not None else self.whole(table)

    def cases(self, table: pa.Table, by: str) -> Iterator[pa.RecordBatch]:
        part = gnomon.judge_part(
            self.spec,
            self.numbered(markers_first(table, self.event)),
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
        """Replaces places by indices in the whole input, from 0."""
        if self.before is None:
            return table
        numbers = numbered(table.column(PLACE).to_numpy(), np.asarray(self.before, np.int64))
        return table.set_column(table.column_names.index(PLACE), PLACE, pa.array(numbers))

    def joined(self, parts: list[bytes]) -> gnomon.Report:
        """Joins the results of all workers to the report."""
        if self.by is None and parts:
            report: gnomon.Report = pickle.loads(parts[0])
            return report
        return gnomon.join_parts(self.spec, parts, source=self.source, max_violations=self.max_violations)


def markers_first(table: pa.Table, event: str) -> pa.Table:
    """Moves progress markers to the front, so that they apply to all cases."""
    is_marker = is_progress_marker(table, event)
    if not pc.any(is_marker).as_py():
        return table
    return pa.concat_tables([table.filter(is_marker), table.filter(pc.invert(is_marker))])


def rows(kind: str, *packets: bytes) -> pa.RecordBatch:
    return pa.record_batch([pa.array([kind] * len(packets)), pa.array(packets, pa.binary())], names=["kind", "packet"])


def packed(kind: str, table: pa.Table) -> Iterator[pa.RecordBatch]:
    """Packs many rows into few, because the engine spends a constant time on each."""
    for start in range(0, table.num_rows, RESULT_ROWS):
        yield rows(kind, write_packet(narrow(table.slice(start, RESULT_ROWS))))


def unpack_results(kind: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Unpacks the rows in packets of verdicts or violations."""
    for batch in batches:
        for packet in batch.column(0):
            yield from (
                widen(read_packet(packet.as_buffer())).select(SCHEMAS[kind].names).cast(SCHEMAS[kind]).to_batches()
            )


def verdict_row(outcome: gnomon.Outcome, events: int) -> dict[str, Any]:
    return {"case": None, "property": outcome.name, "verdict": outcome.verdict.value, "events": events} | {
        name: getattr(outcome, name)
        for name in ("presumably", "positions", "activated", "satisfied", "violated", "pending")
    }
