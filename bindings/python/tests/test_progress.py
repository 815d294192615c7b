# SPDX-License-Identifier: MIT OR Apache-2.0
"""Exported logs with progress markers (`gnomon.tick`): every way to judge one comes to the same."""

import json
import random
from pathlib import Path

import gnomon
import pyarrow
import pytest
from conftest import EXPLANATIONS, PLACES, same, same_explained, without

TICK = "gnomon.tick"


def export(seed: int) -> list[dict[str, object]]:
    dice = random.Random(seed)
    rows: list[dict[str, object]] = []
    now = 0
    for _ in range(200):
        now += dice.choice([0, 0, 1, 2])
        name = dice.choice(["ask", "ask", "answer", "answer", TICK])
        rows.append({"event": name, "time": now, "x": None if name == TICK else dice.choice("abcdefgh")})
    rows.append({"event": TICK, "time": now + 50, "x": None})
    return rows


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("by", [None, "x"])
def test_files_events_tables_and_monitors_agree(spec: gnomon.Spec, tmp_path: Path, seed: int, by: str | None) -> None:
    rows = export(seed)
    path = tmp_path / "export.ndjson"
    path.write_text("".join(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in rows))
    whole = gnomon.check(spec, path, by=by)
    assert whole.events == sum(row["event"] != TICK for row in rows)
    for trace in (path.read_bytes(), rows, pyarrow.Table.from_pylist(rows)):
        assert same_explained(gnomon.check(spec, trace, by=by), whole), type(trace)
    assert same_explained(gnomon.check(spec, path, by=by, jobs=2), whole)
    assert same(gnomon.check(spec, iter(rows), by=by), whole)
    for fed in (rows, pyarrow.Table.from_pylist(rows)):
        monitor = gnomon.Monitor(spec, by=by)
        assert (monitor.feed(fed) if fed is rows else monitor.feed_arrow(fed)) == whole.events
        (judged,), (watched,) = whole.to_dict()["traces"], monitor.finish().to_dict()["traces"]
        for part in ("verdict", "events", "properties", "first_time", "last_time"):
            assert without(judged[part], PLACES | EXPLANATIONS) == without(watched[part], PLACES | EXPLANATIONS), part


@pytest.mark.parametrize("seed", range(5))
def test_parts_that_begin_with_the_last_marker_add_up_to_the_whole(spec: gnomon.Spec, seed: int) -> None:
    rows = export(seed)
    table = pyarrow.Table.from_pylist(rows)
    marker = [row for row in rows if row["event"] == TICK][-1]
    events = [row for row in rows if row["event"] != TICK]
    divided = [[row for row in events if (str(row["x"]) < "e") == first] for first in (True, False)]
    parts = [
        pyarrow.Table.from_pylist([marker, *sorted(part, key=lambda row: (str(row["x"]), row["time"]))])
        for part in divided
    ]
    whole = gnomon.check(spec, table, by="x")
    joined = gnomon.join_parts(spec, [gnomon.judge_part(spec, part, by="x").saved for part in parts])
    for one, other in zip(whole.outcomes, joined.outcomes, strict=True):
        assert (one.verdict, one.violated, one.satisfied) == (other.verdict, other.violated, other.satisfied)
    assert joined.events == whole.events
