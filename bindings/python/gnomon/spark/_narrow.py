# SPDX-License-Identifier: MIT OR Apache-2.0
"""Columns that take less room on their way than where they are used.

Texts with few values travel as numbers; large numbers as what they are above the least of their packet.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

#: Texts with so few values travel as numbers.
FEW = 1 << 10
#: Where a packet says what its columns were, and their least numbers.
PLAIN, LEAST = b"plain", b"least"


def narrowed(table: pa.Table) -> pa.Table:
    """The table as it travels."""
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


def widened(table: pa.Table) -> pa.Table:
    """The table as it was, except that texts may still be numbers."""
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
    """Texts by small numbers; as they are if they have many values, because each packet has them all."""
    values = len(column.dictionary)
    if values > FEW:
        return column.dictionary_decode()
    indices = column.indices.cast(pa.int8() if values <= 1 << 7 else pa.int16())
    return pa.DictionaryArray.from_arrays(indices, column.dictionary)


def above_least(column: pa.Array) -> tuple[pa.Array, int]:
    """Numbers in half the room or less, where they lie close enough together; and what is to be added to them."""
    numbers: Any = column.cast(pa.int64()).to_numpy()
    least = int(numbers.min())
    span = int(numbers.max()) - least
    for kind in (np.uint16, np.uint32):
        if span <= np.iinfo(kind).max:
            return pa.array((numbers - least).astype(kind)), least
    return column, 0
