# SPDX-License-Identifier: MIT OR Apache-2.0
"""Moments as Spark counts them, in microseconds, and as they are written."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def written(moment: int) -> str:
    """Microseconds as a date and time."""
    return (EPOCH + timedelta(microseconds=moment)).isoformat()


def read(text: str) -> int:
    """The microsecond that a date and time falls into."""
    text, _, fraction = text.removesuffix("Z").partition(".")
    whole = datetime.fromisoformat(text).replace(tzinfo=timezone.utc) - EPOCH
    return whole // timedelta(microseconds=1) + int(fraction[:6].ljust(6, "0") or 0)
