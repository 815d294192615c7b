# SPDX-License-Identifier: MIT OR Apache-2.0
"""The events of a bucket, put together and in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._names import PLACE
from ._narrow import widened
from ._packets import read

#: With fewer cases they are numbered in 16 bits, which are sorted by counting.
FEW_CASES = (1 << 16) - 1


@dataclass(frozen=True)
class Sorting:
    """How a bucket is put in order: case by case, each by times, ties and places."""

    by: str | None
    times: tuple[str, ...]
    ties: tuple[str, ...]
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
                held.setdefault(bucket, []).append(widened(read(packet.as_buffer())))
        for bucket in sorted(held):
            yield self.sorted(held[bucket])

    def sorted(self, pieces: list[pa.Table]) -> pa.Table:
        pieces = sorted(unified(pieces), key=lambda piece: piece.column(PLACE)[0].as_py())
        table = pa.concat_tables(pieces).unify_dictionaries().combine_chunks()
        rank = self.grouped(table) if self.in_order(table) else None
        if rank is None:
            names = [*([self.by] if self.by is not None else []), *self.times, *self.ties, PLACE]
            rank = pc.sort_indices(plain(table.select(names)), sort_keys=[(name, "ascending") for name in names])
        return table.take(rank)

    def in_order(self, table: pa.Table) -> bool:
        """Whether the events came in the order of time, as in most logs."""
        if self.ties or len(self.times) > 1:
            return False
        time = table.column(self.times[0])
        if time.null_count or pa.types.is_decimal(time.type):
            return False
        return all(ascending(column) for column in (time, table.column(PLACE)))

    def grouped(self, table: pa.Table) -> pa.Array | None:
        """What brings the events of each case together and changes nothing else; `None` if there are many cases."""
        if self.by is None:
            return pa.array(np.arange(table.num_rows))
        cases = table.column(self.by).combine_chunks()
        if not pa.types.is_dictionary(cases.type):
            cases = cases.dictionary_encode()
        without = len(cases.dictionary)
        if without > FEW_CASES:
            return None
        codes = cases.indices.fill_null(without).to_numpy(zero_copy_only=False)
        return pa.array(np.argsort(codes.astype(np.uint16), kind="stable"))


def ascending(column: pa.ChunkedArray) -> bool:
    values = column.to_numpy()
    return bool(np.all(values[1:] >= values[:-1]))


def unified(pieces: list[pa.Table]) -> list[pa.Table]:
    """One packet may have a text as numbers that another has as text."""
    schemas = {piece.schema for piece in pieces}
    if len(schemas) <= 1:
        return pieces
    return [plain(piece) for piece in pieces]


def plain(table: pa.Table) -> pa.Table:
    """The table with its texts as they are."""
    types = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in table.schema]
    return table.cast(pa.schema(zip(table.column_names, types, strict=True)))
