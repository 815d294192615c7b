# SPDX-License-Identifier: MIT OR Apache-2.0
"""Events on their way from those who read them to those who judge them.

A shuffle row by row costs more than judging. So the reading side packs the events of a bucket, some hundred thousand
at a time, into one Arrow stream; few large rows travel; the judging side puts a bucket together again and sorts it.
Nothing depends on the order in which packets arrive, nor on an engine that keeps to the order it was asked for: each
bucket is put in order where it is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import pyarrow as pa

from ._buckets import bounds
from ._names import BUCKET
from ._narrow import narrowed
from ._packets import write

#: Events that are packed together, at most so many and so large.
ROWS = 1 << 19
BYTES = 64 << 20
#: With more buckets packets would become small.
BUCKETS_ENOUGH = 1024

PACKETS = f"{BUCKET} int, packet binary"


def pack(tables: Iterable[pa.Table]) -> Iterator[pa.RecordBatch]:
    """The events of each bucket, in packets."""
    held: list[pa.Table] = []
    rows = size = 0
    for table in tables:
        held.append(table)
        rows += table.num_rows
        size += table.nbytes
        if rows >= ROWS or size >= BYTES:
            yield from packets(held)
            held, rows, size = [], 0, 0
    if rows:
        yield from packets(held)


def pack_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The events of each bucket, in packets, where the engine reads."""
    return pack(pa.Table.from_batches([batch]) for batch in batches)


def packets(tables: list[pa.Table]) -> Iterator[pa.RecordBatch]:
    table = pa.concat_tables(tables).unify_dictionaries()
    buckets = table.column(BUCKET).to_numpy()
    table = narrowed(table.drop_columns([BUCKET]))
    rank, starts = bounds(buckets)
    table = table.take(pa.array(rank)).combine_chunks()
    for start, end in pairwise(starts):
        packet = write(table.slice(start, end - start))
        yield pa.record_batch(
            [pa.array([buckets[rank[start]]], pa.int32()), pa.array([packet], pa.binary())], names=[BUCKET, "packet"]
        )
