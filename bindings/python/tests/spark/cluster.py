# SPDX-License-Identifier: MIT OR Apache-2.0
"""A real cluster on this machine: a master and workers, each a process of its own, on loopback and free ports."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import pyspark

SPARK_HOME = Path(pyspark.__file__).parent
START_SECONDS = 90
PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Whoever is killed without a chance to clean up leaves no cluster behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Node:
    """A master or a worker."""

    def __init__(self, log: Path, *arguments: str) -> None:
        self.log = log
        environment = os.environ | {
            "SPARK_HOME": str(SPARK_HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [str(SPARK_HOME / "bin" / "spark-class"), *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    def wait_for(self, pattern: str) -> str:
        """The first group of a pattern in the log, once it is there."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            found = re.search(pattern, self.log.read_text(errors="replace"))
            if found:
                return found.group(1)
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.kill()
        raise RuntimeError(f"`{pattern}` is not in the log of a node:\n{self.log.read_text(errors='replace')}")

    def kill(self) -> None:
        """With its executors: they are in its process group."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


class Cluster:
    """A master and two workers, with room for two applications; gone at the end of a `with` block, in any event."""

    def __init__(self, folder: Path, workers: int = 2, memory: str = "1200m") -> None:
        self.folder = folder
        self.memory = memory
        self.workers: list[Node] = []
        self.master = Node(
            folder / "master.log",
            "org.apache.spark.deploy.master.Master",
            *("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"),
        )
        self.url = self.master.wait_for(r"Starting Spark master at (spark://\S+)")
        self.started = 0
        for _ in range(workers):
            self.workers.append(self.worker())

    def worker(self) -> Node:
        number, self.started = self.started, self.started + 1
        worker = Node(
            self.folder / f"worker-{number}.log",
            "org.apache.spark.deploy.worker.Worker",
            *("--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--cores", "2", "--memory", self.memory),
            *("--work-dir", str(self.folder / f"work-{number}"), self.url),
        )
        worker.wait_for(r"(Successfully registered with master)")
        return worker

    def replace_worker(self, number: int) -> None:
        """Another for one that was killed."""
        self.workers[number] = self.worker()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for node in [*self.workers, self.master]:
            node.kill()


def session(master: str, **settings: str) -> pyspark.sql.SparkSession:
    """A session for small data: few partitions, and inputs that are read in many."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("gnomon")
    configured = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.cores.max": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.files.maxPartitionBytes": "16k",
        "spark.sql.files.openCostInBytes": "0",
    } | settings
    for name, value in configured.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark
