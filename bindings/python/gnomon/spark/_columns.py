# SPDX-License-Identifier: MIT OR Apache-2.0
"""The columns of a data frame that judging needs, and those that keep its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

import gnomon

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


def is_classic(df: DataFrame) -> bool:
    """Whether this is Spark itself, in this process, and not something that is spoken to from afar."""
    return not type(df).__module__.startswith("pyspark.sql.connect")


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
