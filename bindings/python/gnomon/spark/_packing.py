# SPDX-License-Identifier: MIT OR Apache-2.0
"""Packets of events that are sent from reading to checking tasks.

A shuffle row by row costs more than checking. So the reading side packs the events of a bucket, some hundred thousand
at a time, into one Arrow stream. Few large rows are shuffled, and the checking side concatenates a bucket and sorts it.
Nothing depends on the order in which packets arrive: each bucket is sorted where it is checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gnomon._gnomon import text_numbers

from ._planning import BUCKET, MARKER, PLACE


def write_packet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def read_packet(packet: pa.Buffer | bytes) -> pa.Table:
    return pa.ipc.open_stream(packet).read_all()


#: Texts with so few values are sent dictionary-encoded.
FEW = 1 << 10
#: Metadata of a packet: the original schema, and the smallest number of each column.
PLAIN, LEAST = b"plain", b"least"


def narrow(table: pa.Table) -> pa.Table:
    """Encodes a table compactly."""
    plain = table.schema
    least: dict[str, int] = {}
    for index, field in enumerate(plain):
        column = table.column(index).combine_chunks()
        if pa.types.is_dictionary(field.type):
            column = coded(column)
        elif pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            if len(column.slice(0, 4 * FEW).unique()) <= FEW // 2:
                column = coded(column.dictionary_encode())
        elif pa.types.is_int64(field.type) or pa.types.is_timestamp(field.type):
            if not column.null_count and len(column):
                column, least[field.name] = above_least(column)
        table = table.set_column(index, field.name, column)
    return table.replace_schema_metadata({PLAIN: plain.serialize().to_pybytes(), LEAST: json.dumps(least)})


def widen(table: pa.Table) -> pa.Table:
    """Decodes a table, except that texts may stay dictionary-encoded."""
    metadata = table.schema.metadata
    plain = pa.ipc.read_schema(pa.py_buffer(metadata[PLAIN]))
    for name, least in json.loads(metadata[LEAST]).items():
        index = plain.get_field_index(name)
        numbers = table.column(index).to_numpy().astype(np.int64) + least
        table = table.set_column(index, name, pa.array(numbers).cast(plain.field(index).type))
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            wide = pa.dictionary(pa.int32(), field.type.value_type)
            table = table.set_column(index, field.name, table.column(index).cast(wide))
    return table.replace_schema_metadata(None)


def coded(column: pa.DictionaryArray) -> pa.Array:
    """Encodes texts by small numbers; texts with many values stay as they are, because each packet has all values."""
    values = len(column.dictionary)
    if values > FEW:
        return column.dictionary_decode()
    indices = column.indices.cast(pa.int8() if values <= 1 << 7 else pa.int16())
    return pa.DictionaryArray.from_arrays(indices, column.dictionary)


def above_least(column: pa.Array) -> tuple[pa.Array, int]:
    """Stores numbers as offsets from the smallest in half the size or less, if they fit; returns the smallest, too."""
    numbers: Any = column.cast(pa.int64()).to_numpy()
    least = int(numbers.min())
    span = int(numbers.max()) - least
    for kind in (np.uint16, np.uint32):
        if span <= np.iinfo(kind).max:
            return pa.array((numbers - least).astype(kind)), least
    return column, 0


#: Fibonacci hashing: 2^64 divided by the golden ratio, whose product has its upper bits well mixed.
FACTOR = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


def buckets_of(keys: pa.Array, places: Any, buckets: int) -> Any:
    """Returns the bucket of each row. Rows without a key are only counted, not checked: they are distributed evenly."""
    if pa.types.is_integer(keys.type):
        numbers = keys.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    else:
        numbers = text_hashes(keys)
    # The upper half of the hash, as a fraction of the number of buckets.
    found = ((numbers.view(np.uint64) * FACTOR >> HALF) * np.uint64(buckets) >> HALF).astype(np.int32)
    if keys.null_count:
        found = np.where(keys.is_null().to_numpy(zero_copy_only=False), places % buckets, found).astype(np.int32)
    return found


def bounds(buckets: Any) -> tuple[Any, list[int]]:
    """Returns a stable order by bucket, the beginning of each bucket in it, and the end."""
    if not len(buckets):
        return np.zeros(0, np.int64), []
    # By counting, because the numbers are small.
    small = buckets.astype(np.uint16) if buckets.max() < 1 << 16 else buckets
    rank = np.argsort(small, kind="stable")
    ranked = small[rank]
    starts = np.flatnonzero(ranked[1:] != ranked[:-1]) + 1
    return rank, [0, *starts.tolist(), len(ranked)]


def copy_marker_to_buckets(
    table: pa.Table, buckets: Any, count: int, event: str, times: tuple[str, ...]
) -> tuple[pa.Table, Any]:
    """Copies the last progress marker to every bucket: it has no case, and applies to all."""
    is_marker = is_progress_marker(table, event)
    if not pc.any(is_marker).as_py():
        return table, buckets
    markers = table.filter(is_marker)
    keys = [(name, "ascending") for name in times]
    last = pc.sort_indices(markers, sort_keys=keys, null_placement="at_start")[-1].as_py()
    rest = np.flatnonzero(~is_marker.to_numpy())
    copies = markers.take(pa.array(np.full(count, last)))
    table = pa.concat_tables([table.take(pa.array(rest)), copies])
    return table, np.concatenate([buckets[rest], np.arange(count, dtype=np.int32)])


def is_progress_marker(table: pa.Table, event: str) -> pa.ChunkedArray:
    """Returns true for each row that is a progress marker."""
    return pc.fill_null(pc.equal(table.column(event), MARKER), False)


def text_hashes(keys: pa.Array) -> Any:
    """Returns a hash of each value as text. Each distinct text is hashed once."""
    if not pa.types.is_dictionary(keys.type):
        keys = keys.dictionary_encode()
    numbers = pa.array(text_numbers(keys.dictionary.cast(pa.string()))).to_numpy()
    return np.append(numbers, 0)[keys.indices.fill_null(len(numbers)).to_numpy(zero_copy_only=False)]


#: Limits on the number and the size of events that are packed together.
PACKET_ROWS = 1 << 19
PACKET_BYTES = 64 << 20
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
        if rows >= PACKET_ROWS or size >= PACKET_BYTES:
            yield from packets(held)
            held, rows, size = [], 0, 0
    if rows:
        yield from packets(held)


def pack_batches(
    buckets: int, event: str, times: tuple[str, ...], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The events of each bucket, in packets, where the engine reads; progress markers are in all of them."""

    def bucketed(table: pa.Table) -> pa.Table:
        found = table.column(BUCKET).to_numpy()
        table, found = copy_marker_to_buckets(table.drop_columns([BUCKET]), found, buckets, event, times)
        return table.append_column(BUCKET, pa.array(found, pa.int32()))

    return pack(bucketed(pa.Table.from_batches([batch])) for batch in batches)


