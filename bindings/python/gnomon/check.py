# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks a trace in any form: file, bytes, table, events."""

from __future__ import annotations

import os
import sys
import time as clock
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any, Protocol, TypeAlias, Union, runtime_checkable

from . import _gnomon
from ._gnomon import Spec
from .report import Report


@runtime_checkable
class ArrowStream(Protocol):
    """A table or a stream of record batches: of pyarrow, polars, pandas, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowBatch(Protocol):
    """A single record batch."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class Readable(Protocol):
    """A file object."""

    def read(self, size: int, /) -> bytes | str: ...


Event: TypeAlias = Union[Mapping[str, Any], "tuple[str, Any]", "tuple[str, Any, dict[str, Any]]"]
"""An event: a mapping with its name under ``event`` and its time under ``time``, or a tuple of name, time and fields."""

Trace: TypeAlias = Union[
    str, "os.PathLike[str]", bytes, bytearray, memoryview, Readable, ArrowStream, ArrowBatch, Iterable[Event]
]
"""A trace in any form."""

Progress: TypeAlias = Union[bool, None, Callable[[int, int], object]]


def check(
    spec: Spec | str | os.PathLike[str],
    trace: Trace,
    *,
    by: str | None = None,
    whole: bool = False,
    event: str | None = None,
    time: str | None = None,
    end: str = "complete",
    reorder: str | float | None = None,
    jobs: int = 1,
    max_violations: int = 1000,
    max_bindings: int | None = None,
    max_memory: int | None = None,
    format: str | None = None,
    mode: str | None = None,
    externs: bool = True,
    properties: Iterable[str] | None = None,
    progress: Progress = None,
) -> Report:
    """Checks a trace against a spec.

    >>> spec = Spec.from_text("soloist calm { G(!alarm) }")
    >>> check(spec, [("start", 0), ("alarm", 3)]).ok
    False

    :param spec: a spec, or the path of one.
    :param trace: the path of a file of any format; its bytes, or a file object; anything with ``__arrow_c_stream__``, such as a
        table of pyarrow or a frame of polars, pandas or DuckDB; a dataset of pyarrow; or an iterable of events.
    :param by: a field: the events that have the same value of it are a trace of their own.
    :param whole: check the whole trace, even if its format has cases.
    :param event: the field that has the events' names; without it ``event``, else ``name``.
    :param time: the field that has the times; without it what the spec declares, else the usual names.
    :param end: ``complete``, or ``prefix`` if the trace is the beginning of a longer one.
    :param reorder: the longest delay of an event that is out of order, such as ``"5s"``.
    :param jobs: the number of threads.
    :param max_violations: how many violations of each property are listed; all are counted.
    :param max_bindings: the greatest number of bindings that have a state of their own at the same time.
    :param max_memory: the greatest number of bytes that they take.
    :param format: the format of the file, if it cannot be detected.
    :param mode: ``standard``: a violation is counted; ``critical``: it stops the verification. Without it, each property decides.
    :param externs: true to read external variables.
    :param properties: the names of the properties to check; all, if left out.
    :param progress: ``True`` to show it on standard error, or a function of bytes and events that is called at intervals.
    :raises gnomon.SpecError: the spec has errors, or does not fit this trace.
    :raises gnomon.TraceError: the trace cannot be read.
    :raises gnomon.LimitError: a limit is exceeded.
    """
    spec = chosen(spec, properties)
    callback = _ProgressLine() if progress is True else progress or None
    if callback is not None and not callable(callback):
        raise TypeError("`progress` is True, None or a function of bytes and events")
    options = options_of(
        by=by,
        whole=whole,
        event=event,
        time=time,
        end=end,
        reorder=None if reorder is None else str(reorder),
        jobs=jobs,
        max_violations=max_violations,
        max_bindings=max_bindings,
        max_memory=max_memory,
        format=format,
        mode=mode,
        externs=externs,
        cases=True,
        progress=callback,
    )
    try:
        return Report(_check(spec, trace, options))
    finally:
        if isinstance(callback, _ProgressLine):
            callback.close()


