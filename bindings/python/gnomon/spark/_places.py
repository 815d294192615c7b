# SPDX-License-Identifier: MIT OR Apache-2.0
"""Where in the input an event was."""

from __future__ import annotations

from typing import Any

#: A place is the number of a partition of the input, shifted by so much, and of the row in it.
PARTITION_SHIFT = 33


def numbered(place: Any, before: Any) -> Any:
    """The number of an event, or of many, from 0, by its place."""
    if before is None:
        return place
    return before[place >> PARTITION_SHIFT] + (place & ((1 << PARTITION_SHIFT) - 1))
