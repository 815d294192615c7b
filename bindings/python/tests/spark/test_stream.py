# SPDX-License-Identifier: MIT OR Apache-2.0
"""A stream that is stopped, and killed, and goes on, finds what one machine finds in the complete log."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import traces
from cluster import Cluster, die_with_parent
from driver import SCHEMA, start
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import gnomon
import gnomon.spark

FILES = 5
#: A case, a property, what went wrong, for which values, the part that failed, and where.
Place = tuple[int, str, str, str, str, int]
SPEC = (
    traces.EVENTS
    + """
mtl short     { forall u. G(login(u) -> F[0,20s] logout(u)) }
mtl logged-in { forall u. G(access(u) -> Y(!logout(u) S login(u))) }
qea session {
  Forall(u)
  accept skip(outside) {
    login(u)  -> inside
    access(u) -> failure
  }
  accept skip(inside) { logout(u) -> outside }
}
soloist few { G(logout -> C^{60}_{<=3}(access)) }
nomad answered { P(start(login) | O[0,20]s done(access)) / {{login.user, access.user}} }
"""
)


def events() -> list[dict[str, Any]]:
    """The amount numbers the events, so that it tells which of two at one time comes first."""
    made = [row for row in traces.rows(cases=8, events=400, seed=11) if row["user"] is not None]
    return [traces.dated(row) | {"amount": number} for number, row in enumerate(made)]


def deal_out(folder: Path, made: list[dict[str, Any]]) -> None:
    """Into files that come one after the other, in disorder, a little a file late; then some that let time pass."""
    chance = random.Random(5)
    size = -(-len(made) // FILES)
    files = [made[start : start + size] for start in range(0, len(made), size)]
    for number in range(len(files) - 1):
        latest = max(row["time"] for row in files[number])
        late = [row for row in files[number] if latest - row["time"] < timedelta(seconds=10) and chance.random() < 0.2]
        files[number] = [row for row in files[number] if row not in late]
        files[number + 1] = files[number + 1] + late
    end = made[-1] | {"event": "later", "time": made[-1]["time"] + timedelta(hours=1), "user": -1}
    files += [[end], [end | {"time": end["time"] + timedelta(hours=1)}]]
    (folder / "in").mkdir(parents=True)
    for number, rows in enumerate(files):
        chance.shuffle(rows)
        path = folder / "in" / f"{number:02}.json"
        reported = [row | {"time": row["time"].isoformat()} for row in rows]
        lines = [json.dumps({name: row[name] for name in ("event", "time", "user", "amount")}) for row in reported]
        path.write_text("\n".join(lines))
        os.utime(path, (number, number))


def expected(spec: gnomon.Spec, made: list[dict[str, Any]]) -> list[Place]:
    """Returns the violations that monitors find. The clock advances past all deadlines that the log leaves open."""
    found: list[Place] = []
    for user in {row["user"] for row in made}:
        monitor = gnomon.Monitor(spec)
        monitor.feed([row for row in made if row["user"] == user])
        monitor.advance(made[-1]["time"] + timedelta(hours=1))
        found += [place for violation in monitor.take_violations() for place in places(user, violation.to_dict())]
    return sorted(set(found))


def places(case: int, reported: dict[str, Any]) -> list[Place]:
    """Positions that are broken alike are reported as one violation, or as several if some were reported before."""
    last = reported["position"] if reported["until_position"] is None else reported["until_position"]
    binding = str(json.loads(reported["binding"]))
    return [
        (case, reported["property"], reported["summary"], binding, reported["failed"], position)
        for position in range(reported["position"], last + 1)
    ]


def test_stopped_and_killed_a_stream_loses_and_repeats_nothing(
    tmp_path: Path, cluster: Cluster, spark: SparkSession
) -> None:
    path = tmp_path / "office.rv"
    path.write_text(SPEC)
    made = events()
    deal_out(tmp_path, made)
    # Stopped in the middle.
    query = start(spark, tmp_path, path)
    wait_for_batches(tmp_path, 2)
    query.stop()
    # Killed in the middle.
    driver = [sys.executable, str(Path(__file__).with_name("driver.py")), cluster.url, str(tmp_path), str(path)]
    before = commits(tmp_path)
    assert before < FILES
    first = subprocess.Popen(driver, preexec_fn=die_with_parent)
    try:
        wait_for_batches(tmp_path, before + 2)
    finally:
        first.kill()
        first.wait()
    assert commits(tmp_path) < FILES + 2
    start(spark, tmp_path, path).awaitTermination()
    found = spark.read.parquet(str(tmp_path / "out"))
    fresh = [place for row in found.where("not grew").collect() for place in places(row["case"], row.asDict())]
    grown = [place for row in found.where("grew").collect() for place in places(row["case"], row.asDict())]
    assert len(fresh) == len(set(fresh)), "something is reported twice"
    rows = sorted({*fresh, *grown})
    assert rows == expected(gnomon.load(path), made)
    assert len(rows) > 50
    assert {row[1] for row in rows} == {"short", "logged-in", "session", "few", "answered"}
    assert found.where(F.col("decided_event").isNull()).count() > 0, "no deadline passed in silence"


def commits(folder: Path) -> int:
    return len([path for path in folder.glob("checkpoint/commits/*") if path.name.isdigit()])


def wait_for_batches(folder: Path, wanted: int) -> None:
    end = time.monotonic() + 240
    while commits(folder) < wanted:
        assert time.monotonic() < end, "the stream makes no progress"
        time.sleep(0.05)


def test_a_silent_case_is_checked_as_complete_and_removed(tmp_path: Path, spark: SparkSession) -> None:
    spec = gnomon.Spec.from_text("mtl answered { forall u. G(ask(u) -> F reply(u)) }\nevent ask(u)\nevent reply(u)")
    (tmp_path / "in").mkdir()
    asked = [("ask", "00:00:01", 1), ("ask", "00:00:02", 2), ("reply", "00:00:03", 2)]
    later = [("end", "09:00:00", 9), ("end", "19:00:00", 9)]
    for number, (event, moment, user) in enumerate([*asked, *later]):
        path = tmp_path / "in" / f"{number}.json"
        path.write_text(json.dumps({"event": event, "time": f"2026-01-01T{moment}Z", "u": user}))
        os.utime(path, (number, number))
    stream = spark.readStream.schema("event string, time timestamp, u long").json(str(tmp_path / "in"))
    found = gnomon.spark.watch(stream, spec, by="u", idle=timedelta(hours=1))
    writer = (
        found.writeStream.format("memory")
        .queryName("silent")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
    )
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    assert [(row["case"], row["event"]) for row in spark.table("silent").collect()] == [(1, "ask")]


def test_what_is_no_stream_of_moments_is_refused(spark: SparkSession) -> None:
    spec = gnomon.Spec.from_text(SPEC)
    with pytest.raises(ValueError, match="no stream; use `gnomon.spark.check`"):
        gnomon.spark.watch(spark.createDataFrame([], SCHEMA), spec, by="user")
    rate = spark.readStream.format("rate").load().selectExpr("'login' as event", "value as time", "value as user")
    with pytest.raises(ValueError, match="`time` must be a timestamp"):
        gnomon.spark.watch(rate, spec, by="user")
