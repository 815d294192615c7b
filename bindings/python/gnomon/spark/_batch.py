# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks a data frame of events once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from pyspark.sql import functions as F
from pyspark.sql import types as T

import gnomon

from ._checking import COLUMNS, CheckTask, unpack_results
from ._packing import Sorting
from ._planning import (
    Division,
    PartitionError,
    Refusal,
    Roles,
    column,
    divide,
    is_classic,
    quoted,
    restored_type,
    roles,
    use_this_python,
)
from ._reading import FileSource, EngineSource, files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTITIONS = "spark.sql.shuffle.partitions"


class Result:
    """The result of a check: two data frames and a report. The events are checked once, when the first of them is needed."""

    def __init__(self, rows: DataFrame, task: CheckTask, types: dict[str, T.DataType]) -> None:
        self._rows = rows.persist()
        self._task = task
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
        """The report that `gnomon check` would give for the whole trace."""
        if self._report is None:
            parts = self._packets("part").collect()
            self._report = self._task.joined([bytes(part["packet"]) for part in parts])
        return self._report

    def unpersist(self) -> None:
        """Releases the memory of the result."""
        self._rows.unpersist()

    def _part(self, name: str) -> DataFrame:
        columns = ", ".join(f"{column} {kind}" for column, kind in COLUMNS[name])
        rows = self._packets(name).mapInArrow(partial(unpack_results, name), columns)
        for name, kind in self._types.items():
            if name in rows.columns:
                rows = rows.withColumn(name, F.col(name).cast(kind))
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
    """Checks the events of a data frame, each value of the column `by` as a trace of its own.

    Without `by`, a column is chosen by which the trace can be partitioned without changing a verdict
    (:meth:`gnomon.Spec.plan`); if there is none, :class:`PartitionError` says why. `across="one"` then checks the
    whole on one partition instead.

    Events with equal times keep the order of the column (or columns) `order`; without it, that of the input, as far
    as the engine has one. `partitions`: the number of parts into which the events are divided. `number=False` saves counting
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
    events = event_source(df, found, ties, key, number)
    parts = partitions or events.partitions(int(df.sparkSession.conf.get(PARTITIONS, "200") or 200))
    task = CheckTask(
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
    if division and division.needs_bounds:
        task.first, task.last = events.ends()
    rows = events.check(task, parts)
    originals = {"time": found.time, "decided_time": found.time} | ({"case": key} if key else {})
    types = {name: restored_type(df.schema[name_of].dataType) for name, name_of in originals.items()}
    return Result(rows, task, types)


def event_source(df: DataFrame, found: Roles, ties: tuple[str, ...], key: str | None, number: bool) -> FileSource | EngineSource:
    """Returns the source of the needed columns: the files themselves if that is possible, else the engine."""
    names = list(dict.fromkeys([found.event, found.time, *([key] if key else []), *ties, *found.fields]))
    plain = files(df, names, found.time, key)
    if plain is not None:
        return FileSource(df.sparkSession, plain, found.event, found.time, ties, key)
    return EngineSource(df, names, found.event, found.time, ties, key, number)


def refuse_without(df: DataFrame, event: str, division: Division) -> None:
    """Refuses events that lack the key: they would belong to every case."""
    keyless = df.where(quoted(event).isin(list(division.keyed_events)) & quoted(division.by).isNull())
    row = keyless.select(quoted(event)).first()
    if row is not None:
        reason = f"an event `{row[0]}` has no `{division.by}`, so it concerns every case"
        raise PartitionError(division.by, [Refusal(name, "without-key", reason) for name in division.keyed_properties])
