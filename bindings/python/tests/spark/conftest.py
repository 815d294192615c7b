# SPDX-License-Identifier: MIT OR Apache-2.0
"""One cluster and one session for all tests of Spark; traces in Parquet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
sys.path.insert(0, str(Path(__file__).parent))

from cluster import Cluster, session  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from traces import write  # noqa: E402


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spark(cluster: Cluster) -> Iterator[SparkSession]:
    spark = session(cluster.url)
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trace") / "office.parquet"
    write(path, cases=60, events=4000, seed=7)
    return path
