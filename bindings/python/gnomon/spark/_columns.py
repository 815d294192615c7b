# SPDX-License-Identifier: MIT OR Apache-2.0
"""The columns of a data frame that judging needs, and those that keep its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

import gnomon

from ._names import BUCKET, MOMENT, PLACE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Names of columns where neither the spec nor the caller says which.
TIME_NAMES = ("time", "timestamp")
EVENT_NAMES = ("event", "name")


@dataclass(frozen=True)
class Roles:
    """Which column is what."""

    event: str
    time: str
    #: What the properties look at beside them.
    fields: tuple[str, ...]


def roles(df: DataFrame, spec: gnomon.Spec, event: str | None, time: str | None) -> Roles:
    """Finds the columns by what the caller says, what the spec declares, and the usual names."""
    event = column(df, "event", event, EVENT_NAMES)
    time = column(df, "time", time or spec.time_field, TIME_NAMES)
    wanted = df.columns if spec.fields is None else [name for name in df.columns if name in tops(spec.fields)]
    return Roles(event, time, tuple(name for name in wanted if name not in (event, time)))


def tops(fields: list[str]) -> set[str]:
    """The columns that have these fields: of `order/total` that is `order`."""
    return set(fields) | {field.partition("/")[0] for field in fields}


def column(df: DataFrame, role: str, name: str | None, usual: tuple[str, ...] = ()) -> str:
    """The column of this name, or one of the usual names."""
    if name is not None:
        if name not in df.columns:
            raise ValueError(
                f"the data frame has no column `{name}`, which `{role}` names; it has {listed(df.columns)}"
            )
        return name
    for name in usual:
        if name in df.columns:
            return name
    raise ValueError(
        f"the data frame has no column `{usual[0]}`; name the one that has it with `{role}=`: {listed(df.columns)}"
    )


def listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def quoted(name: str) -> Column:
    """A column whose name may hold dots."""
    return F.col("`" + name.replace("`", "``") + "`")


def moments(df: DataFrame, time: str) -> list[Column]:
    """What tells rows in the order of time. Texts do not sort like the times that they tell."""
    if not isinstance(df.schema[time].dataType, T.StringType):
        return []
    text = quoted(time)
    return [
        text.try_cast("decimal(38,12)").alias(f"{MOMENT}_number"),
        text.try_cast("timestamp").alias(f"{MOMENT}_date"),
    ]


def projected(
    df: DataFrame, found: Roles, key: str | None, ties: list[str], buckets: int
) -> tuple[DataFrame, list[str]]:
    """The columns that travel, with the bucket of each row; and the names of those that sort a bucket."""
    added = moments(df, found.time)
    times = [f"{MOMENT}_number", f"{MOMENT}_date"] if added else [found.time]
    names = dict.fromkeys([found.event, found.time, *([key] if key else []), *ties, *found.fields])
    place = F.monotonically_increasing_id()
    bucket = F.lit(0)
    if key:
        # Rows without a case are judged by nobody and only counted: they are dealt out.
        bucket = F.when(quoted(key).isNull(), F.pmod(place, F.lit(buckets))).otherwise(
            F.pmod(F.xxhash64(quoted(key)), F.lit(buckets))
        )
    frame = df.select(*(quoted(name) for name in names), *added, place.alias(PLACE), bucket.cast("int").alias(BUCKET))
    return frame, [*([key] if key else []), *times, *ties, PLACE]


def is_classic(df: DataFrame) -> bool:
    """Whether this is Spark itself, in this process, and not something that is spoken to from afar."""
    return not type(df).__module__.startswith("pyspark.sql.connect")


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


def restored_type(kind: T.DataType) -> T.DataType:
    """The type in which a value that was told as text comes back."""
    exact = (
        T.IntegralType,
        T.StringType,
        T.DateType,
        T.TimestampType,
        T.TimestampNTZType,
        T.BooleanType,
        T.DecimalType,
    )
    return kind if isinstance(kind, exact) else T.StringType()
