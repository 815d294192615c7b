# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks the parts of a trace that an engine has divided by a field, and joins the results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from . import _gnomon
from ._gnomon import Spec
from .check import ArrowBatch, ArrowStream, arrow, options_of
from .report import Report

BoundaryEvent: TypeAlias = tuple[int, str, str]
"""The first or the last event of the whole trace: its index, its time as text, its name."""

@dataclass(frozen=True)
class Part:
    """The result of checking a part of a trace."""

    cases: ArrowStream
    """The outcome of each property in each case, in ``CASES_COLUMNS``; ``pyarrow.table(part.cases)`` takes it over."""
    violations: ArrowStream
    """The violations of all cases, in ``VIOLATIONS_COLUMNS``."""
    saved: bytes
    """The encoded result, for ``join_parts``."""


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
    first: BoundaryEvent | None = None,
    last: BoundaryEvent | None = None,
) -> Part:
    """Checks the cases of a part, which are the values of a field.

    The events must come case by case, each case in order of time. Critical properties stop nothing.

    :param batches: a table or a stream of record batches, or an iterable of batches of pyarrow.
    :param by: the field. Events that lack it are not checked.
    :param index: the column with the index of an event in the whole trace; without it indices count within the part.
    :param max_violations: the greatest number of violations of each property that are listed for a case.
    :param kept: the greatest number of violations of each property that are kept for the report of the whole.
    :param first: the first event of the whole trace: its index, its time as text, its name. With it and ``last`` the
        outcomes are those of the whole trace, for properties that ``spec.plan`` allows to be partitioned by this field.
    :param last: the last event of the whole trace.
    """
    options = options_of(by=by, event=event, time=time, end=end, max_violations=max_violations, first=first, last=last)
    raw = _gnomon.judge_part(spec, _stream(batches), by, index, kept, options)
    return Part(raw.cases(), raw.violations(), raw.save())


def join_parts(spec: Spec, parts: Iterable[bytes], *, source: str = "<parts>", max_violations: int = 1000) -> Report:
    """Joins parts to the report of the whole trace, which equals that of ``check(spec, trace, by=...)``.

    :param parts: the encoded results of the parts, in any order.
    :param source: the name of the trace.
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
