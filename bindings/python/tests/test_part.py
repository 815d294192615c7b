# SPDX-License-Identifier: MIT OR Apache-2.0
"""A trace judged in parts says what it says as a whole."""

import json
import random
import zlib
from pathlib import Path

import gnomon
import pyarrow
import pyarrow.parquet
import pytest
from conftest import EXPLANATIONS, same, without


@pytest.fixture
def table() -> pyarrow.Table:
    dice = random.Random(3)
    rows = [
        {"event": dice.choice(["ask", "answer", "other", "alarm"]), "time": n // 3, "x": dice.choice([None, *"abcdefgh"])}
        for n in range(3_000)
    ]
    return pyarrow.Table.from_pylist([{**row, "row": n} for n, row in enumerate(rows)])


def parts(table: pyarrow.Table, count: int) -> list[pyarrow.Table]:
    """The events of a key are in one part, sorted by key and time, and by their places."""
    numbers = [zlib.crc32(repr(key).encode()) % count for key in table["x"].to_pylist()]
    divided = [table.filter(pyarrow.array([number == part for number in numbers])) for part in range(count)]
    return [part.sort_by([("x", "ascending"), ("time", "ascending"), ("row", "ascending")]) for part in divided]


@pytest.mark.parametrize("count", [1, 2, 7])
def test_parts_add_up_to_the_whole(spec: gnomon.Spec, table: pyarrow.Table, count: int) -> None:
    whole = gnomon.check(spec, table, by="x")
    judged = [gnomon.judge_part(spec, part, by="x", index="row") for part in parts(table, count)]
    saved = [part.saved for part in judged]
    random.Random(count).shuffle(saved)
    assert same(gnomon.join_parts(spec, saved, source="whole"), whole)
    cases = pyarrow.concat_tables([pyarrow.table(part.cases) for part in judged])
    assert cases.column_names == [name for name, _ in gnomon.CASES_COLUMNS]
    order = [("case", "ascending"), ("property", "ascending")]
    assert cases.sort_by(order).to_pylist() == whole.to_arrow("cases").sort_by(order).to_pylist()
    violations = pyarrow.concat_tables([pyarrow.table(part.violations) for part in judged])
    assert violations.num_rows == sum(len(outcome.violations) for outcome in whole.outcomes) > 10
    order = [("property", "ascending"), ("event_index", "ascending"), ("case", "ascending")]

    def rows(of: pyarrow.Table) -> object:
        return without([{**row, "binding": json.loads(row["binding"])} for row in of.sort_by(order).to_pylist()], EXPLANATIONS)

    assert rows(violations) == rows(whole.to_arrow())


def test_parts_with_bounds_report_the_same_as_the_whole(table: pyarrow.Table) -> None:
    # Without `F` before it a formula is asked at the first event alone; the last one tells which deadlines have passed.
    spec = gnomon.Spec.from_text(
        "event ask(x)\nevent answer(x)\n"
        "mtl soon { forall x. F[0,40] ask(x) }\n"
        "mtl answered { forall x. G(ask(x) -> F[0,9] answer(x)) }"
    )
    assert spec.plan()["fields"] == ["x"]
    cut = table.slice(0, 2_000)
    whole = gnomon.check(spec, cut, end="prefix", max_violations=10_000)

    def joined(**frame: tuple[int, str, str]) -> dict[str, tuple[str, int, int]]:
        judged = [
            gnomon.judge_part(spec, part, by="x", index="row", end="prefix", max_violations=10_000, kept=10_000, **frame)
            for part in parts(cut, 3)
        ]
        report = gnomon.join_parts(spec, [part.saved for part in judged], max_violations=10_000)
        return {name: (outcome.verdict.value, outcome.violated, outcome.pending) for name, outcome in report.items()}

    ends = [(row, str(cut["time"][row].as_py()), cut["event"][row].as_py()) for row in (0, cut.num_rows - 1)]
    expected = {name: (outcome.verdict.value, outcome.violated, outcome.pending) for name, outcome in whole.items()}
    assert joined(first=ends[0], last=ends[1]) == expected
    assert expected["answered"][1] > 10 and joined() != expected


def test_batches_of_an_iterator(spec: gnomon.Spec, table: pyarrow.Table) -> None:
    (part,) = parts(table, 1)
    whole = gnomon.judge_part(spec, part, by="x")
    batches = gnomon.judge_part(spec, iter(part.to_batches(max_chunksize=7)), by="x")
    assert pyarrow.table(whole.cases) == pyarrow.table(batches.cases) and whole.saved == batches.saved
    empty = gnomon.judge_part(spec, part.slice(0, 0), by="x")
    assert pyarrow.table(empty.cases).num_rows == 0
    assert same(gnomon.join_parts(spec, [whole.saved, empty.saved]), gnomon.join_parts(spec, [whole.saved]))


def test_few_are_listed_all_are_counted(spec: gnomon.Spec, table: pyarrow.Table) -> None:
    judged = [gnomon.judge_part(spec, part, by="x", index="row", max_violations=5).saved for part in parts(table, 3)]
    report = gnomon.join_parts(spec, judged, max_violations=5)
    whole = gnomon.check(spec, table, by="x", max_violations=5)
    assert [len(outcome.violations) for outcome in report.outcomes] == [5, 5]
    assert same(report, whole)


def test_what_does_not_belong_together_is_refused(spec: gnomon.Spec, table: pyarrow.Table) -> None:
    part = gnomon.judge_part(spec, parts(table, 1)[0], by="x").saved
    other = gnomon.judge_part(spec, table, by="row").saved
    for wrong in ([part, other], [part[:-1]], [b""]):
        with pytest.raises(ValueError):
            gnomon.join_parts(spec, wrong)
    with pytest.raises(ValueError, match="other properties"):
        gnomon.join_parts(gnomon.Spec.from_text("soloist calm { G(!bell) }"), [part])


def test_unsorted_parts_are_refused(spec: gnomon.Spec) -> None:
    table = pyarrow.table({"event": ["ask", "ask"], "time": [2, 1], "x": ["a", "a"]})
    with pytest.raises(gnomon.TraceError, match="time goes back"):
        gnomon.judge_part(spec, table, by="x")


def test_a_file_of_the_command_line(spec: gnomon.Spec, table: pyarrow.Table, tmp_path: Path) -> None:
    path = tmp_path / "whole.parquet"
    pyarrow.parquet.write_table(table, path)
    assert same(gnomon.check(spec, path, by="x"), gnomon.check(spec, table, by="x"))
