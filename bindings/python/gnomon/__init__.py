# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runtime verification: checks traces of timed events against temporal properties.

>>> import gnomon
>>> spec = gnomon.Spec.from_text("mtl answered { forall x. G (ask(x) -> F[0,3] answer(x)) }")
>>> report = gnomon.check(spec, [
...     {"event": "ask", "time": 1, "x": "ann"},
...     {"event": "ask", "time": 2, "x": "bob"},
...     {"event": "answer", "time": 3, "x": "ann"},
...     {"event": "ask", "time": 9, "x": "ann"},
...     {"event": "answer", "time": 9, "x": "ann"},
... ])
>>> report["answered"].verdict
<Verdict.VIOLATED: 'violated'>
>>> [violation.binding for violation in report.violations]
[{'x': 'bob'}]
"""

from ._gnomon import VERSION as __version__
from ._gnomon import Property, Spec
from .check import check
from .columns import CASES_COLUMNS, VIOLATIONS_COLUMNS
from .errors import Diagnostic, GnomonError, LimitError, SpecError, SpecWarning, TraceError
from .monitor import Monitor
from .part import Part, join_parts, judge_part
from .report import Because, Cases, Decided, Durations, Outcome, Report, Verdict, Violation
from .spec import load

__all__ = [
    "CASES_COLUMNS",
    "VIOLATIONS_COLUMNS",
    "Because",
    "Cases",
    "Decided",
    "Diagnostic",
    "Durations",
    "GnomonError",
    "LimitError",
    "Monitor",
    "Outcome",
    "Part",
    "Property",
    "Report",
    "Spec",
    "SpecError",
    "SpecWarning",
    "TraceError",
    "Verdict",
    "Violation",
    "__version__",
    "check",
    "join_parts",
    "judge_part",
    "load",
]
