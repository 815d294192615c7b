# SPDX-License-Identifier: MIT OR Apache-2.0
"""Events on their way from those who read them to those who judge them.

A shuffle row by row costs more than judging. So the reading side packs the events of a bucket, some hundred thousand
at a time, into one Arrow stream; few large rows travel; the judging side puts a bucket together again and sorts it.
Nothing depends on the order in which packets arrive, nor on an engine that keeps to the order it was asked for: each
bucket is sorted by case, time and place where it is judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._names import BUCKET

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Events that are packed together, at most so many and so large.
ROWS = 1 << 19
BYTES = 64 << 20
#: Texts with few values travel as numbers.
FEW = 1 << 10

PACKETS = f"{BUCKET} int, packet binary"


def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The events of each bucket, in packets."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= ROWS or size >= BYTES:
            yield from packets(held)
            held, rows, size = [], 0, 0
    if rows:
        yield from packets(held)


def packets(batches: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    table = pa.Table.from_batches(batches).combine_chunks()
    buckets = table.column(BUCKET).to_numpy()
    table = narrowed(table.drop_columns([BUCKET]))
    # Stable, and by counting, because the numbers are small: what is in one bucket stays in the order of the input.
    rank = np.argsort(buckets.astype(np.uint16) if buckets.max() < 1 << 16 else buckets, kind="stable")
    table = table.take(pa.array(rank)).combine_chunks()
    buckets = buckets[rank]
    starts = np.flatnonzero(np.r_[True, buckets[1:] != buckets[:-1]])
    ends = np.r_[starts[1:], len(buckets)]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        sink = pa.BufferOutputStream()
        piece = table.slice(start, end - start)
        with pa.ipc.new_stream(sink, piece.schema) as writer:
            writer.write_table(piece)
        yield pa.RecordBatch.from_arrays(
            [pa.array([buckets[start]], pa.int32()), pa.array([sink.getvalue().to_pybytes()], pa.binary())],
            names=[BUCKET, "packet"],
        )


def narrowed(table: pa.Table) -> pa.Table:
    """The table with its texts as numbers, where they have few values: names of events, mostly."""
    for index, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            column = table.column(index).combine_chunks()
            sample = column.slice(0, 4 * FEW).dictionary_encode()
            if len(sample.dictionary) <= FEW // 2:
                encoded = column.dictionary_encode()
                if len(encoded.dictionary) <= FEW:
                    table = table.set_column(index, field.name, encoded)
    return table


@dataclass(frozen=True)
class Sorting:
    """How a bucket is put in order."""

    keys: tuple[str, ...]
    #: Whether packets come bucket by bucket; else all are held before the first is judged.
    by_bucket: bool

    def unpack(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
        """The events of each bucket, sorted."""
        held: dict[int, list[pa.Table]] = {}
        done: set[int] = set()
        for batch in batches:
            for bucket, packet in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                if self.by_bucket and held and bucket not in held:
                    done.update(held)
                    yield from map(self.sorted, held.values())
                    held = {}
                if bucket in done:
                    raise RuntimeError("the engine did not keep the order of packets that it was asked for")
                held.setdefault(bucket, []).append(pa.ipc.open_stream(packet.as_buffer()).read_all())
        for bucket in sorted(held):
            yield self.sorted(held[bucket])

    def sorted(self, pieces: list[pa.Table]) -> pa.Table:
        table = pa.concat_tables(unified(pieces)).unify_dictionaries().combine_chunks()
        keys = [(name, "ascending") for name in self.keys]
        return table.take(pc.sort_indices(table, sort_keys=keys))


def unified(pieces: list[pa.Table]) -> list[pa.Table]:
    """One packet may have a text as numbers that another has as text."""
    schemas = {piece.schema for piece in pieces}
    if len(schemas) <= 1:
        return pieces
    plain = pa.schema(
        pa.field(field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
        for field in pieces[0].schema
    )
    return [piece.cast(plain) for piece in pieces]
