# SPDX-License-Identifier: MIT OR Apache-2.0
"""A stream in a process of its own, that can be killed: `driver.py MASTER FOLDER SPEC`."""

from __future__ import annotations

import sys
from pathlib import Path

from cluster import session
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

import gnomon.spark

SCHEMA = "event string, time timestamp, user long, amount long"


def start(spark: SparkSession, folder: Path, spec: Path) -> StreamingQuery:
    """Judges the files in a folder, one after the other, from where the checkpoint says."""
    events = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    found = gnomon.spark.watch(events, spec, by="user", order="amount", lateness="30 seconds")
    writer = found.writeStream.format("parquet").option("path", str(folder / "out"))
    return writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start()


if __name__ == "__main__":
    master, folder, spec = sys.argv[1:]
    start(session(master), Path(folder), Path(spec)).awaitTermination()
