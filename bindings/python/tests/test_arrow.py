# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables of other libraries as traces."""

import random
import subprocess
import sys
from pathlib import Path

import gnomon
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet
import pytest
from conftest import same


@pytest.fixture
def table(rows: list[dict[str, object]]) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(rows)


def test_every_library_gives_the_same_report(
    spec: gnomon.Spec, table: pyarrow.Table, rows: list[dict[str, object]], csv: Path, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "answers.parquet"
    pyarrow.parquet.write_table(table, path)
    report = gnomon.check(spec, csv)
    for trace in (
        table,
        table.to_batches()[0],
        table.to_reader(max_chunksize=2),
        pyarrow.dataset.dataset(path),
        pyarrow.dataset.dataset(path).scanner(batch_size=3),
        path,
        path.open("rb"),
        path.read_bytes(),
        pandas.DataFrame(rows),
        pandas.DataFrame(rows).set_index("time"),
        polars.DataFrame(rows),
        polars.DataFrame(rows).lazy(),
        duckdb.from_arrow(table),
        table.set_column(0, "event", table["event"].dictionary_encode()),
    ):
        assert same(gnomon.check(spec, trace), report), type(trace)


def test_times_of_tables(spec: gnomon.Spec, table: pyarrow.Table) -> None:
    seconds = table["time"].cast(pyarrow.timestamp("s"))
    for kind in (pyarrow.timestamp("s"), pyarrow.timestamp("ns"), pyarrow.timestamp("us", "UTC")):
        trace = table.set_column(1, "time", seconds.cast(kind))
        assert gnomon.check(spec, trace)["answered"].violated == 2, kind
    frame = pandas.DataFrame({"event": ["ask"], "time": [pandas.Timestamp("2026-01-01")], "x": [1]})
    assert gnomon.check(spec, frame).first_time == "2026-01-01T00:00:00Z"


def test_columns_may_be_named(spec: gnomon.Spec, table: pyarrow.Table) -> None:
    renamed = table.rename_columns(["activity", "when", "x"])
    assert same(gnomon.check(spec, renamed, event="activity", time="when"), gnomon.check(spec, table))
    with pytest.raises(gnomon.TraceError):
        gnomon.check(spec, renamed)


def test_a_stream_of_python_can_fail(spec: gnomon.Spec, table: pyarrow.Table) -> None:
    def batches() -> object:
        yield table.to_batches()[0]
        raise LookupError("the source is gone")

    with pytest.raises(gnomon.TraceError, match="the source is gone"):
        gnomon.check(spec, pyarrow.RecordBatchReader.from_batches(table.schema, batches()))


def test_a_large_batch_can_be_interrupted(spec: gnomon.Spec) -> None:
    count = 1_000_000
    table = pyarrow.table({"event": ["ask"] * count, "time": range(count), "x": [1] * count})

    def stop(_bytes: int, _events: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gnomon.check(spec, table, progress=stop)


def test_a_file_of_parquet_can_be_interrupted(spec: gnomon.Spec, tmp_path: Path) -> None:
    count = 1_000_000
    table = pyarrow.table({"event": ["ask"] * count, "time": range(count), "x": range(count)})
    pyarrow.parquet.write_table(table, tmp_path / "trace.parquet")
    reported: list[int] = []

    def stop(_bytes: int, events: int) -> None:
        reported.append(events)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gnomon.check(spec, tmp_path / "trace.parquet", progress=stop)
    assert max(reported) < count // 2


def test_results_are_tables_too(spec: gnomon.Spec, table: pyarrow.Table) -> None:
    report = gnomon.check(spec, table, by="x")
    violations = report.to_arrow()
    assert violations.column_names == [name for name, _ in gnomon.VIOLATIONS_COLUMNS]
    assert violations["case"].to_pylist() == ["bob", "ann"]
    assert violations["binding"].to_pylist() == ['{"x": "bob"}', '{"x": "ann"}']
    properties = report.to_pandas("properties")
    assert list(properties["name"]) == ["answered", "calm"] and list(properties["violated"]) == [2, 0]
    cases = report.to_polars("cases")
    assert cases.columns == [name for name, _ in gnomon.CASES_COLUMNS] and cases.height == 6
    assert cases.filter(polars.col("verdict") == "violated")["case"].sort().to_list() == ["ann", "bob"]
    assert report.to_polars().height == 2 and report.to_polars("properties").height == 2
    with pytest.raises(ValueError, match="properties, violations, cases"):
        report.to_arrow("events")


def test_pandas_without_pyarrow_says_what_to_install() -> None:
    program = """
import sys
sys.modules["pyarrow"] = None
import gnomon, pandas
try:
    gnomon.check(gnomon.Spec.from_text("soloist calm { G(!alarm) }"), pandas.DataFrame({"event": ["a"]}))
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install gnomon[pandas]" in done.stdout


LEAPS = gnomon.Spec.from_text(
    """event ask(id)
event tell(id)
mtl answered { forall i. G(ask(i) -> F[0,40] tell(i)) }
mtl asked { G(tell(_) -> P[0,60] ask(_)) }
mtl soon { G(ask(_) -> F[0,30] tell(_)) }
mtl merged (simultaneous merge) { G(ask(_) -> F[0,30] tell(_)) }
pattern first { globally: tell(_) responds to ask(_) within 50 }
pattern each { for every i: globally: at most 1 ask(i) }
qea turns {
  Forall(i)
  accept skip(calm) { ask(i) -> waits }
  next(waits) { tell(i) -> calm }
}
nomad paid { P(start(ask) | O[0,35] done(tell)) / {{ask.id, tell.id}} }
"""
)


@pytest.mark.parametrize("seed", range(20))
def test_row_groups_that_are_passed_change_nothing(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    rows, now = [], 0
    while len(rows) < 600:
        # Stretches in which nobody asks or tells anything, longer than a row group or shorter.
        for _ in range(chance.choice((1, 5, 40))):
            now += chance.choice((0, 1, 1, 2))
            rows.append({"event": chance.choice(("ask", "tell", "other")), "time": now, "id": chance.randrange(9)})
        for _ in range(chance.choice((0, 3, 25, 90))):
            now += chance.choice((0, 0, 1))
            rows.append({"event": chance.choice(("other", "another")), "time": now, "id": None})
    table = pyarrow.Table.from_pylist(rows)
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=10)
    for declared in LEAPS.properties:
        alone = LEAPS.only([declared.name])
        assert same(gnomon.check(alone, path), gnomon.check(alone, table)), declared.name
