# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sail, a second engine, runs the same code. It wants a client of its own: GNOMON_SAIL names a Python that has it."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import traces
from compare import found, one_by_one

import gnomon

PYTHON = os.environ.get("GNOMON_SAIL")


@pytest.mark.skipif(not PYTHON, reason="GNOMON_SAIL names no Python that has pysail")
@pytest.mark.parametrize(("text", "by"), [(traces.KEYED, None), (traces.KEYED, "user"), (traces.CASES, "user")])
def test_sail_finds_the_same(tmp_path: Path, text: str, by: str | None) -> None:
    rows = traces.rows(cases=40, events=3000, seed=21)
    table = pa.Table.from_pylist(
        [row | {"place": place} for place, row in enumerate(rows)], traces.SCHEMA.append(pa.field("place", pa.int64()))
    )
    trace, spec = tmp_path / "trace.parquet", tmp_path / "office.rv"
    pq.write_table(table, trace, row_group_size=300)
    spec.write_text(text)
    script = str(Path(__file__).with_name("on_sail.py"))
    done = subprocess.run(
        [PYTHON or "", script, str(trace), str(spec), *([by] if by else [])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout.splitlines()[-1])
    report = gnomon.check(spec, trace, by=by, max_violations=1_000_000)
    violations = [violation.to_dict() for violation in report.violations]
    assert Counter(made[:2] for made in one_by_one(reported["violations"])) == Counter(
        made[:2] for made in one_by_one(violations)
    )
    assert len(violations) > 100
    if by:
        # Sail does not number the rows of its input.
        own = {"event_index", "decided_index", "because"}
        plain = [
            [{k: v for k, v in row.items() if k not in own} for row in listed]
            for listed in (reported["violations"], violations)
        ]
        assert found(plain[0]) == found(plain[1])
        assert reported["text"] == str(report.cases)
        verdicts = {(str(row["case"]), row["property"]): row["verdict"] for row in reported["verdicts"]}
        assert verdicts == {
            (row["case"], row["property"]): row["verdict"] for row in report.to_arrow("cases").to_pylist()
        }
