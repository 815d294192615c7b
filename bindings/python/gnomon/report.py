# SPDX-License-Identifier: MIT OR Apache-2.0
"""What was found."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

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
    """What is known of a property."""

    HOLDS = "holds"
    """It is true."""
    VIOLATED = "violated"
    """It is false."""
    INCONCLUSIVE = "inconclusive"
    """The trace so far does not tell."""

    def __str__(self) -> str:
        return self.value


Time = int | str
"""A time as the trace has it: a whole number, or a text with all its digits or its date."""


@dataclass(frozen=True)
class Because:
    """One event of the story behind a violation."""

    event_index: int
    """Its place in the trace, from 0."""
    time: Time
    event: str
    note: str
    """What it did."""


@dataclass(frozen=True)
class Decided:
    """When a violation became certain: at an event, or when a time had passed."""

    time: Time
    event_index: int | None = None
    event: str | None = None


@dataclass(frozen=True)
class Durations:
    """From activation to satisfaction."""

    min: Time
    max: Time
    mean: Time


@dataclass(frozen=True)
class Violation:
    """One place where a property is broken."""

    property: str
    """The name of the property."""
    event_index: int
    """The place in the trace, from 0, of the event that it is broken at."""
    time: Time
    event: str
    position: int
    """The property's own count of positions."""
    until_position: int | None
    """The last of several consecutive positions that are broken alike."""
    decided: Decided
    binding: dict[str, Any]
    """For which values of the property's variables."""
    failed: str
    """The part of the property that failed."""
    summary: str
    """In one sentence, what went wrong."""
    because: list[Because]
    """The events that explain it."""
    case: str | None = None
    """The case, where the trace is judged by cases."""
    number: int | None = None
    """Of what a monitor found: its number, from 1."""
    grew: bool = False
    """Of what a monitor found: whether it was told before, and has grown."""

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value!r}" for name, value in self.binding.items())
        case = f", case {self.case}" if self.case is not None else ""
        return f"{self.property}: {self.summary} at {self.time}{case}" + (f" ({values})" if values else "")

    def to_dict(self) -> dict[str, Any]:
        """The violation as one row: what a table of violations has."""
        return {
            "property": self.property,
            "case": self.case,
            "event_index": self.event_index,
            "position": self.position,
            "until_position": self.until_position,
            "time": self.time,
            "event": self.event,
            "decided_index": self.decided.event_index,
            "decided_time": self.decided.time,
            "decided_event": self.decided.event,
            "binding": json.dumps(self.binding, ensure_ascii=False),
            "failed": self.failed,
            "summary": self.summary,
            "because": json.dumps([vars(because) for because in self.because], ensure_ascii=False),
        }

    @classmethod
    def _of(cls, name: str, said: Mapping[str, Any], number: int | None = None, grew: bool = False) -> Violation:
        at = said["at"]
        return cls(
            property=name,
            event_index=at["event_index"],
            time=at["time"],
            event=at["event"],
            position=at["position"],
            until_position=said["until_position"],
            decided=Decided(**said["decided"]),
            binding=said["binding"],
            failed=said["failed"],
            summary=said["summary"],
            because=[Because(**because) for because in said["because"]],
            case=said.get("case"),
            number=number,
            grew=grew,
        )


@dataclass(frozen=True)
class Outcome:
    """What became of one property over the trace."""

    name: str
    language: str
    verdict: Verdict
    presumably: bool | None
    """Where it is inconclusive: what it would be if the trace ended here."""
    positions: int
    activated: int
    """How often the property asked for something."""
    satisfied: int
    """How often it got it."""
    violated: int
    """How often it did not."""
    pending: int
    """How often that is still open."""
    exercised: bool
    """Whether anything in the trace put it to the test."""
    duration: Durations | None
    violations: list[Violation] = field(repr=False)
    """The first of them."""
    title: str | None = None
    severity: str | None = None
    violating_cases: int | None = None
    note: str | None = None

    @property
    def ok(self) -> bool:
        """Whether it is not violated."""
        return self.verdict is not Verdict.VIOLATED

    @classmethod
    def _of(cls, said: Mapping[str, Any]) -> Outcome:
        duration = said["duration"]
        return cls(
            name=said["name"],
            language=said["language"],
            verdict=Verdict(said["verdict"]),
            presumably=said["presumably"],
            positions=said["positions"],
            activated=said["activated"],
            satisfied=said["satisfied"],
            violated=said["violated"],
            pending=said["pending"],
            exercised=said["exercised"],
            duration=None if duration is None else Durations(**duration),
            violations=[Violation._of(said["name"], violation) for violation in said["violations"]],
            title=said.get("title"),
            severity=said.get("severity"),
            violating_cases=said.get("violating_cases"),
            note=said.get("note"),
        )

    def _row(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "language": self.language,
            "title": self.title,
            "severity": self.severity,
            "verdict": self.verdict.value,
            "presumably": self.presumably,
            "positions": self.positions,
            "activated": self.activated,
            "satisfied": self.satisfied,
            "violated": self.violated,
            "pending": self.pending,
            "duration_min": None if self.duration is None else str(self.duration.min),
            "duration_max": None if self.duration is None else str(self.duration.max),
            "duration_mean": None if self.duration is None else str(self.duration.mean),
            "violating_cases": self.violating_cases,
        }


