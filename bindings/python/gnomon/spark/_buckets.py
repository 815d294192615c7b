# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which bucket an event goes into: the same for the same case, whoever reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from gnomon._gnomon import text_numbers

#: Fibonacci hashing: 2^64 divided by the golden ratio, whose product has its upper bits well mixed.
FACTOR = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


def buckets_of(keys: pa.Array, places: Any, buckets: int) -> Any:
    """The bucket of each row. Rows without a key are judged by nobody and only counted: they are dealt out."""
    if pa.types.is_integer(keys.type):
        numbers = keys.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    else:
        numbers = of_texts(keys)
    # The upper half of the hash, as a fraction of the number of buckets.
    found = ((numbers.view(np.uint64) * FACTOR >> HALF) * np.uint64(buckets) >> HALF).astype(np.int32)
    if keys.null_count:
        found = np.where(keys.is_null().to_numpy(zero_copy_only=False), places % buckets, found).astype(np.int32)
    return found


def bounds(buckets: Any) -> tuple[Any, list[int]]:
    """What brings the rows of each bucket together and changes nothing else; and where each bucket begins, and the end."""
    if not len(buckets):
        return np.zeros(0, np.int64), []
    # By counting, because the numbers are small.
    small = buckets.astype(np.uint16) if buckets.max() < 1 << 16 else buckets
    rank = np.argsort(small, kind="stable")
    ranked = small[rank]
    starts = np.flatnonzero(ranked[1:] != ranked[:-1]) + 1
    return rank, [0, *starts.tolist(), len(ranked)]


def of_texts(keys: pa.Array) -> Any:
    """A number for each value, by what it is as text. Each text is looked at once."""
    if not pa.types.is_dictionary(keys.type):
        keys = keys.dictionary_encode()
    numbers = pa.array(text_numbers(keys.dictionary.cast(pa.string()))).to_numpy()
    return np.append(numbers, 0)[keys.indices.fill_null(len(numbers)).to_numpy(zero_copy_only=False)]
