# SPDX-License-Identifier: MIT OR Apache-2.0
"""Parts of a trace that an engine has divided by a field: judged where they lie, joined afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from . import _gnomon
from ._gnomon import Spec
from .check import ArrowBatch, ArrowStream, arrow, options_of
from .report import Report

Landmark: TypeAlias = tuple[int, str, str]
"""An event of the whole trace: its index, its time as it is written, its name."""

@dataclass(frozen=True)
class Part:
    """What was found in a part of a trace."""

    cases: ArrowStream
    """What became of each property in each case, in ``CASES_COLUMNS``; ``pyarrow.table(part.cases)`` takes it over."""
    violations: ArrowStream
    """The violations of all cases, in ``VIOLATIONS_COLUMNS``."""
    saved: bytes
    """What the part adds to the whole, for ``join_parts``."""


def judge_part(
    spec: Spec,
    batches: ArrowStream | ArrowBatch | Iterable[Any],
    *,
    by: str,
    event: str | None = None,
    time: str | None = None,
    index: str | None = None,
    end: str = "complete",
    max_violations: int = 1000,
    kept: int = 1000,
    first: Landmark | None = None,
    last: Landmark | None = None,
) -> Part:
    """Judges the cases of a part, which are the values of a field.

    The events must come case by case, each case in the order of time. Critical properties stop nothing.

    :param batches: a table or a stream of record batches, or an iterable of batches of pyarrow.
    :param by: the field. Events that lack it are not judged.
    :param index: the column that has an event's place in the whole trace; without it places are counted within the part.
    :param max_violations: how many violations of each property are listed of a case.
    :param kept: how many violations of each property are kept for the report of the whole.
    :param first: the first event of the whole trace: its index, its time as it is written, its name. With it and ``last`` the cases
        come to what they come to in the whole trace, for properties that ``spec.plan`` allows to be divided by this field.
    :param last: the last event of the whole trace.
    """
    options = options_of(by=by, event=event, time=time, end=end, max_violations=max_violations, first=first, last=last)
    raw = _gnomon.judge_part(spec, _stream(batches), by, index, kept, options)
    return Part(raw.cases(), raw.violations(), raw.save())


def join_parts(spec: Spec, parts: Iterable[bytes], *, source: str = "<parts>", max_violations: int = 1000) -> Report:
    """The report of the whole trace: what ``check(spec, trace, by=...)`` would say.

    :param parts: what the parts have saved, in any order.
    :param source: what the trace is called.
    """
    return Report(_gnomon.join_parts(spec, [bytes(part) for part in parts], source, max_violations))


def _stream(batches: Any) -> Any:
    stream = arrow(batches)
    if stream is not None:
        return stream
    import pyarrow

    iterator = iter(batches)
    first = next(iterator, None)
    if first is None:
        return pyarrow.table({})

    def all_batches() -> Iterable[Any]:
        yield first
        yield from iterator

    return pyarrow.RecordBatchReader.from_batches(first.schema, all_batches())