def options_of(**options: Any) -> dict[str, Any]:
    """Returns all options, with defaults for those that are left out."""
    defaults: dict[str, Any] = {
        "name": "<batches>",
        "by": None,
        "whole": False,
        "repeatable": False,
        "event": None,
        "time": None,
        "end": "complete",
        "reorder": None,
        "jobs": 1,
        "max_violations": 1000,
        "max_bindings": None,
        "max_memory": None,
        "format": None,
        "mode": None,
        "externs": False,
        "first": None,
        "last": None,
        "cases": False,
        "progress": None,
    }
    return defaults | options


def chosen(spec: Spec | str | os.PathLike[str], properties: Iterable[str] | None = None) -> Spec:
    """Loads a spec and restricts it to these properties."""
    if not isinstance(spec, Spec):
        spec = Spec.from_file(spec)
    return spec if properties is None else spec.only(list(properties))


def _check(spec: Spec, trace: Trace, options: dict[str, Any]) -> _gnomon.RawReport:
    if isinstance(trace, (str, os.PathLike)):
        return _gnomon.check_path(spec, os.fspath(trace), options)
    if isinstance(trace, (bytes, bytearray, memoryview)):
        return _gnomon.check_bytes(spec, bytes(trace), options | {"name": "<bytes>"})
    kind = type(trace).__name__
    batches = arrow(trace)
    if batches is not None:
        return _gnomon.check_arrow(spec, batches, options | {"name": f"<{kind}>", "repeatable": _is_in_memory(batches)})
    if hasattr(trace, "read"):
        name = getattr(trace, "name", None)
        return _gnomon.check_file(spec, trace, options | {"name": name if isinstance(name, str) else f"<{kind}>"})
    if isinstance(trace, Mapping) or not hasattr(trace, "__iter__"):
        raise TypeError(
            f"a `{kind}` is not a trace; use a path, bytes, a file object, a table with `__arrow_c_stream__`, or an iterable of "
            "events"
        )
    return _gnomon.check_events(spec, trace, options | {"name": "<events>", "repeatable": _is_in_memory(trace)})


def arrow(trace: object) -> Any:
    """Returns a source of record batches for a table, a frame, a stream or a dataset; ``None`` if it is none of these."""
    if _is_pandas(trace):
        try:
            import pyarrow
        except ImportError as error:
            raise ImportError("a frame of pandas is handed over by pyarrow: `pip install gnomon[pandas]`") from error
        return pyarrow.Table.from_pandas(trace)
    if hasattr(trace, "__arrow_c_stream__") or hasattr(trace, "__arrow_c_array__"):
        return trace
    for method in ("to_reader", "scanner"):
        # A scanner of pyarrow, or a dataset.
        if type(trace).__module__.startswith("pyarrow") and hasattr(trace, method):
            return arrow(getattr(trace, method)())
    if type(trace).__module__.startswith("polars") and hasattr(trace, "collect"):
        return trace.collect()
    return None


def _is_in_memory(trace: object) -> bool:
    """Returns true for tables and lists. Streams can be read once, and a query may give its rows in another order."""
    return isinstance(trace, Sized) and not type(trace).__module__.startswith(("duckdb", "_duckdb"))


def _is_pandas(trace: object) -> bool:
    return type(trace).__name__ == "DataFrame" and type(trace).__module__.split(".")[0] == "pandas"


class _ProgressLine:
    """Shows progress on a line of standard error."""

    def __init__(self) -> None:
        self._last = 0.0
        self._shown = False

    def __call__(self, _bytes: int, events: int) -> None:
        now = clock.monotonic()
        if now - self._last >= 0.2:
            self._last, self._shown = now, True
            print(f"\r{events:,} events", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._shown:
            print(file=sys.stderr)
