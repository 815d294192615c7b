# SPDX-License-Identifier: MIT OR Apache-2.0
"""A data frame of events, judged once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pyspark.sql import functions as F
from pyspark.sql import types as T

import gnomon
from gnomon.part import Landmark

from ._columns import Roles, column, is_classic, numbers_before, projected, quoted, restored_type, roles
from ._judge import SCHEMA, Work, numbered
from ._key import Division, PartitionError, Refusal, divide
from ._moments import written
from ._names import BUCKET, PLACE
from ._python import use_this_python
from ._scatter import PACKETS, Sorting, pack

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Buckets for each partition: so many that their sizes even out and a worker holds a fraction of its partition, but not
#: so many that packets become small.
BUCKETS_EACH = 8
BUCKETS_ENOUGH = 1024


class Result:
    """What was found: two data frames and a report. The events are judged when the first of them is asked for, once."""

    def __init__(self, rows: DataFrame, work: Work, types: dict[str, T.DataType]) -> None:
        self._rows = rows.persist()
        self._work = work
        self._types = types
        self._report: gnomon.Report | None = None

    @property
    def verdicts(self) -> DataFrame:
        """A row for each case and property."""
        return self._part("verdict")

    @property
    def violations(self) -> DataFrame:
        """A row for each violation."""
        return self._part("violation")

    def summary(self) -> gnomon.Report:
        """What `gnomon check` says of the whole."""
        if self._report is None:
            parts = [bytes(row["part"]) for row in self._rows.where("part is not null").select("part").collect()]
            self._report = self._work.joined(parts)
        return self._report

    def unpersist(self) -> None:
        """Gives back what is kept of the result."""
        self._rows.unpersist()

    def _part(self, name: str) -> DataFrame:
        rows = self._rows.where(F.col(name).isNotNull()).select(f"{name}.*")
        for told, kind in self._types.items():
            if told in rows.columns:
                rows = rows.withColumn(told, F.col(told).cast(kind))
        return rows


def check(
    df: DataFrame,
    spec: gnomon.Spec | str | os.PathLike[str],
    *,
    by: str | None = None,
    event: str | None = None,
    time: str | None = None,
    order: str | Sequence[str] | None = None,
    partitions: int | None = None,
    across: Literal["refuse", "one"] = "refuse",
    end: Literal["complete", "prefix"] = "complete",
    max_violations: int = 1000,
    number: bool = True,
    source: str = "data frame",
) -> Result:
    """Judges the events of a data frame, each value of the column `by` as a trace of its own.

    Without `by`, a column is chosen by which the trace may be divided without changing a verdict
    (:meth:`gnomon.Spec.plan`); if there is none, :class:`PartitionError` says why. `across="one"` then judges the
    whole on one partition instead.

    Events with equal times keep the order of the column (or columns) `order`; without it, that of the input, as far
    as the engine has one. `partitions`: into how many parts the events are dealt out. `number=False` saves counting
    the rows first: then events are not numbered as in the input, but in the same order.
    """
    spec = spec if isinstance(spec, gnomon.Spec) else gnomon.load(spec)
    if across not in ("refuse", "one"):
        raise ValueError(f'`across` is "refuse" or "one", not {across!r}')
    if partitions is not None and partitions < 1:
        raise ValueError(f"`partitions` is at least 1, not {partitions}")
    use_this_python(df)
    ties = [order] if isinstance(order, str) else list(order or ())
    for role, names in (("by", [by] if by else []), ("order", ties)):
        for name in names:
            column(df, role, name)
    found = roles(df, spec, event, time)
    division = None
    try:
        division = divide(spec, by, df.columns)
    except PartitionError:
        if across == "refuse":
            raise
    key = division.by if division else None
    before = numbers_before(df) if number else None
    parts = partitions or usual_partitions(df, before)
    frame, sort = projected(df, found, key, ties, parts * max(1, min(BUCKETS_EACH, BUCKETS_ENOUGH // parts)))
    work = Work(
        spec=spec,
        by=key,
        event=found.event,
        time=found.time,
        sorting=Sorting(tuple(sort), by_bucket=is_classic(df)),
        before=before,
        end=end,
        max_violations=max_violations,
        source=source,
    )
    if division and division.keyed_events:
        refuse_without(df, found.event, division)
    if division and division.framed:
        work.first, work.last = ends(frame, found, sort[1:], before)
    packets = frame.mapInArrow(pack, PACKETS).repartition(parts, BUCKET).sortWithinPartitions(BUCKET)
    rows = packets.mapInArrow(work.judge, SCHEMA)
    told = {"time": found.time, "decided_time": found.time} | ({"case": key} if key else {})
    types = {name: restored_type(df.schema[name_of].dataType) for name, name_of in told.items()}
    return Result(rows, work, types)


def usual_partitions(df: DataFrame, before: list[int] | None) -> int:
    """As many as the input has, so that they are about as large; enough for all cores, and no more than is usual."""
    usual = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    if before is None or not is_classic(df):
        return usual
    return max(1, min(usual, max(len(before), df.sparkSession.sparkContext.defaultParallelism)))


def refuse_without(df: DataFrame, event: str, division: Division) -> None:
    """An event that should say which case it belongs to and does not would concern them all."""
    keyless = df.where(quoted(event).isin(list(division.keyed_events)) & quoted(division.by).isNull())
    row = keyless.select(quoted(event)).first()
    if row is not None:
        reason = f"an event `{row[0]}` has no `{division.by}`, so it concerns every case"
        raise PartitionError(division.by, [Refusal(name, "without-key", reason) for name in division.keyed_properties])


def ends(
    frame: DataFrame, found: Roles, sort: list[str], before: list[int] | None
) -> tuple[Landmark | None, Landmark | None]:
    """The first and the last event of the whole trace."""
    when = quoted(found.time)
    exact = isinstance(frame.schema[found.time].dataType, T.TimestampType)
    told = (F.unix_micros(when) if exact else when.cast("string")).alias("told")
    row_of = F.struct(*(quoted(name) for name in sort), told, quoted(found.event).alias("name"))
    row = frame.select(F.min(row_of).alias("first"), F.max(row_of).alias("last")).first()
    if row is None or row["first"] is None:
        return None, None
    first, last = (
        (numbered(end[PLACE], before), written(end["told"]) if exact else end["told"], end["name"])
        for end in (row["first"], row["last"])
    )
    return first, last