@dataclass(frozen=True)
class Cases:
    """The cases of a trace that was judged by cases."""

    total: int
    violating: int
    """How many of them violate some property."""
    events_without: int = 0
    """How many events belong to none, and were not judged."""


class Report(Mapping[str, Outcome]):
    """What was found: the outcome of each property by its name. In a notebook it draws itself."""

    def __init__(self, raw: _gnomon.RawReport) -> None:
        self._raw: _gnomon.RawReport | None = raw
        self._kept: dict[str, Any] = {}

    @cached_property
    def _said(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.to_json())
        return said

    @property
    def _trace(self) -> dict[str, Any]:
        trace: dict[str, Any] = self._said["traces"][0]
        return trace

    def to_json(self) -> str:
        """The report of the command line, as JSON."""
        kept: str = self._part("json", lambda raw: raw.json())
        return kept

    def to_dict(self) -> dict[str, Any]:
        """The same as Python values."""
        said: dict[str, Any] = json.loads(self.to_json())
        return said

    @property
    def spec(self) -> str:
        """What the spec is called."""
        name: str = self._said["spec"]
        return name

    @property
    def source(self) -> str:
        """What the trace is called."""
        name: str = self._trace["source"]
        return name

    @property
    def events(self) -> int:
        """How many events were judged."""
        events: int = self._trace["events"]
        return events

    @property
    def first_time(self) -> Time | None:
        """The time of the first."""
        time: Time | None = self._trace["first_time"]
        return time

    @property
    def last_time(self) -> Time | None:
        """The time of the last."""
        time: Time | None = self._trace["last_time"]
        return time

    @property
    def verdict(self) -> Verdict:
        """That of all properties together."""
        return Verdict(self._trace["verdict"])

    @property
    def ok(self) -> bool:
        """Whether nothing is violated."""
        return self.verdict is not Verdict.VIOLATED

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """What became of each property, in the order of the spec."""
        return [Outcome._of(said) for said in self._trace["properties"]]

    @cached_property
    def violations(self) -> list[Violation]:
        """The violations that are listed, property by property."""
        return [violation for outcome in self.outcomes for violation in outcome.violations]

    @property
    def cases(self) -> Cases | None:
        """The cases, where the trace was judged by cases."""
        said = self._trace.get("cases")
        return None if said is None else Cases(**said)

    @property
    def unseen(self) -> list[str]:
        """Events that the properties speak of and the trace never has."""
        unseen: list[str] = self._trace.get("unseen", [])
        return unseen

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
        """A table of pyarrow: of the ``violations``, of the ``properties`` or of the ``cases`` with each property."""
        import pyarrow

        if table == "cases" and self._raw is not None:
            return pyarrow.table(self._raw.cases())
        types = {"string": pyarrow.string(), "long": pyarrow.int64(), "boolean": pyarrow.bool_()}
        schema = pyarrow.schema([(name, types[of]) for name, of in _columns(table)])
        return pyarrow.Table.from_pydict(self._lists(table), schema=schema)

    def to_pandas(self, table: str = "violations") -> pandas.DataFrame:
        """The same as a frame of pandas."""
        return self.to_arrow(table).to_pandas()

    def to_polars(self, table: str = "violations") -> polars.DataFrame:
        """The same as a frame of polars."""
        import polars

        if table == "cases" and self._raw is not None:
            return polars.DataFrame(self._raw.cases())
        types = {"string": polars.String, "long": polars.Int64, "boolean": polars.Boolean}
        return polars.DataFrame(self._lists(table), schema={name: types[of] for name, of in _columns(table)})

    def _lists(self, table: str) -> dict[str, list[Any]]:
        if table == "cases":
            lists: dict[str, list[Any]] = self._kept["cases"]
            return lists
        rows = self._rows(table)
        return {name: [row[name] for row in rows] for name, _ in _columns(table)}

    def _rows(self, table: str) -> list[dict[str, Any]]:
        if table == "properties":
            return [outcome._row() for outcome in self.outcomes]
        rows = [violation.to_dict() for violation in self.violations]
        return [row | {key: str(row[key]) for key in ("time", "decided_time")} for row in rows]

    def __str__(self) -> str:
        kept: str = self._part("text", lambda raw: raw.text(_DRAWN))
        return kept.rstrip("\n")

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{outcome.name}: {outcome.verdict}" for outcome in self.outcomes)
        return f"<Report of {self.source}: {verdicts}>"

    def _repr_html_(self) -> str:
        kept: str = self._part("html", lambda raw: raw.html(_DRAWN))
        return kept

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


def _columns(table: str) -> list[tuple[str, str]]:
    if table not in _TABLES:
        raise ValueError(f"there is no table {table!r}; there are {', '.join(_TABLES)}")
    return _TABLES[table]
