# SPDX-License-Identifier: MIT OR Apache-2.0
# %% [markdown]
# # From a lake to the sessions that break a promise
#
# A shop keeps its events as Parquet, a folder for each day. Which sessions broke the rules in `sessions.rv`?

# %%
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import gnomon
import gnomon.spark

here = Path(__file__).parent if "__file__" in globals() else Path.cwd()
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()

# %% [markdown]
# ## The lake
#
# Yours exists already. This one is made up: of each hundred sessions a few pay late, and a few are sent what they did not pay for.

# %%
lake = Path(tempfile.mkdtemp()) / "events"
sessions = spark.range(20_000).withColumn("chance", F.pmod(F.xxhash64("id"), F.lit(100)))
steps = sessions.selectExpr(
    "id as session",
    "timestamp_seconds(1767225600 + id * 13) as began",
    "explode(filter(array("
    "  struct('checkout' as event, 0 as later),"
    "  struct('paid' as event, if(chance < 3, 900, 60 + chance) as later),"
    "  struct('shipped' as event, 5000 as later)"
    "), step -> not (step.event = 'paid' and chance = 99))) as step",
)
events = steps.selectExpr("step.event", "began + make_interval(0, 0, 0, 0, 0, 0, step.later) as time", "session")
events.withColumn("day", F.to_date("time")).write.partitionBy("day").parquet(str(lake))

# %% [markdown]
# ## By which column?
#
# `plan` says by which column the events may be dealt out to workers without changing any verdict, and why.

# %%
spec = gnomon.load(here / "sessions.rv")
spec.plan()["fields"]

# %% [markdown]
# ## The verdicts
#
# Nothing is judged yet: the first question starts the work, the next ones are answered from what it found.

# %%
result = gnomon.spark.check(spark.read.parquet(str(lake)), spec)
result.summary()

# %%
result.verdicts.groupBy("property", "verdict").count().orderBy("property", "verdict").show()

# %% [markdown]
# ## A table of violating sessions
#
# What is found is a data frame like any other: here it is put beside the lake, for those who will call the customers.

# %%
violating = result.violations.groupBy("case").agg(
    F.sort_array(F.collect_set("property")).alias("broken"), F.min("time").alias("since")
)
table = Path(tempfile.mkdtemp()) / "violating_sessions"
violating.withColumnRenamed("case", "session").write.parquet(str(table))
spark.read.parquet(str(table)).orderBy(F.size("broken").desc(), "session").show(5, truncate=False)

# %%
result.unpersist()
spark.stop()
