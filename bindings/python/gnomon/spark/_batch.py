# SPDX-License-Identifier: MIT OR Apache-2.0
"""A data frame of events, judged once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from pyspark.sql import functions as F
from pyspark.sql import types as T

import gnomon

from ._columns import Roles, column, is_classic, quoted, restored_type, roles
from ._direct import Direct
from ._files import files
from ._judge import COLUMNS, Work, unfolded
from ._key import Division, PartitionError, Refusal, divide
from ._python import use_this_python
from ._scan import Scan
from ._sorting import Sorting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTITIONS = "spark.sql.shuffle.partitions"


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
            parts = self._packets("part").collect()
            self._report = self._work.joined([bytes(part["packet"]) for part in parts])
        return self._report

    def unpersist(self) -> None:
        """Gives back what is kept of the result."""
        self._rows.unpersist()

    def _part(self, name: str) -> DataFrame:
        columns = ", ".join(f"{column} {kind}" for column, kind in COLUMNS[name])
        rows = self._packets(name).mapInArrow(partial(unfolded, name), columns)
        for told, kind in self._types.items():
            if told in rows.columns:
                rows = rows.withColumn(told, F.col(told).cast(kind))
        return rows

    def _packets(self, kind: str) -> DataFrame:
        return self._rows.where(F.col("kind") == kind).select("packet")


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
    ties = (order,) if isinstance(order, str) else tuple(order or ())
    for role, names in (("by", (by,) if by else ()), ("order", ties)):
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
    events = source_of(df, found, ties, key, number)
    parts = partitions or events.partitions(int(df.sparkSession.conf.get(PARTITIONS, "200") or 200))
    work = Work(
        spec=spec,
        by=key,
        event=found.event,
        time=found.time,
        sorting=Sorting(key, events.times, ties, by_bucket=is_classic(df)),
        before=events.before,
        end=end,
        max_violations=max_violations,
        source=source,
    )
    if division and division.keyed_events:
        refuse_without(df, found.event, division)
    if division and division.framed:
        work.first, work.last = events.ends()
    rows = events.judged(work, parts)
    told = {"time": found.time, "decided_time": found.time} | ({"case": key} if key else {})
    types = {name: restored_type(df.schema[name_of].dataType) for name, name_of in told.items()}
    return Result(rows, work, types)


def source_of(df: DataFrame, found: Roles, ties: tuple[str, ...], key: str | None, number: bool) -> Direct | Scan:
    """The way to the columns that are needed: the direct one if it is open."""
    names = list(dict.fromkeys([found.event, found.time, *([key] if key else []), *ties, *found.fields]))
    plain = files(df, names, found.time, key)
    if plain is not None:
        return Direct(df.sparkSession, plain, found.event, found.time, ties, key)
    return Scan(df, names, found.event, found.time, ties, key, number)


def refuse_without(df: DataFrame, event: str, division: Division) -> None:
    """An event that should say which case it belongs to and does not would concern them all."""
    keyless = df.where(quoted(event).isin(list(division.keyed_events)) & quoted(division.by).isNull())
    row = keyless.select(quoted(event)).first()
    if row is not None:
        reason = f"an event `{row[0]}` has no `{division.by}`, so it concerns every case"
        raise PartitionError(division.by, [Refusal(name, "without-key", reason) for name in division.keyed_properties])
