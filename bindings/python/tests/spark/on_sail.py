# SPDX-License-Identifier: MIT OR Apache-2.0
"""Judges a trace on Sail and prints what was found as JSON: `on_sail.py TRACE SPEC [BY]`."""

from __future__ import annotations

import json
import sys

from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import gnomon.spark

trace, spec, *by = sys.argv[1:]
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
_, port = server.listening_address
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
result = gnomon.spark.check(
    spark.read.parquet(trace),
    spec,
    by=by[0] if by else None,
    order="place",
    partitions=5,
    max_violations=1_000_000,
    source=trace,
)
print(
    json.dumps(
        {
            "verdicts": [row.asDict() for row in result.verdicts.collect()],
            "violations": [
                row.asDict() for row in result.violations.withColumn("case", F.col("case").cast("string")).collect()
            ],
            "text": str(result.summary().cases),
        }
    )
)
spark.stop()
server.stop()
