# SPDX-License-Identifier: MIT OR Apache-2.0
"""By which column a data frame may be divided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gnomon

#: Why a property is no reason against cases that the user asks for: it speaks of all events of whatever it is asked of.
CASES_ARE_FINE = "no-variables"


@dataclass(frozen=True)
class Refusal:
    """Why one property may not be judged in parts."""

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
        tail = 'name a column with `by=`, leave these properties out, or judge on one partition with `across="one"`'
        super().__init__("\n".join([head, *lines, tail]))

    def __reduce__(self) -> tuple[type[PartitionError], tuple[str | None, tuple[Refusal, ...]]]:
        return type(self), (self.by, self.refused)


@dataclass(frozen=True)
class Division:
    """How a trace is divided."""

    by: str
    #: Whether cases are to be told of the first and of the last event of the whole.
    framed: bool = False
    #: Events that must have the column, because without it they would concern every case; and whose properties say so.
    keyed_events: tuple[str, ...] = ()
    keyed_properties: tuple[str, ...] = ()


def divide(spec: gnomon.Spec, by: str | None, columns: Iterable[str]) -> Division:
    """By the column that the user names, or by one that changes no verdict."""
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
    """So that the verdicts are those of the whole."""
    keys = [(entry["property"], key) for entry in plan["properties"] for key in entry["keys"] if key["field"] == field]
    strict = [(name, key) for name, key in keys if key["without"] == "refused"]
    return Division(
        field,
        framed=any(key["told"] for _, key in keys),
        keyed_events=tuple(sorted({place["event"] for _, key in strict for place in key["places"]})),
        keyed_properties=tuple(dict.fromkeys(name for name, _ in strict)),
    )


def refusal(name: str, reasons: Sequence[dict[str, Any]]) -> Refusal:
    if not reasons:
        return Refusal(name, "other-field", "no column of the data frame is its key")
    return Refusal(name, reasons[0]["kind"], "; ".join(reason["text"] for reason in reasons))
