# SPDX-License-Identifier: MIT OR Apache-2.0
"""Files read by those who pack their events, or judge them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gnomon.part import Landmark

from ._buckets import buckets_of
from ._files import Piece, open_file
from ._moments import written
from ._names import BUCKET, PLACE
from ._packets import read, write
from ._scatter import pack

#: Rows that are read at a time.
ROWS = 1 << 17


@dataclass(frozen=True)
class Reading:
    """Who reads what: each share is for one task."""

    shares: tuple[tuple[Piece, ...], ...]
    schema: pa.Schema
    event: str
    time: str
    #: The columns that tell which of several events of one time comes first.
    ties: tuple[str, ...]
    key: str | None

    def pack(self, buckets: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The events of each bucket, in packets."""
        tables = self.read(numbers(batches), self.schema, self.coded())
        return pack(table.append_column(BUCKET, pa.array(self.buckets(table, buckets))) for table in tables)

    def everything(self) -> Iterator[pa.Table]:
        """All rows, with their places."""
        return self.read(range(len(self.shares)), self.schema, self.coded())

    def coded(self) -> list[str]:
        """The columns of texts that most likely have few values."""
        return [name for name in (self.event, self.key) if name and self.schema.field(name).type == pa.string()]

    def ends(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The first and the last event of what is read. One without a time is neither, and refused by the judge."""
        columns = pa.schema(self.schema.field(name) for name in dict.fromkeys([self.event, self.time, *self.ties]))
        found: list[pa.Table] = []
        for table in self.read(numbers(batches), columns, []):
            timed = table.filter(pc.is_valid(table.column(self.time)))
            found = [self.outermost([*found, timed])]
        for table in found:
            yield pa.record_batch([pa.array([write(table)], pa.binary())], names=["packet"])

    def landmarks(self, packets: list[bytes]) -> tuple[Landmark | None, Landmark | None]:
        """The first and the last event of all, from those of all shares."""
        found = self.outermost([read(packet) for packet in packets]) if packets else pa.table({})
        if not found.num_rows:
            return None, None
        when = found.column(self.time)
        exact = pa.types.is_timestamp(when.type) and when.type.tz is not None
        times = [written(moment) for moment in when.cast(pa.int64()).to_pylist()] if exact else texts(when)
        first, last = zip(found.column(PLACE).to_pylist(), times, texts(found.column(self.event)), strict=True)
        return first, last

    def outermost(self, tables: list[pa.Table]) -> pa.Table:
        table = pa.concat_tables(tables)
        keys = [(name, "ascending") for name in (self.time, *self.ties, PLACE)]
        order = pc.sort_indices(table, sort_keys=keys)
        return table.take(pa.concat_arrays([order[:1], order[-1:]]))

    def read(self, shares: Iterable[int], columns: pa.Schema, coded: list[str]) -> Iterator[pa.Table]:
        """The rows of these shares; some of their texts are numbers."""
        for share in shares:
            for path, pieces in groupby(self.shares[share], key=lambda piece: piece.path):
                yield from rows_of(path, list(pieces), columns, coded)

    def buckets(self, table: pa.Table, buckets: int) -> Any:
        """The bucket of each row."""
        if self.key is None:
            return np.zeros(table.num_rows, np.int32)
        return buckets_of(table.column(self.key).combine_chunks(), table.column(PLACE).to_numpy(), buckets)


def numbers(batches: Iterable[pa.RecordBatch]) -> Iterator[int]:
    """Of shares or of parts, as Spark hands them out."""
    for batch in batches:
        yield from batch.column(0).to_pylist()


def rows_of(path: str, pieces: list[Piece], columns: pa.Schema, coded: list[str]) -> Iterator[pa.Table]:
    """The rows of neighbouring row groups, with their places."""
    first = pieces[0].first
    with open_file(path, read_dictionary=coded) as file:
        for piece in pieces:
            if piece.group >= file.num_row_groups or file.metadata.row_group(piece.group).num_rows != piece.rows:
                raise RuntimeError(f"`{path}` is not what it was when it was asked how many rows it has")
        groups = [piece.group for piece in pieces]
        for batch in file.iter_batches(ROWS, row_groups=groups, columns=columns.names, use_threads=False):
            columns_of = [plain(batch.column(field.name), field.type) for field in columns]
            places = pa.array(np.arange(first, first + batch.num_rows))
            yield pa.table([*columns_of, places], [*columns.names, PLACE])
            first += batch.num_rows


def plain(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column in the type that Spark says it has, or as numbers for its texts."""
    return column.cast(pa.dictionary(pa.int32(), kind) if pa.types.is_dictionary(column.type) else kind)


def texts(column: pa.ChunkedArray) -> list[str]:
    told: list[str] = column.cast(pa.string()).to_pylist()
    return told
