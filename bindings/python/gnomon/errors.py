# SPDX-License-Identifier: MIT OR Apache-2.0
"""What can go wrong, with the picture that the command line draws of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong: where, what, and what to do instead."""

    code: str
    """The code of its page, such as ``G0203``; ``gnomon explain G0203`` prints it."""
    severity: str
    """``error`` or ``warning``."""
    message: str
    """What is the case."""
    line: int | None = None
    """The line, from 1; of events that are in no file, the number of the event."""
    column: int | None = None
    """The column, from 1, in characters."""
    help: str | None = None
    """What to do instead."""
    notes: list[str] = field(default_factory=list)
    """What else is worth knowing."""
    rendered: str = ""
    """All of it, drawn as the command line draws it."""

    def __str__(self) -> str:
        return self.rendered


class GnomonError(Exception):
    """What keeps a trace from being judged. Its text is the picture that the command line draws."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        """Everything that is wrong."""

    def __str__(self) -> str:
        # Python puts the name of the class in front; a picture begins on a line of its own.
        return "\n" + "\n".join(diagnostic.rendered for diagnostic in self.diagnostics).rstrip("\n")

    @property
    def code(self) -> str:
        """The code of the first."""
        return self.diagnostics[0].code if self.diagnostics else ""


class SpecError(GnomonError):
    """A spec is not understood, or says nothing about this trace."""


class TraceError(GnomonError):
    """A trace cannot be read."""


class LimitError(GnomonError):
    """Judging takes more than it may."""


class SpecWarning(UserWarning):
    """A spec is understood, and perhaps not meant like that."""
