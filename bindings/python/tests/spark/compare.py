# SPDX-License-Identifier: MIT OR Apache-2.0
"""Violations in forms that can be compared."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any


def found(violations: list[dict[str, Any]]) -> list[str]:
    """Violations as texts that can be compared, whatever order they come in."""
    read = {"time": str, "decided_time": str, "binding": json.loads, "because": json.loads}
    plain = [{name: read.get(name, as_is)(value) for name, value in row.items()} for row in violations]
    return sorted(json.dumps(row, sort_keys=True) for row in plain)


def as_is(value: Any) -> Any:
    return value


def one_by_one(violations: list[dict[str, Any]], cases: list[Any] | None = None) -> list[tuple[str, str, int]]:
    """Violations at neighbouring events, each by itself: by property, binding and event.

    Neighbours are the events of one case, of which `cases` has the label of each event; or all events.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for place, case in enumerate(cases or ()):
        members[str(case)].append(place)
    made = []
    for row in violations:
        binding, length, places = json.dumps(json.loads(row["binding"])), 1, [row["event_index"]]
        if row["until_position"] is not None:
            length = row["until_position"] - row["position"] + 1
            places = list(range(places[0], places[0] + length))
        if length > 1 and cases is not None:
            own = members[str(row["case"])]
            start = own.index(row["event_index"])
            places = own[start : start + length]
        made += [(row["property"], binding, place) for place in places]
    return sorted(made)
