# SPDX-License-Identifier: MIT OR Apache-2.0
"""The columns of tables of cases and of violations."""

CASES_COLUMNS: list[tuple[str, str]] = [
    ("case", "string"),
    ("property", "string"),
    ("verdict", "string"),
    ("presumably", "boolean"),
    ("events", "long"),
    ("positions", "long"),
    ("activated", "long"),
    ("satisfied", "long"),
    ("violated", "long"),
    ("pending", "long"),
]
"""The columns of a table of cases, with their types."""

VIOLATIONS_COLUMNS: list[tuple[str, str]] = [
    ("case", "string"),
    ("property", "string"),
    ("event_index", "long"),
    ("position", "long"),
    ("until_position", "long"),
    ("time", "string"),
    ("event", "string"),
    ("decided_index", "long"),
    ("decided_time", "string"),
    ("decided_event", "string"),
    ("binding", "string"),
    ("failed", "string"),
    ("summary", "string"),
    ("because", "string"),
]
"""The columns of a table of violations, with their types. Times are texts with all their digits."""
