# SPDX-License-Identifier: MIT OR Apache-2.0
"""The direct way to the events: Spark says who reads which part of which file, and the worker reads it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from gnomon.part import Landmark

from ._files import Files, Piece
from ._judge import TOLD, Work
from ._own import Own
from ._reading import Reading
from ._scatter import BUCKETS_ENOUGH, PACKETS
from ._shuffle import judged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: So many tasks may each read everything, instead of sending events to one another; and hold so many bytes of them.
MOST_READERS = 8
PART_BYTES = 1 << 28
#: Fewer rows are not worth a task of their own, and fewer not worth it to send events to more tasks than may read everything.
PART_ROWS = 1 << 14
MANY_ROWS = 1 << 23
#: Tasks for each core: so many that none is idle while others have much left.
TASKS_EACH = 2
#: Rows of a task, at most, so that not much is lost with one; and of a bucket, as far as packets stay large enough.
TASK_ROWS = 1 << 22
BUCKET_ROWS = 1 << 18


class Direct:
    """Events in files."""

    #: A place is a number already.
    before = None

    def __init__(
        self, spark: SparkSession, files: Files, event: str, time: str, ties: tuple[str, ...], key: str | None
    ) -> None:
        self.spark = spark
        self.times = (time,)
        self.rows = sum(piece.rows for piece in files.pieces)
        self.size = files.size
        self.cores = spark.sparkContext.defaultParallelism
        self.tasks = max(TASKS_EACH * self.cores, self.rows // TASK_ROWS)
        self.reading = Reading(shared(files.pieces, self.tasks), files.schema, event, time, ties, key)

    def partitions(self, usual: int) -> int:
        """One for each core, or two or more, if each can read everything; else as many as there are tasks that read. No more
        than is usual."""
        most = self.cores if self.rows > MANY_ROWS else MOST_READERS
        few = min(self.cores, most, max(1, self.rows // PART_ROWS))
        choices = range(few, MOST_READERS + 1, self.cores)
        return min(usual, next(filter(self.can_reread, choices), self.tasks))

    def can_reread(self, parts: int) -> bool:
        """Whether so many tasks can each read everything."""
        return parts <= MOST_READERS and self.size <= parts * PART_BYTES

    def judged(self, work: Work, parts: int) -> DataFrame:
        """What the workers tell."""
        if self.reading.key is None:
            parts = 1
        elif not self.can_reread(parts):
            return judged(self.packets(parts), work, parts)
        own = Own(self.reading, work, parts, max(1, self.rows // parts // BUCKET_ROWS))
        return self.spark.range(0, parts, 1, parts).mapInArrow(own.judge, TOLD)

    def packets(self, partitions: int) -> DataFrame:
        """The events of each bucket, packed."""
        buckets = max(partitions, min(self.rows // BUCKET_ROWS, BUCKETS_ENOUGH))
        return self.shares().mapInArrow(partial(self.reading.pack, buckets), PACKETS)

    def ends(self) -> tuple[Landmark | None, Landmark | None]:
        """The first and the last event of the whole trace."""
        rows = self.shares().mapInArrow(self.reading.ends, "packet binary").collect()
        return self.reading.landmarks([bytes(row["packet"]) for row in rows])

    def shares(self) -> DataFrame:
        """Their numbers, each in a partition of its own."""
        count = len(self.reading.shares)
        return self.spark.range(0, count, 1, max(1, count))


def shared(pieces: Sequence[Piece], shares: int) -> tuple[tuple[Piece, ...], ...]:
    """The pieces in order, in shares of about as many rows each; none is empty."""
    total = sum(piece.rows for piece in pieces)

    def share(piece: Piece) -> int:
        return (2 * piece.first + piece.rows) * shares // (2 * total) if total else 0

    return tuple(tuple(group) for _, group in groupby(pieces, key=share))
