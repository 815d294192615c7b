# SPDX-License-Identifier: MIT OR Apache-2.0
"""Each task reads everything and judges the cases that are its own.

Where few tasks judge, reading again what others read as well takes less than sending events to one another. A task that
is lost is done again by whoever is left, and nothing else with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from ._buckets import bounds
from ._judge import Work
from ._narrow import FEW
from ._reading import Reading, numbers


@dataclass(frozen=True)
class Own:
    """Who judges what."""

    reading: Reading
    work: Work
    #: How many tasks share the cases.
    parts: int
    #: In how many buckets each of them has its own, judged one after the other.
    buckets: int

    def judge(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What is told of the parts whose numbers are in the batches."""
        for part in numbers(batches):
            held = self.gathered(part)
            while held:
                _, pieces = held.popitem()
                yield from self.work.told(self.work.sorting.sorted(pieces))

    def gathered(self, part: int) -> dict[int, list[pa.Table]]:
        """The events of a part, by their buckets, in the order in which they were read."""
        held: dict[int, list[pa.Table]] = {}
        for table in self.reading.everything():
            buckets = self.reading.buckets(table, self.parts * self.buckets)
            own = np.flatnonzero(buckets % self.parts == part)
            rank, starts = bounds(buckets[own])
            rows = plain_enough(table.take(pa.array(own[rank])))
            for start, end in pairwise(starts):
                held.setdefault(int(buckets[own[rank[start]]]), []).append(rows.slice(start, end - start))
        return held


def plain_enough(table: pa.Table) -> pa.Table:
    """Texts by numbers only where they have few values: each piece of the table has them all."""
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = table.column(index).combine_chunks()
            if len(column.dictionary) > FEW:
                table = table.set_column(index, field.name, column.dictionary_decode())
    return table
