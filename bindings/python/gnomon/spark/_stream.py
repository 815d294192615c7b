# SPDX-License-Identifier: MIT OR Apache-2.0
"""A stream of events, judged while they come."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

import gnomon

from ._columns import column, quoted, restored_type, roles
from ._keeper import FOUND, Keeper
from ._key import divide
from ._python import use_this_python

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
#: With all digits, so that a text can be told again as the same time.
MOMENTS = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "timeZone": "UTC"}


def watch(
    stream: DataFrame,
    spec: gnomon.Spec | str | os.PathLike[str],
    *,
    by: str,
    event: str | None = None,
    time: str | None = None,
    order: str | None = None,
    lateness: str = "0 seconds",
    idle: timedelta | None = None,
) -> DataFrame:
    """The violations of a stream of events, each as soon as the watermark says that it is certain.

    Each value of the column `by` is a trace of its own. Its events wait until the watermark has passed them, so they
    are judged in the order of their times however they come; what comes later than `lateness` is left out by Spark,
    which counts it (`numRowsDroppedByWatermark`). A deadline that passes in silence is found when the watermark passes
    it.

    Events with equal times keep the order of the column `order`, a number; without it, that in which they came. A case
    that is silent for `idle` is over: it is judged as complete and forgotten. Without `idle` every case is kept.
    """
    spec = spec if isinstance(spec, gnomon.Spec) else gnomon.load(spec)
    if not stream.isStreaming:
        raise ValueError("the data frame is no stream; use `gnomon.spark.check` to judge one that is complete")
    use_this_python(stream)
    found = roles(stream, spec, event, time)
    for role, name in (("by", by), ("order", order)):
        if name is not None:
            column(stream, role, name)
    if not isinstance(stream.schema[found.time].dataType, T.TimestampType):
        raise ValueError(f"`{found.time}` must be a timestamp, because the watermark follows it; cast it first")
    if order is not None and not isinstance(stream.schema[order].dataType, T.IntegralType):
        raise ValueError(f"`{order}` must be an integer, because it tells which of two events of one time comes first")
    divide(spec, by, stream.columns)
    session = stream.sparkSession
    if session.conf.get(PROVIDER, "") != ROCKSDB:
        session.conf.set(PROVIDER, ROCKSDB)
    names = dict.fromkeys([by, *found.fields])
    events = stream.withWatermark(found.time, lateness).select(
        quoted(by).cast("string").alias("case"),
        quoted(found.time).alias("time"),
        F.unix_micros(quoted(found.time)).alias("moment"),
        (quoted(order).cast("long") if order else F.lit(0).cast("long")).alias("rank"),
        quoted(found.event).cast("string").alias("event"),
        F.to_json(F.struct(*(quoted(name) for name in names)), MOMENTS).alias("fields"),
    )
    keeper = Keeper(spec, int(idle / timedelta(microseconds=1)) if idle is not None else None)
    # An event without a case is judged by nobody, as in `gnomon check --by`.
    found_in = (
        events.where("case is not null")
        .groupBy("case")
        .transformWithState(statefulProcessor=keeper, outputStructType=FOUND, outputMode="Append", timeMode="EventTime")
    )
    case = restored_type(stream.schema[by].dataType)
    return found_in.withColumns(
        {"case": F.col("case").cast(case)} | {name: F.col(name).cast("timestamp") for name in ("time", "decided_time")}
    )