def packets(tables: list[pa.Table]) -> Iterator[pa.RecordBatch]:
    table = pa.concat_tables(tables).unify_dictionaries()
    buckets = table.column(BUCKET).to_numpy()
    table = narrow(table.drop_columns([BUCKET]))
    rank, starts = bounds(buckets)
    table = table.take(pa.array(rank)).combine_chunks()
    for start, end in pairwise(starts):
        packet = write_packet(table.slice(start, end - start))
        yield pa.record_batch(
            [pa.array([buckets[rank[start]]], pa.int32()), pa.array([packet], pa.binary())], names=[BUCKET, "packet"]
        )


#: With fewer cases they are numbered in 16 bits, which are sorted by counting.
FEW_CASES = (1 << 16) - 1


@dataclass(frozen=True)
class Sorting:
    """The order of a bucket: by case, then by times, ties and places."""

    by: str | None
    times: tuple[str, ...]
    ties: tuple[str, ...]
    #: True if packets arrive bucket by bucket; otherwise all are collected before the first is checked.
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
                held.setdefault(bucket, []).append(widen(read_packet(packet.as_buffer())))
        for bucket in sorted(held):
            yield self.sorted(held[bucket])

    def sorted(self, pieces: list[pa.Table]) -> pa.Table:
        pieces = sorted(unified(pieces), key=lambda piece: piece.column(PLACE)[0].as_py())
        table = pa.concat_tables(pieces).unify_dictionaries().combine_chunks()
        rank = self.grouped(table) if self.is_in_order(table) else None
        if rank is None:
            names = [*([self.by] if self.by is not None else []), *self.times, *self.ties, PLACE]
            rank = pc.sort_indices(
                without_codes(table.select(names)), sort_keys=[(name, "ascending") for name in names]
            )
        return table.take(rank)

    def is_in_order(self, table: pa.Table) -> bool:
        """Returns true if the events arrived in order of time, as in most logs."""
        if self.ties or len(self.times) > 1:
            return False
        time = table.column(self.times[0])
        if time.null_count or pa.types.is_decimal(time.type):
            return False
        return all(ascending(column) for column in (time, table.column(PLACE)))

    def grouped(self, table: pa.Table) -> pa.Array | None:
        """Returns a stable order by case; `None` if there are many cases."""
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
    """Makes schemas equal: one packet may dictionary-encode a text that another does not."""
    schemas = {piece.schema for piece in pieces}
    if len(schemas) <= 1:
        return pieces
    return [without_codes(piece) for piece in pieces]


def without_codes(table: pa.Table) -> pa.Table:
    """Decodes dictionaries."""
    types = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in table.schema]
    return table.cast(pa.schema(zip(table.column_names, types, strict=True)))
