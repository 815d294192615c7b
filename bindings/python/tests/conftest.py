# SPDX-License-Identifier: MIT OR Apache-2.0
"""Common parts of the tests."""

from pathlib import Path

import gnomon
import pytest

ROOT = Path(__file__).resolve().parents[3]
ANSWERED = """\
time in s
event ask(x) = ask[x as x]
event answer(x) = answer[x as x]
mtl answered "Asked and answered" { forall x. G (ask(x) -> F[0,3] answer(x)) }
soloist calm { G(!alarm) }
"""


@pytest.fixture
def spec() -> gnomon.Spec:
    return gnomon.Spec.from_text(ANSWERED, name="answers.rv")


@pytest.fixture
def rows() -> list[dict[str, object]]:
    """Bob is not answered, Ann is answered too late."""
    return [
        {"event": "ask", "time": 1, "x": "ann"},
        {"event": "ask", "time": 2, "x": "bob"},
        {"event": "answer", "time": 3, "x": "ann"},
        {"event": "ask", "time": 5, "x": "ann"},
        {"event": "answer", "time": 9, "x": "ann"},
        {"event": "ask", "time": 10, "x": "eve"},
        {"event": "answer", "time": 10, "x": "eve"},
    ]


@pytest.fixture
def csv(tmp_path: Path, rows: list[dict[str, object]]) -> Path:
    path = tmp_path / "answers.csv"
    lines = ["event,time,x", *(f"{row['event']},{row['time']},{row['x']}" for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def without(report: object, keys: set[str]) -> object:
    """Removes keys from a report, at every depth."""
    if isinstance(report, dict):
        return {key: without(value, keys) for key, value in report.items() if key not in keys}
    return [without(item, keys) for item in report] if isinstance(report, list) else report


PLACES = {"source", "line", "offset"}
EXPLANATIONS = {"because", "summary"}


def same(left: gnomon.Report, right: gnomon.Report) -> bool:
    """Compares two reports, apart from places of events and from explanations, for which the trace must be read again."""
    (one,), (other,) = left.to_dict()["traces"], right.to_dict()["traces"]
    return without(one, PLACES | EXPLANATIONS) == without(other, PLACES | EXPLANATIONS)


def same_explained(left: gnomon.Report, right: gnomon.Report) -> bool:
    """Compares two reports with their explanations, apart from places of events."""
    (one,), (other,) = left.to_dict()["traces"], right.to_dict()["traces"]
    return without(one, PLACES) == without(other, PLACES)
