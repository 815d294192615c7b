# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks events that come one by one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from . import _gnomon
from ._gnomon import Spec
from .check import ArrowBatch, ArrowStream, Event, arrow, chosen, options_of
from .report import Outcome, Report, Violation


class Monitor:
    """Checks events as they come, in order of time.

    >>> monitor = Monitor(Spec.from_text("mtl answered { forall x. G (ask(x) -> F[0,3] answer(x)) }"))
    >>> monitor.step("ask", 1, x="ann")
    0
    >>> monitor.next_deadline
    '4'
    >>> monitor.advance(5)
    >>> [violation.binding for violation in monitor.take_violations()]
    [{'x': 'ann'}]

    Its state is data: it can be saved and restored, copied and pickled. It must not be used by two threads at the same time.

    :param by: a field: the events that have the same value of it are a trace of their own.
    """

    def __init__(self, spec: Spec | str | os.PathLike[str], by: str | None = None) -> None:
        self._raw = _gnomon.RawMonitor(chosen(spec), by)

    @classmethod
    def restore(cls, spec: Spec, state: bytes) -> Monitor:
        """Restores a saved monitor of the same spec. The spec is shared; only the state is read."""
        return cls._of(_gnomon.RawMonitor.restore(spec, state))

    @classmethod
    def _of(cls, raw: _gnomon.RawMonitor) -> Monitor:
        monitor = cls.__new__(cls)
        monitor._raw = raw
        return monitor

    @property
    def spec(self) -> Spec:
        """The spec."""
        return self._raw.spec

    @property
    def events(self) -> int:
        """The number of events."""
        return self._raw.events

    @property
    def now(self) -> str | None:
        """The latest time of an event or of :meth:`advance`, as text."""
        return self._raw.now

    @property
    def next_deadline(self) -> str | None:
        """The earliest time whose passing may decide something, as text; ``None`` if nothing is pending."""
        return self._raw.next_deadline

    def step(self, event: str, time: Any = None, /, **fields: Any) -> int:
        """Takes an event; returns its index.

        :param event: its name.
        :param time: its time; left out, its index is its time. It must not be earlier than the time before.
        """
        return self._raw.step(event, time, fields)

    def feed(self, events: Iterable[Event], *, event: str | None = None, time: str | None = None) -> int:
        """Takes events one after the other; returns their number. Tables are fed with :meth:`feed_arrow`."""
        return self._raw.feed(events, event, time)

    def feed_arrow(
        self, batches: ArrowStream | ArrowBatch | object, *, event: str | None = None, time: str | None = None
    ) -> int:
        """Takes the rows of a table or a stream of record batches one after the other; returns their number."""
        stream = arrow(batches)
        if stream is None:
            raise TypeError(f"a `{type(batches).__name__}` has no `__arrow_c_stream__`; feed events with `feed`")
        return self._raw.feed_arrow(stream, options_of(event=event, time=time))

    def advance(self, time: Any) -> None:
        """Advances time: nothing earlier follows, so deadlines before it have passed."""
        self._raw.advance(time)

    def take_violations(self) -> list[Violation]:
        """Returns the violations found since the last call."""
        found = self._raw.drain_violations()
        return [Violation._of(name, json.loads(fields), number, grew) for number, grew, name, fields in found]

    def __iter__(self) -> Iterator[Violation]:
        """Iterates over the violations found since the last call."""
        return iter(self.take_violations())

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcome of each property so far, if more events follow."""
        return self.report().outcomes

    def report(self, *, end: str = "prefix", source: str = "<events>") -> Report:
        """Reports the properties so far; with ``end="complete"`` as if nothing more came. It changes nothing."""
        return Report(self._raw.report(source, end))

    def finish(self, *, end: str = "complete", source: str = "<events>") -> Report:
        """Ends the monitor and reports the properties. The monitor cannot be used any more."""
        return Report(self._raw.finish(source, end))

    def save(self) -> bytes:
        """Saves the state without the spec. Violations that were not taken are lost."""
        return self._raw.save()

    def __copy__(self) -> Monitor:
        return self._of(self._raw.copy())

    def __deepcopy__(self, _memo: object) -> Monitor:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return Monitor.restore, (self.spec, self.save())

    def __repr__(self) -> str:
        return f"<Monitor of {self.spec.name}: {self.events} events>"
