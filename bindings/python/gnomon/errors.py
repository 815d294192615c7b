# SPDX-License-Identifier: MIT OR Apache-2.0
"""Errors, with the drawing of the command line as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Diagnostic:
    """One error or warning: location, message, advice."""

    code: str
    """The code of its page, such as ``G0203``; ``gnomon explain G0203`` prints it."""
    severity: str
    """``error`` or ``warning``."""
    message: str
    """The message."""
    line: int | None = None
    """The line, from 1; for events that are not in a file, the number of the event."""
    column: int | None = None
    """The column, from 1, in characters."""
    help: str | None = None
    """The advice."""
    notes: list[str] = field(default_factory=list)
    """Further remarks."""
    rendered: str = ""
    """The drawing of the command line."""

    def __str__(self) -> str:
        return self.rendered


class GnomonError(Exception):
    """An error that prevents a check. Its text is the drawing of the command line."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        """All errors."""

    def __str__(self) -> str:
        # Python puts the name of the class in front; a drawing begins on a line of its own.
        return "\n" + "\n".join(diagnostic.rendered for diagnostic in self.diagnostics).rstrip("\n")

    @property
    def code(self) -> str:
        """The code of the first."""
        return self.diagnostics[0].code if self.diagnostics else ""


class SpecError(GnomonError):
    """A spec has errors, or does not fit the trace."""


class TraceError(GnomonError):
    """A trace cannot be read."""


class LimitError(GnomonError):
    """A check exceeds a limit."""


class SpecWarning(UserWarning):
    """A spec compiles, but may not mean what was intended."""
