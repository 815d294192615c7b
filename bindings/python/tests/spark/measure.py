# SPDX-License-Identifier: MIT OR Apache-2.0
"""The table of docs/spark.md: `measure.py FOLDER [EVENTS]...` judges sessions on this machine with and without Spark.

Run it with the package built for release, on a machine that does nothing else.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from cluster import session

import gnomon
import gnomon.spark

SPEC = gnomon.Spec.from_text(
    "event request(session)\nevent response(session)\nmtl answered { forall s. G(request(s) -> F[0,10] response(s)) }"
)
EACH = 20
RUNS = 3


def write(path: Path, events: int) -> None:
    """Sessions of requests and responses, mixed in the order of time; one gap in fifty thousand is too long."""
    chance = np.random.default_rng(1)
    sessions = events // EACH
    gaps = chance.integers(1, 9, (sessions, EACH))
    gaps[chance.random((sessions, EACH)) < 0.00002] = 40
    times = (gaps.cumsum(axis=1) + chance.integers(0, max(1, events // 50), sessions)[:, None]).reshape(-1)
    order = np.argsort(times, kind="stable")
    names = pa.array(["request", "response"]).take(pa.array(np.tile(np.arange(EACH) % 2, sessions)[order]))
    table = {"event": names, "time": times[order], "session": np.repeat(np.arange(sessions), EACH)[order]}
    pq.write_table(pa.table(table), path, row_group_size=1 << 18)


def best(work: Callable[[], gnomon.Report]) -> tuple[float, int]:
    """The shortest of a few runs, after one that warms up; and what was found."""
    took, found = [], work()["answered"].violated
    for _ in range(RUNS):
        start = time.perf_counter()
        assert work()["answered"].violated == found
        took.append(time.perf_counter() - start)
    return min(took), found


def main() -> None:
    folder = Path(sys.argv[1])
    sizes = [int(size) for size in sys.argv[2:]] or [1_000_000, 3_000_000, 10_000_000]
    print(
        "| events | `check --jobs 2` | `check --jobs 2 --by` | Spark, 1 core | Spark, 2 cores |\n|---|---|---|---|---|"
    )
    cells: dict[int, list[str]] = {}
    for size in sizes:
        path = folder / f"sessions-{size}.parquet"
        if not path.exists():
            write(path, size)
        whole, found = best(lambda path=path: gnomon.check(SPEC, path, jobs=2))
        cases, by = best(lambda path=path: gnomon.check(SPEC, path, jobs=2, by="session"))
        assert found == by
        cells[size] = [f"{whole:.1f} s", f"{cases:.1f} s"]
    for cores in (1, 2):
        spark = session(f"local[{cores}]", **{"spark.driver.memory": "3g", "spark.sql.files.maxPartitionBytes": "128m"})
        for size in sizes:
            df = spark.read.parquet(str(folder / f"sessions-{size}.parquet"))

            def judged(df: object = df) -> gnomon.Report:
                result = gnomon.spark.check(df, SPEC, by="session")  # type: ignore[arg-type]
                summary = result.summary()
                result.unpersist()
                return summary

            cells[size].append(f"{best(judged)[0]:.1f} s")
        spark.stop()
    for size in sizes:
        print(f"| {size // 1_000_000} M | " + " | ".join(cells[size]) + " |")


if __name__ == "__main__":
    main()
