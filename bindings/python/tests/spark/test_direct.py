# SPDX-License-Identifier: MIT OR Apache-2.0
"""Files that the workers read themselves: which they are, and that it makes no difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import traces
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from test_batch import ALL, of_frame

import gnomon
import gnomon.spark
from gnomon.spark._packing import bounds, buckets_of
from gnomon.spark._reading import MOST_READERS, PART_BYTES, FileSource, Files, Piece, divide_evenly, files, rows_of

Change = Callable[[dict[str, Any]], dict[str, Any]]

AS_THEY_ARE: Change = dict
AS_TEXTS: Change = lambda row: row | {"user": None if row["user"] is None else f"ü{row['user']}"}  # noqa: E731
AS_DATES: Change = lambda row: row | {"user": row["user"] and date.fromordinal(1 + row["user"])}  # noqa: E731
AS_DECIMALS: Change = lambda row: row | {"user": row["user"] and Decimal(row["user"]) / 4}  # noqa: E731
DISORDERED: Change = lambda row: row | {"time": row["time"] ^ 5}  # noqa: E731


def lake(folder: Path, change: Change = AS_THEY_ARE, copies: int = 3) -> str:
    """A trace in several files of several row groups; their names tell their order."""
    made = [change(row) for row in traces.rows(cases=30, events=1500, seed=5)]
    table = pa.Table.from_pylist(made)
    size = -(-len(made) // copies)
    for number in range(copies):
        pq.write_table(table.slice(number * size, size), folder / f"part {number}%.parquet", row_group_size=130)
    return str(folder)


def chosen(df: DataFrame, *names: str, key: str = "user") -> Files | None:
    return files(df, names or ("event", "time", "user"), "time", key)


def by_rows(df: DataFrame) -> DataFrame:
    """Returns the frame in one partition, in the order of the files, so that the engine has to read it."""
    path = F.input_file_name()
    return df.select("*", path.alias("file")).coalesce(1).sortWithinPartitions("file").drop("file")


def reported(result: gnomon.spark.Result) -> list[str]:
    return of_frame(result.violations.withColumn("case", F.col("case").cast("string")))


@pytest.mark.parametrize(
    ("change", "by"),
    [
        (AS_THEY_ARE, None),
        (traces.dated, None),
        (DISORDERED, None),
        (AS_TEXTS, "user"),
        (AS_DATES, "user"),
        (AS_DECIMALS, "user"),
    ],
)
def test_both_ways_find_the_same(spark: SparkSession, tmp_path: Path, change: Change, by: str | None) -> None:
    df = spark.read.parquet(lake(tmp_path, change))
    spec = gnomon.Spec.from_text(traces.KEYED)
    assert chosen(df) is not None and chosen(by_rows(df)) is None
    general = gnomon.spark.check(by_rows(df), spec, by=by, partitions=3, max_violations=ALL)
    # Each task reads everything, or sends to the others what is theirs.
    for partitions in (3, MOST_READERS + 1):
        direct = gnomon.spark.check(df, spec, by=by, partitions=partitions, max_violations=ALL)
        assert direct.summary().to_dict() == general.summary().to_dict()
        assert direct.violations.count() > 50
        assert reported(direct) == reported(general)
        assert direct.verdicts.schema == general.verdicts.schema
        assert sorted(direct.verdicts.collect()) == sorted(general.verdicts.collect())
        direct.unpersist()
    general.unpersist()


def test_few_tasks_read_everything_as_long_as_they_can_hold_it(spark: SparkSession, tmp_path: Path) -> None:
    found = chosen(spark.read.parquet(lake(tmp_path)))
    assert found is not None
    # Two columns of 8 bytes and a text with few values.
    assert 1500 * 16 < found.size < 1500 * 40

    def direct(size: int, rows: int, cores: int) -> FileSource:
        made = FileSource(spark, replace(found, size=size), "event", "time", (), "user")
        made.rows, made.cores, made.tasks = rows, cores, 99
        return made

    many = 1 << 30
    assert [direct(PART_BYTES, rows, 4).partitions(200) for rows in (0, 10, 40_000, many)] == [1, 1, 2, 4]
    assert [direct(parts * PART_BYTES, many, 2).partitions(200) for parts in (1, 2, 3, 8, 9)] == [2, 2, 4, 8, 99]
    assert [direct(PART_BYTES, many, cores).partitions(200) for cores in (1, 8, 9)] == [1, 8, 99]
    assert [direct(size * PART_BYTES, 1 << 20, 9).partitions(200) for size in (8, 9)] == [8, 99]
    assert direct(PART_BYTES, many, 8).partitions(3) == 3
    assert direct(3 * PART_BYTES, many, 2).can_reread(3) and not direct(4 * PART_BYTES, many, 2).can_reread(3)


def test_a_task_may_have_nothing_to_judge(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    pq.write_table(pa.table({"event": ["login"] * 3, "time": [1, 2, 3], "user": [7] * 3}), path, row_group_size=1)
    spec = gnomon.Spec.from_text(traces.KEYED)
    result = gnomon.spark.check(spark.read.parquet(str(path)), spec, by="user", partitions=5)
    report = gnomon.check(spec, path, by="user")
    assert result.summary().events == 3 and str(result.summary().cases) == str(report.cases)


def test_times_that_spark_wrote_are_read_directly(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    given = spark.read.parquet(lake(tmp_path / "given", traces.dated, copies=1))
    given = given.withColumn("time", F.col("time").cast("timestamp"))
    given.coalesce(1).write.parquet(str(tmp_path / "written"))
    df = spark.read.parquet(str(tmp_path / "written"))
    file = next((tmp_path / "written").glob("*.parquet"))
    assert "int96" in str(pq.ParquetFile(file).schema)
    assert chosen(df) is not None and chosen(by_rows(df)) is None
    spec = gnomon.Spec.from_text(traces.KEYED)
    direct, general = (gnomon.spark.check(frame, spec, max_violations=ALL) for frame in (df, by_rows(df)))
    assert direct.summary().to_dict() == general.summary().to_dict()
    assert reported(direct) == reported(general)
    assert direct.violations.count() > 50


def test_order_and_one_partition_are_the_same_both_ways(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.read.parquet(lake(tmp_path))
    spec = gnomon.Spec.from_text(traces.ACROSS)
    direct, general = (
        gnomon.spark.check(frame, spec, across="one", order=["amount", "event"], max_violations=ALL)
        for frame in (df, by_rows(df))
    )
    assert reported(direct) == reported(general)
    assert direct.violations.count() > 50


def test_row_groups_are_numbered_through_all_files(spark: SparkSession, tmp_path: Path) -> None:
    found = chosen(spark.read.parquet(lake(tmp_path)))
    assert found is not None
    names = [f"part {number}%.parquet" for number in range(3) for _ in range(4)]
    assert [Path(piece.path).name for piece in found.pieces] == names
    assert [piece.first for piece in found.pieces] == list(np.cumsum([0] + [130, 130, 130, 110] * 3)[:-1])
    shares = divide_evenly(found.pieces, 5)
    assert [piece for share in shares for piece in share] == list(found.pieces)
    assert len(shares) == 5 and max(sum(piece.rows for piece in share) for share in shares) <= 400
    twice = chosen(spark.read.parquet(found.pieces[0].path, found.pieces[0].path))
    assert twice is not None and sum(piece.rows for piece in twice.pieces) == 1000
    assert divide_evenly([], 5) == ()


def test_what_only_reads_is_read_directly(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.read.parquet(lake(tmp_path))
    df.createOrReplaceTempView("lake")
    for same in [
        df,
        df.select("user", "time", "event"),
        df.drop("note"),
        df.where("true"),
        df.withColumn("note", F.lower("note")),
        spark.sql("select event, time, user from lake"),
        spark.read.option("mergeSchema", "true").parquet(str(tmp_path)),
    ]:
        assert chosen(same) is not None


def test_what_does_more_than_read_is_not(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.read.parquet(lake(tmp_path))
    for other in [
        df.where("time >= 0"),
        df.limit(10),
        df.sample(0.5),
        df.distinct(),
        df.union(df),
        df.orderBy("time"),
        df.repartition(2),
        df.withColumn("time", F.col("time").cast("int")),
        df.withColumn("user", F.col("user") + 1),
        df.select(F.col("event").alias("time"), F.col("time").alias("event"), "user"),
        df.join(df.select("user").distinct(), "user"),
        spark.read.option("datetimeRebaseMode", "LEGACY").parquet(str(tmp_path)),
        spark.createDataFrame(df.limit(5).collect()),
    ]:
        assert chosen(other) is None
    kept = df.cache()
    assert chosen(kept) is None
    kept.unpersist()
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    assert chosen(df) is None
    spark.conf.unset("spark.sql.files.ignoreCorruptFiles")
    assert chosen(df) is not None


def test_what_is_not_in_the_files_or_otherwise_is_not(spark: SparkSession, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    df = spark.read.parquet(lake(plain))
    assert chosen(df, "event", "time", "user", "note", key="note") is not None
    df.withColumn("time", F.col("time").cast("string")).write.parquet(str(tmp_path / "texts"))
    assert chosen(spark.read.parquet(str(tmp_path / "texts"))) is None
    df.write.csv(str(tmp_path / "csv"), header=True)
    assert chosen(spark.read.csv(str(tmp_path / "csv"), header=True, inferSchema=True)) is None
    df.write.partitionBy("user").parquet(str(tmp_path / "folders"))
    folders = spark.read.parquet(str(tmp_path / "folders"))
    assert chosen(folders) is None
    assert chosen(folders, "event", "time", "amount", key="amount") is not None
    wide = spark.read.schema("event string, time long, user long, level int").parquet(str(plain))
    assert chosen(wide) is not None and chosen(wide, "event", "time", "user", "level") is None
    pq.write_table(pa.table({"event": ["login"], "time": [9]}), plain / "without a user.parquet")
    assert chosen(spark.read.schema(df.schema).parquet(str(plain))) is None


@pytest.mark.parametrize(
    ("kind", "options", "direct"),
    [
        (pa.timestamp("us", "UTC"), {}, True),
        (pa.timestamp("us", "Europe/Rome"), {}, True),
        (pa.timestamp("us"), {}, True),
        (pa.timestamp("ms", "UTC"), {}, False),
        (pa.timestamp("ns", "UTC"), {"version": "2.6"}, False),
        (pa.timestamp("us", "UTC"), {"use_deprecated_int96_timestamps": True}, False),
        (pa.int32(), {}, True),
        (pa.uint16(), {}, False),
        (pa.float64(), {}, False),
    ],
)
def test_times_that_are_read_directly(
    spark: SparkSession, tmp_path: Path, kind: pa.DataType, options: dict[str, Any], direct: bool
) -> None:
    path = tmp_path / "trace.parquet"
    times = pa.array([1, 2]).cast(kind) if not pa.types.is_timestamp(kind) else pa.array([1, 2], kind)
    pq.write_table(pa.table({"event": ["login", "login"], "time": times, "user": [1, 2]}), path, **options)
    spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")
    df = spark.read.parquet(str(path))
    spark.conf.unset("spark.sql.legacy.parquet.nanosAsLong")
    assert (chosen(df) is not None) == direct


def test_a_file_that_changed_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    pq.write_table(pa.table({"time": list(range(10))}), path, row_group_size=5)
    schema = pa.schema([("time", pa.int64())])
    both = [Piece(str(path), 0, 5, 0), Piece(str(path), 1, 5, 5)]
    assert sum(table.num_rows for table in rows_of(str(path), both, schema, [])) == 10
    for changed in (Piece(str(path), 1, 4, 5), Piece(str(path), 2, 5, 5)):
        with pytest.raises(RuntimeError, match="is not what it was"):
            list(rows_of(str(path), [changed], schema, []))


def test_rows_are_brought_together_by_their_buckets() -> None:
    for buckets in ([], [5], [2, 0, 2, 70_000, 0, 2], [3, 3], list(range(9, 0, -1))):
        rank, starts = bounds(np.array(buckets, np.int64))
        pieces = [rank[start:end].tolist() for start, end in pairwise(starts)]
        expected = {bucket: [row for row, own in enumerate(buckets) if own == bucket] for bucket in sorted(buckets)}
        assert pieces == list(expected.values())


def test_a_case_is_in_one_bucket_whoever_reads_it() -> None:
    places = np.arange(1000)
    for keys in (
        pa.array(range(1000)),
        pa.array(range(-500, 500), pa.int16()),
        pa.array([f"ü{n}" for n in range(1000)]),
        pa.array([Decimal(n) / 4 for n in range(1000)]),
        pa.array(places.astype("datetime64[us]")),
    ):
        found = buckets_of(keys, places, 7)
        assert sorted(set(found.tolist())) == list(range(7))
        assert np.bincount(found).min() > 80
        assert (buckets_of(keys[::-1], places, 7)[::-1] == found).all()
    texts = pa.array([f"ü{n}" for n in range(1000)])
    assert (buckets_of(texts.dictionary_encode(), places, 7) == buckets_of(texts, places, 7)).all()
    assert (buckets_of(pa.nulls(1000, pa.string()), places, 7) == places % 7).all()
