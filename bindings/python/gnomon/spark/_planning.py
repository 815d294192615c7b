# SPDX-License-Identifier: MIT OR Apache-2.0
"""Planning: the columns of a data frame and the column by which it is partitioned.

This module also has the names of the columns that are added, and the notation of times and row numbers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as T

import gnomon

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

BUCKET = "_gnomon_bucket"
PLACE = "_gnomon_place"
TIME = "_gnomon_time"

#: The reserved name of progress markers, which are not events: time has passed up to theirs, in every case.
MARKER = "gnomon.tick"


#: Names of columns where neither the spec nor the caller says which.
TIME_NAMES = ("time", "timestamp")
EVENT_NAMES = ("event", "name")


@dataclass(frozen=True)
class Roles:
    """The columns with names, times and fields of events."""

    event: str
    time: str
    #: The other fields that the properties read.
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


def is_classic(df: DataFrame) -> bool:
    """Returns true for Spark in this process, false for Spark Connect."""
    return not type(df).__module__.startswith("pyspark.sql.connect")


def restored_type(kind: T.DataType) -> T.DataType:
    """Returns the type to which a value that was printed as text is cast back."""
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


EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def written(micros: int) -> str:
    """Microseconds as a date and time."""
    return (EPOCH + timedelta(microseconds=micros)).isoformat()


def read_micros(text: str) -> int:
    """The microsecond that a date and time falls into."""
    text, _, fraction = text.removesuffix("Z").partition(".")
    whole = datetime.fromisoformat(text).replace(tzinfo=timezone.utc) - EPOCH
    return whole // timedelta(microseconds=1) + int(fraction[:6].ljust(6, "0") or 0)


#: A place is the number of a partition of the input, shifted by so much, and of the row in it.
PARTITION_SHIFT = 33


def numbered(place: Any, before: Any) -> Any:
    """The number of an event, or of many, from 0, by its place."""
    if before is None:
        return place
    return before[place >> PARTITION_SHIFT] + (place & ((1 << PARTITION_SHIFT) - 1))


def use_this_python(df: DataFrame) -> None:
    """Where the workers are on this machine, they run the Python that has the package, unless the user names another.

    Spark's own choice is whatever `python3` is, which in an environment that is not activated is another one.
    """
    if not is_classic(df) or "PYSPARK_PYTHON" in os.environ:
        return
    context = df.sparkSession.sparkContext
    if (context.master or "").startswith("local"):
        context.pythonExec = sys.executable


#: A reason that does not forbid cases that the user asks for: the property is about all events of whatever it is checked on.
CASES_ARE_FINE = "no-variables"


@dataclass(frozen=True)
class Refusal:
    """The reason why a property cannot be checked in parts."""

    property: str
    kind: str
    reason: str


class PartitionError(ValueError):
    """Some property relates events that different workers would see."""

    def __init__(self, by: str | None, refused: Sequence[Refusal]) -> None:
        self.by = by
        self.refused = tuple(refused)
        what = f"by `{by}`" if by else "by any column of the data frame"
        lines = [f"  {refusal.property}: {refusal.reason}" for refusal in self.refused]
        head = f"the trace cannot be divided {what} without changing a verdict"
        tail = 'name a column with `by=`, leave these properties out, or check on one partition with `across="one"`'
        super().__init__("\n".join([head, *lines, tail]))

    def __reduce__(self) -> tuple[type[PartitionError], tuple[str | None, tuple[Refusal, ...]]]:
        return type(self), (self.by, self.refused)


@dataclass(frozen=True)
class Division:
    """The division of a trace."""

    by: str
    #: True if cases must be shown the first and the last event of the whole trace.
    needs_bounds: bool = False
    #: Events that must have the column, because without it they would concern every case; and whose properties say so.
    keyed_events: tuple[str, ...] = ()
    keyed_properties: tuple[str, ...] = ()


def divide(spec: gnomon.Spec, by: str | None, columns: Iterable[str]) -> Division:
    """Divides by the column that the user names, or by one that changes no verdict."""
    if by is not None:
        plan = spec.plan(by=by)
        refused = [refusal(entry["property"], [entry]) for entry in plan["by"]["refused"]]
        refused = [entry for entry in refused if entry.kind != CASES_ARE_FINE]
        if refused:
            raise PartitionError(by, refused)
        return Division(by)
    plan = spec.plan()
    present = set(columns)
    fields = [field for field in plan["fields"] if field in present]
    if fields:
        return division(plan, fields[0])
    keyless = [entry for entry in plan["properties"] if present.isdisjoint(key["field"] for key in entry["keys"])]
    raise PartitionError(
        None, [refusal(entry["property"], entry["reasons"]) for entry in keyless or plan["properties"]]
    )


def division(plan: dict[str, Any], field: str) -> Division:
    """Divides by a field so that the verdicts are those of the whole trace."""
    keys = [(entry["property"], key) for entry in plan["properties"] for key in entry["keys"] if key["field"] == field]
    strict = [(name, key) for name, key in keys if key["without"] == "refused"]
    return Division(
        field,
        needs_bounds=any(key["told"] for _, key in keys),
        keyed_events=tuple(sorted({place["event"] for _, key in strict for place in key["places"]})),
        keyed_properties=tuple(dict.fromkeys(name for name, _ in strict)),
    )


def refusal(name: str, reasons: Sequence[dict[str, Any]]) -> Refusal:
    if not reasons:
        return Refusal(name, "other-field", "no column of the data frame is its key")
    return Refusal(name, reasons[0]["kind"], "; ".join(reason["text"] for reason in reasons))
