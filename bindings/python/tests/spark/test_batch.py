# SPDX-License-Identifier: MIT OR Apache-2.0
"""A cluster finds the same violations as one machine."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import measure
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import traces
from cluster import Cluster
from compare import found, one_by_one
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import gnomon
import gnomon.spark

ALL = 1_000_000


def of_frame(frame: DataFrame, *without: str) -> list[str]:
    return found([row.asDict() for row in frame.drop(*without).collect()])


def of_report(report: gnomon.Report, *without: str) -> list[str]:
    rows = [violation.to_dict() for violation in report.violations]
    return found([{name: value for name, value in row.items() if name not in without} for row in rows])


def same_as_cases(result: gnomon.spark.Result, report: gnomon.Report) -> None:
    """Everything that is reported about a trace judged by cases."""
    cases = {(row["case"], row["property"]): row for row in report.to_arrow("cases").to_pylist()}
    reported = {
        (str(row["case"]), row["property"]): row.asDict() | {"case": str(row["case"])}
        for row in result.verdicts.collect()
    }
    assert reported == cases
    assert of_frame(result.violations.withColumn("case", F.col("case").cast("string"))) == of_report(report)
    assert result.summary().to_dict() == report.to_dict()
    assert str(result.summary()) == str(report)


@pytest.mark.parametrize("partitions", [1, 2, 7, 32])
def test_a_partitioned_trace_has_the_verdicts_of_the_whole(spark: SparkSession, trace: Path, partitions: int) -> None:
    spec = gnomon.Spec.from_text(traces.KEYED)
    assert {entry["language"] for entry in spec.plan()["properties"] if entry["keys"]} == {
        "mtl",
        "qea",
        "pattern",
        "nomad",
        "mu",
    }
    whole = gnomon.check(spec, trace, max_violations=ALL)
    result = gnomon.spark.check(spark.read.parquet(str(trace)), spec, partitions=partitions, max_violations=ALL)
    summary = result.summary()
    assert {name: outcome.verdict for name, outcome in summary.items()} == {
        name: outcome.verdict for name, outcome in whole.items()
    }
    assert {outcome.verdict.value for outcome in whole.outcomes} >= {"violated"}
    assert {name: outcome.violated for name, outcome in summary.items()} == {
        name: outcome.violated for name, outcome in whole.items()
    }
    # Positions are counted by each case for itself, so more of them are neighbours and reported as one violation.
    own = ("case", "position", "until_position")
    reported, every = Counter(of_frame(result.violations, *own)), Counter(of_report(whole, *own))
    assert reported <= every
    users = pq.read_table(trace).column("user").to_pylist()
    rows = [row.asDict() for row in result.violations.collect()]
    assert one_by_one(rows, users) == one_by_one([violation.to_dict() for violation in whole.violations])
    assert len(every) > 100
    result.unpersist()


@pytest.mark.parametrize("partitions", [None, 7])
def test_cases_have_the_verdicts_of_check_by(spark: SparkSession, trace: Path, partitions: int | None) -> None:
    for text in (traces.KEYED, traces.CASES):
        spec = gnomon.Spec.from_text(text, name="office.rv")
        report = gnomon.check(spec, trace, by="user", max_violations=ALL)
        assert report.cases is not None and report.cases.events_without > 0
        result = gnomon.spark.check(
            spark.read.parquet(str(trace)),
            spec,
            by="user",
            partitions=partitions,
            max_violations=ALL,
            source=str(trace),
        )
        same_as_cases(result, report)
        result.unpersist()


def test_properties_across_keys_are_refused_or_checked_on_one_partition(spark: SparkSession, trace: Path) -> None:
    spec = gnomon.Spec.from_text(traces.ACROSS)
    df = spark.read.parquet(str(trace))
    with pytest.raises(gnomon.spark.PartitionError, match="alone: ") as refused:
        gnomon.spark.check(df, spec, by="user")
    assert refused.value.by == "user"
    assert [refusal.property for refusal in refused.value.refused] == ["alone"]
    with pytest.raises(gnomon.spark.PartitionError, match="all: "):
        gnomon.spark.check(df, spec)
    result = gnomon.spark.check(df, spec, across="one", max_violations=ALL, source=str(trace))
    report = gnomon.check(spec, trace, max_violations=ALL)
    assert of_frame(result.violations) == of_report(report)
    assert {row["property"]: row["verdict"] for row in result.verdicts.collect()} == {
        outcome.name: outcome.verdict.value for outcome in report.outcomes
    }
    assert result.summary().to_dict()["traces"][0]["properties"] == report.to_dict()["traces"][0]["properties"]


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date", "decimal(20,3)", "string", "int"])
def test_times_of_every_type(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    if kind == "date":
        unit, time_of = "D", F.expr("date_add(date'2026-01-01', cast(time as int))")
    elif kind.startswith("timestamp"):
        unit, time_of = "s", F.timestamp_seconds(F.col("time") + 1_767_225_600).cast(kind)
    else:
        unit, time_of = "s", F.col("time").cast(kind)
    source = tmp_path / "plain.parquet"
    traces.write(source, cases=9, events=600, seed=3)
    # Texts as numbers do not sort like numbers, so a shuffle by text would show.
    df = spark.read.parquet(str(source)).withColumn("time", time_of)
    path = tmp_path / "trace.parquet"
    pq.write_table(df.orderBy(F.monotonically_increasing_id()).toArrow(), path)
    spec = gnomon.Spec.from_text(
        traces.KEYED.replace("in s", f"in {unit}")
        .replace("0s]", f"0{unit}]")
        .replace("40s", f"40{unit}")
        .replace("]s", f"]{unit}")
    )
    report = gnomon.check(spec, path, by="user", max_violations=ALL)
    result = gnomon.spark.check(spark.read.parquet(str(path)), spec, by="user", max_violations=ALL)
    own = ("case", "time", "decided_time")
    assert of_frame(result.violations, *own) == of_report(report, *own)
    assert len(report.violations) > 10
    assert result.violations.schema["time"].dataType == df.schema["time"].dataType


def test_order_settles_what_is_simultaneous(spark: SparkSession) -> None:
    spec = gnomon.Spec.from_text(
        "event ping(u)\nevent pong(u)\n"
        "qea turns { Forall(u) accept next(a) { ping(u) -> b } accept next(b) { pong(u) -> a } }"
    )
    made = [("ping" if number % 2 == 0 else "pong", 5, user, number) for user in range(20) for number in range(40)]
    df = spark.createDataFrame(made, "event string, time long, u long, number long").repartition(6).orderBy(F.rand(3))
    is_in_order = gnomon.spark.check(df, spec, order="number", partitions=3)
    assert is_in_order.summary().ok
    assert is_in_order.verdicts.count() == 20
    assert not gnomon.spark.check(df.withColumn("number", -F.col("number")), spec, order="number").summary().ok


def test_nested_fields_skew_and_nothing_at_all(spark: SparkSession, tmp_path: Path) -> None:
    spec = gnomon.Spec.from_text(
        "event buy(u, p) = buy[who/name as u, who/rank as p]\n"
        "mtl ranked { forall u. G(buy(u, _) -> !buy[who/rank < 3]) }"
    )
    made = [
        {"event": "buy", "time": n, "shop": "big" if n % 50 else f"s{n}", "who": {"name": f"n{n % 7}", "rank": n % 11}}
        for n in range(2000)
    ]
    path = tmp_path / "nested.parquet"
    pq.write_table(pa.Table.from_pylist(made), path, row_group_size=100)
    report = gnomon.check(spec, path, by="shop", max_violations=ALL)
    result = gnomon.spark.check(
        spark.read.parquet(str(path)), spec, by="shop", across="one", partitions=5, max_violations=ALL
    )
    assert result.summary()["ranked"].violated == gnomon.check(spec, path)["ranked"].violated > 0
    assert report.cases is not None
    nothing = gnomon.spark.check(
        spark.read.parquet(str(path)).where("time < 0"), gnomon.Spec.from_text(traces.CASES), by="shop"
    )
    assert nothing.verdicts.count() == 0 and nothing.summary().events == 0


def test_wrong_columns_are_named(spark: SparkSession, trace: Path) -> None:
    df = spark.read.parquet(str(trace))
    spec = gnomon.Spec.from_text(traces.KEYED)
    for arguments, message in [
        ({"by": "usr"}, "no column `usr`, which `by` names"),
        ({"order": "place"}, "no column `place`, which `order` names"),
        ({"event": "name"}, "no column `name`, which `event` names"),
        ({"across": "two"}, '`across` is "refuse" or "one"'),
        ({"partitions": 0}, "`partitions` is at least 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            gnomon.spark.check(df, spec, **arguments)  # type: ignore[arg-type]


@contextmanager
def worker_dies(spark: SparkSession, cluster: Cluster) -> Iterator[None]:
    """While something runs, a worker is killed after a few tasks; there is another one afterwards."""
    killed: list[int] = []

    def kill() -> None:
        tracker = spark.sparkContext.statusTracker()
        while not killed:
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            if any(stage is not None and stage.numCompletedTasks >= 2 for stage in stages):
                killed.append(cluster.workers[0].process.pid)
                cluster.workers[0].kill()
            time.sleep(0.02)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    yield
    killer.join(timeout=1)
    assert killed, "the job was over before the worker could be killed"
    cluster.replace_worker(0)


def test_a_worker_that_dies_while_each_task_reads_everything(
    spark: SparkSession, cluster: Cluster, tmp_path: Path
) -> None:
    path = tmp_path / "sessions.parquet"
    measure.write(path, 3_000_000)
    report = gnomon.check(measure.SPEC, path, by="session", max_violations=ALL)
    result = gnomon.spark.check(
        spark.read.parquet(str(path)), measure.SPEC, by="session", partitions=8, max_violations=ALL, source=str(path)
    )
    with worker_dies(spark, cluster):
        result.summary()
    assert str(result.summary()) == str(report)
    assert of_frame(result.violations.withColumn("case", F.col("case").cast("string"))) == of_report(report)
    assert result.verdicts.count() == 150_000 and len(report.violations) > 10
    result.unpersist()


def test_a_worker_that_dies_changes_nothing(trace: Path, spark: SparkSession, cluster: Cluster) -> None:
    spec = gnomon.Spec.from_text(traces.CASES, name="office.rv")
    report = gnomon.check(spec, trace, by="user", max_violations=ALL)
    # Each partition of the input takes a while, so that there is something to interrupt.
    slow = F.udf(lambda name: time.sleep(0.002) or name, "string")
    df = spark.read.parquet(str(trace)).withColumn("event", slow("event"))
    result = gnomon.spark.check(df, spec, by="user", partitions=8, max_violations=ALL, number=False, source=str(trace))
    with worker_dies(spark, cluster):
        result.summary()
    # Without numbers only their order is known.
    own = ("event_index", "decided_index", "because", "case")
    assert of_frame(result.violations, *own) == of_report(report, *own)
    assert len(report.violations) > 10
    assert str(result.summary().cases) == str(report.cases)


@pytest.mark.parametrize("partitions", [1, 3])
def test_progress_markers_reach_every_case(spark: SparkSession, tmp_path: Path, partitions: int) -> None:
    marker = {"event": "gnomon.tick", "user": None, "amount": None, "note": None}
    events = traces.rows(20, 400, 7)
    rows = [*events[:200], marker | {"time": events[199]["time"]}, *events[200:], marker | {"time": 10_000}]
    path = tmp_path / "export.parquet"
    pq.write_table(pa.Table.from_pylist(rows, traces.SCHEMA), path, row_group_size=100)
    frame = spark.read.parquet(str(path))
    for text, by in ((traces.KEYED, None), (traces.CASES, "user")):
        spec = gnomon.Spec.from_text(text)
        whole = gnomon.check(spec, path, by=by, end="prefix")
        for source in (frame, frame.where("time >= 0")):
            result = gnomon.spark.check(source, spec, by=by, partitions=partitions, end="prefix")
            summary = result.summary()
            # Without a division by cases an event without a key is judged by the whole alone.
            assert by is None or summary.events == whole.events
            assert {name: (outcome.verdict, outcome.violated) for name, outcome in summary.items()} == {
                name: (outcome.verdict, outcome.violated) for name, outcome in whole.items()
            }
            result.unpersist()
