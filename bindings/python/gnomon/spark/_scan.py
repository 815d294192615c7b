# SPDX-License-Identifier: MIT OR Apache-2.0
"""The general way to the events: the engine makes the rows, whatever they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from gnomon.part import Landmark

from ._columns import is_classic, quoted
from ._judge import Work
from ._moments import written
from ._names import BUCKET, MOMENT, PLACE
from ._places import numbered
from ._scatter import BUCKETS_ENOUGH, PACKETS, pack_batches
from ._shuffle import judged

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Buckets for each partition: so many that their sizes even out and a worker holds a fraction of its partition, but not
#: so many that packets become small.
BUCKETS_EACH = 8


class Scan:
    """Events that the engine reads."""

    def __init__(
        self,
        df: DataFrame,
        names: list[str],
        event: str,
        time: str,
        ties: tuple[str, ...],
        key: str | None,
        number: bool,
    ) -> None:
        added = moments(df, time)
        place = F.monotonically_increasing_id().alias(PLACE)
        self.frame = df.select(*(quoted(name) for name in names), *added, place)
        self.event = event
        self.time = time
        self.times = (f"{MOMENT}_number", f"{MOMENT}_date") if added else (time,)
        self.ties = ties
        self.key = key
        self.before = numbers_before(df) if number else None

    def partitions(self, usual: int) -> int:
        """As many as the input has, so that they are about as large; enough for all cores, no more than is usual."""
        if self.before is None or not is_classic(self.frame):
            return usual
        return max(1, min(usual, max(len(self.before), self.frame.sparkSession.sparkContext.defaultParallelism)))

    def judged(self, work: Work, parts: int) -> DataFrame:
        """What the workers tell."""
        return judged(self.packets(parts), work, parts)

    def packets(self, partitions: int) -> DataFrame:
        """The events of each bucket, packed."""
        buckets = F.lit(partitions * max(1, min(BUCKETS_EACH, BUCKETS_ENOUGH // partitions)))
        bucket = F.lit(0)
        if self.key is not None:
            # Rows without a case are judged by nobody and only counted: they are dealt out.
            bucket = F.when(quoted(self.key).isNull(), F.pmod(F.col(PLACE), buckets)).otherwise(
                F.pmod(F.xxhash64(quoted(self.key)), buckets)
            )
        return self.frame.withColumn(BUCKET, bucket.cast("int")).mapInArrow(pack_batches, PACKETS)

    def ends(self) -> tuple[Landmark | None, Landmark | None]:
        """The first and the last event of the whole trace."""
        when = quoted(self.time)
        exact = isinstance(self.frame.schema[self.time].dataType, T.TimestampType)
        told = (F.unix_micros(when) if exact else when.cast("string")).alias("told")
        order = [quoted(name) for name in (*self.times, *self.ties, PLACE)]
        row_of = F.struct(*order, told, quoted(self.event).alias("name"))
        row = self.frame.select(F.min(row_of).alias("first"), F.max(row_of).alias("last")).first()
        if row is None or row["first"] is None:
            return None, None
        first, last = (
            (numbered(end[PLACE], self.before), written(end["told"]) if exact else end["told"], end["name"])
            for end in (row["first"], row["last"])
        )
        return first, last


def moments(df: DataFrame, time: str) -> list[Column]:
    """What tells rows in the order of time. Texts do not sort like the times that they tell."""
    if not isinstance(df.schema[time].dataType, T.StringType):
        return []
    text = quoted(time)
    return [
        text.try_cast("decimal(38,12)").alias(f"{MOMENT}_number"),
        text.try_cast("timestamp").alias(f"{MOMENT}_date"),
    ]


def numbers_before(df: DataFrame) -> list[int] | None:
    """For each partition of the input, how many rows are in those before it; `None` where that cannot be known.

    Behind a shuffle it cannot: the same rows may be divided otherwise the next time that they are asked for.
    """
    if not is_classic(df) or "Exchange" in df._jdf.queryExecution().executedPlan().toString():
        return None
    counts = df.groupBy(F.spark_partition_id().alias("partition")).count().collect()
    sizes = {row["partition"]: row["count"] for row in counts}
    before, total = [], 0
    for partition in range(max(sizes, default=-1) + 1):
        before.append(total)
        total += sizes.get(partition, 0)
    return before
