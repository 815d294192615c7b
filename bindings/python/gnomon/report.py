# SPDX-License-Identifier: MIT OR Apache-2.0
"""The result of a check."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from . import _gnomon
from .columns import CASES_COLUMNS, VIOLATIONS_COLUMNS

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_DRAWN = 10
_TABLES: dict[str, list[tuple[str, str]]] = {
    "properties": [
        *((name, "string") for name in ("name", "language", "title", "severity", "verdict")),
        ("presumably", "boolean"),
        *((name, "long") for name in ("positions", "activated", "satisfied", "violated", "pending")),
        *((name, "string") for name in ("duration_min", "duration_max", "duration_mean")),
        ("violating_cases", "long"),
    ],
    "violations": VIOLATIONS_COLUMNS,
    "cases": CASES_COLUMNS,
}


class Verdict(str, enum.Enum):
    """The verdict of a property."""

    HOLDS = "holds"
    """It is true."""
    VIOLATED = "violated"
    """It is false."""
    INCONCLUSIVE = "inconclusive"
    """The trace so far does not decide it."""

    def __str__(self) -> str:
        return self.value


Time = int | str
"""A time in the notation of the trace: a whole number, or a text with all its digits or its date."""


@dataclass(frozen=True)
class Because:
    """One event that explains a violation."""

    event_index: int
    """Its index in the trace, from 0."""
    time: Time
    event: str
    note: str
    """Its role in the violation."""
    line: int | None = None
    """The line on which it begins, or its row, from 1; ``None`` if it is not known."""
    offset: int | None = None
    """The number of bytes before it in the decompressed input."""

    def _cells(self) -> dict[str, Any]:
        """Returns what the table of violations has of it, whether its place is known or not."""
        return {name: getattr(self, name) for name in ("event_index", "time", "event", "note")}


@dataclass(frozen=True)
class Decided:
    """When a violation became certain: at an event, or when a time had passed."""

    time: Time
    event_index: int | None = None
    event: str | None = None
    line: int | None = None
    """The line on which the event begins, or its row, from 1; ``None`` if it is not known."""
    offset: int | None = None
    """The number of bytes before the event in the decompressed input."""


@dataclass(frozen=True)
class Durations:
    """Times from activation to satisfaction."""

    min: Time
    max: Time
    mean: Time


@dataclass(frozen=True)
class Violation:
    """One violation of a property."""

    property: str
    """The name of the property."""
    event_index: int
    """The index in the trace, from 0, of the event at which it is violated."""
    time: Time
    event: str
    position: int
    """The position of the property, from 0."""
    until_position: int | None
    """The last of several consecutive positions that fail alike."""
    decided: Decided
    binding: dict[str, Any]
    """The values of the variables of the property."""
    failed: str
    """The part of the property that failed."""
    summary: str
    """The violation in one sentence."""
    because: list[Because]
    """The events that explain it."""
    case: str | None = None
    """The case, in a trace that is divided into cases."""
    number: int | None = None
    """In the violations of a monitor: its number, from 1."""
    grew: bool = False
    """In the violations of a monitor: true if it was returned before and has grown."""
    line: int | None = None
    """The line on which the event begins, or its row, from 1; ``None`` if it is not known."""
    offset: int | None = None
    """The number of bytes before the event in the decompressed input."""

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value!r}" for name, value in self.binding.items())
        case = f", case {self.case}" if self.case is not None else ""
        return f"{self.property}: {self.summary} at {self.time}{case}" + (f" ({values})" if values else "")

    def to_dict(self) -> dict[str, Any]:
        """Returns the violation as a row of the table of violations."""
        cells = vars(self) | {
            "decided_index": self.decided.event_index,
            "decided_time": self.decided.time,
            "decided_event": self.decided.event,
            "binding": json.dumps(self.binding, ensure_ascii=False),
            "because": json.dumps([because._cells() for because in self.because], ensure_ascii=False),
        }
        return {"property": self.property} | {name: cells[name] for name, _ in VIOLATIONS_COLUMNS}

    @classmethod
    def _of(cls, name: str, fields: Mapping[str, Any], number: int | None = None, grew: bool = False) -> Violation:
        parts = {**fields, **fields["at"]}
        parts["decided"] = Decided(**fields["decided"])
        parts["because"] = [Because(**because) for because in fields["because"]]
        return cls(property=name, number=number, grew=grew, **_known(cls, parts))


@dataclass(frozen=True)
class Outcome:
    """The outcome of one property."""

    name: str
    language: str
    verdict: Verdict
    presumably: bool | None
    """For an inconclusive verdict: the verdict if the trace ended here."""
    positions: int
    activated: int
    """The number of activations."""
    satisfied: int
    """The number of satisfied activations."""
    violated: int
    """The number of violated activations."""
    pending: int
    """The number of pending activations."""
    exercised: bool
    """True if the trace exercised the property."""
    duration: Durations | None
    violations: list[Violation] = field(repr=False)
    """The first violations."""
    title: str | None = None
    severity: str | None = None
    violating_cases: int | None = None
    note: str | None = None
    open_at_end: int = 0
    """The number of violated activations that only the end of the trace decides."""

    @property
    def ok(self) -> bool:
        """True if it is not violated."""
        return self.verdict is not Verdict.VIOLATED

    @classmethod
    def _of(cls, fields: Mapping[str, Any]) -> Outcome:
        duration = fields["duration"]
        parts = dict(fields)
        parts["verdict"] = Verdict(fields["verdict"])
        parts["duration"] = None if duration is None else Durations(**duration)
        parts["violations"] = [Violation._of(fields["name"], violation) for violation in fields["violations"]]
        return cls(**_known(cls, parts))

    def _row(self) -> dict[str, Any]:
        durations = {} if self.duration is None else vars(self.duration)
        cells = vars(self) | {f"duration_{name}": str(time) for name, time in durations.items()}
        cells["verdict"] = self.verdict.value
        return {name: cells.get(name) for name, _ in _TABLES["properties"]}


@dataclass(frozen=True)
class Cases:
    """The cases of a trace that is divided into cases."""

    total: int
    violating: int
    """The number of cases that violate a property."""
    events_without: int = 0
    """The number of events that belong to no case; they were not checked."""


class Report(Mapping[str, Outcome]):
    """The result of a check: the outcome of each property by its name. In a notebook it is rendered as HTML."""

    def __init__(self, raw: _gnomon.RawReport) -> None:
        self._raw: _gnomon.RawReport | None = raw
        self._kept: dict[str, Any] = {}

    @cached_property
    def _json(self) -> dict[str, Any]:
        return self.to_dict()

    @property
    def _trace(self) -> dict[str, Any]:
        return cast(dict[str, Any], self._json["traces"][0])

    def to_json(self) -> str:
        """Returns the JSON report of the command line."""
        return cast(str, self._part("json", lambda raw: raw.json()))

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON report as Python values."""
        return cast(dict[str, Any], json.loads(self.to_json()))

    @property
    def spec(self) -> str:
        """The name of the spec."""
        return cast(str, self._json["spec"])

    @property
    def source(self) -> str:
        """The name of the trace."""
        return cast(str, self._trace["source"])

    @property
    def events(self) -> int:
        """The number of events that were checked."""
        return cast(int, self._trace["events"])

    @property
    def first_time(self) -> Time | None:
        """The time of the first event."""
        return cast(Time | None, self._trace["first_time"])

    @property
    def last_time(self) -> Time | None:
        """The time of the last event."""
        return cast(Time | None, self._trace["last_time"])

    @property
    def verdict(self) -> Verdict:
        """The verdict of all properties together."""
        return Verdict(self._trace["verdict"])

    @property
    def ok(self) -> bool:
        """True if nothing is violated."""
        return self.verdict is not Verdict.VIOLATED

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The outcome of each property, in the order of the spec."""
        return [Outcome._of(fields) for fields in self._trace["properties"]]

    @cached_property
    def violations(self) -> list[Violation]:
        """The violations that are listed, property by property."""
        return [violation for outcome in self.outcomes for violation in outcome.violations]

    @property
    def cases(self) -> Cases | None:
        """The cases, in a trace that is divided into cases."""
        fields = self._trace.get("cases")
        return None if fields is None else Cases(**fields)

    @property
    def unseen(self) -> list[str]:
        """Events that the properties mention and the trace does not have."""
        return cast(list[str], self._trace.get("unseen", []))

    def __getitem__(self, name: str) -> Outcome:
        for outcome in self.outcomes:
            if outcome.name == name:
                return outcome
        names = ", ".join(outcome.name for outcome in self.outcomes)
        raise KeyError(f"no property `{name}`; there are {names}")

    def __iter__(self) -> Iterator[str]:
        return (outcome.name for outcome in self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)

    def to_arrow(self, table: str = "violations") -> pyarrow.Table:
        """Returns a table of pyarrow: of the ``violations``, of the ``properties`` or of the ``cases`` with each property."""
        import pyarrow

        if table == "cases" and self._raw is not None:
            return pyarrow.table(self._raw.cases())
        types = {"string": pyarrow.string(), "long": pyarrow.int64(), "boolean": pyarrow.bool_()}
        schema = pyarrow.schema([(name, types[of]) for name, of in _columns(table)])
        return pyarrow.Table.from_pydict(self._lists(table), schema=schema)

    def to_pandas(self, table: str = "violations") -> pandas.DataFrame:
        """Returns a frame of pandas with the table of :meth:`to_arrow`."""
        return self.to_arrow(table).to_pandas()

    def to_polars(self, table: str = "violations") -> polars.DataFrame:
        """Returns a frame of polars with the table of :meth:`to_arrow`."""
        import polars

        if table == "cases" and self._raw is not None:
            return polars.DataFrame(self._raw.cases())
        types = {"string": polars.String, "long": polars.Int64, "boolean": polars.Boolean}
        return polars.DataFrame(self._lists(table), schema={name: types[of] for name, of in _columns(table)})

    def _lists(self, table: str) -> dict[str, list[Any]]:
        if table == "cases":
            return cast(dict[str, list[Any]], self._kept["cases"])
        rows = self._rows(table)
        return {name: [row[name] for row in rows] for name, _ in _columns(table)}

    def _rows(self, table: str) -> list[dict[str, Any]]:
        if table == "properties":
            return [outcome._row() for outcome in self.outcomes]
        rows = [violation.to_dict() for violation in self.violations]
        return [row | {key: str(row[key]) for key in ("time", "decided_time")} for row in rows]

    def __str__(self) -> str:
        return cast(str, self._part("text", lambda raw: raw.text(_DRAWN))).rstrip("\n")

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{outcome.name}: {outcome.verdict}" for outcome in self.outcomes)
        return f"<Report of {self.source}: {verdicts}>"

    def _repr_html_(self) -> str:
        return cast(str, self._part("html", lambda raw: raw.html(_DRAWN)))

    def _part(self, name: str, of: Any) -> Any:
        if name not in self._kept:
            self._kept[name] = of(self._raw)
        return self._kept[name]

    def __getstate__(self) -> dict[str, Any]:
        cases = self._kept["cases"] if self._raw is None else self._raw.case_columns()
        return {"json": self.to_json(), "text": str(self), "html": self._repr_html_(), "cases": cases}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self._raw, self._kept = None, kept

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]


def _known(cls: Any, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parts that are fields of a dataclass."""
    return {known.name: parts[known.name] for known in dataclasses.fields(cls) if known.name in parts}


def _columns(table: str) -> list[tuple[str, str]]:
    if table not in _TABLES:
        raise ValueError(f"there is no table {table!r}; there are {', '.join(_TABLES)}")
    return _TABLES[table]
