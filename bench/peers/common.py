# SPDX-License-Identifier: MIT OR Apache-2.0
"""Common parts of the drivers of the peers: the task, the trace, the measurement and the answer.

A driver is called with a trace and a task, and prints one line of JSON: events, violations, cpu_seconds, peak_mb,
version and formula, or only a reason where the peer cannot do the task. Only the standard library is needed.
"""

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """A property to check. `kind` is one of

    response:   each `trigger` is followed by an `answer` 1 to `bound` units later
    precedence: each `trigger` has an `answer` before it, and no other `trigger` since
    count:      at each `trigger`, the last `bound` units hold at most `limit` of `answer`
    recurrence: each position is followed by an `answer` 1 to `bound` units later
    """

    kind: str
    trigger: str
    answer: str
    bound: int
    limit: int

    def names(self):
        """Returns the events that the property mentions."""
        return [self.answer] if self.kind == "recurrence" else [self.trigger, self.answer]


class Unsupported(Exception):
    """The peer cannot do this task."""


def event_names(trace):
    """The name of each event of a CSV trace with the columns `event, time`, one event a time unit."""
    with open(trace, encoding="ascii") as rows:
        next(rows, None)
        for row in rows:
            yield row.split(",", 1)[0]


def in_process(version, judge):
    """Runs a peer that is a Python library. `judge(task, trace)` gives formula, events and violations.

    The time runs from before the trace is opened; the interpreter's start and the imports are left out, because they
    would weigh more on the short trace of a peer than on a long one.
    """

    def measured(task, arguments):
        start = time.process_time()
        formula, events, violations = judge(task, arguments.trace)
        seconds = time.process_time() - start
        return answer(version, formula, events, violations, seconds, peak_bytes("self"))

    _main(measured)


def external(judge):
    """Runs a peer that is a binary. `judge(task, arguments, folder)` gives the whole answer; the folder is for its
    files and goes away afterwards."""

    def measured(task, arguments):
        with tempfile.TemporaryDirectory() as folder:
            return judge(task, arguments, folder)

    _main(measured)


def answer(version, formula, events, violations, seconds, peak):
    return {
        "version": version,
        "formula": formula,
        "events": events,
        "violations": violations,
        "cpu_seconds": seconds,
        "peak_mb": peak / 1e6,
    }


def run_binary(command, output):
    """Runs a command to its end, with its standard output in a file. Returns its processor seconds and peak bytes.

    The peak is looked up every millisecond: the one in the resource usage would start from this process's own.
    """
    with open(output, "wb") as stdout:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout)
    peak = 0
    try:
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            peak = peak_bytes(child.pid) or peak
            time.sleep(0.001)
    except BaseException:
        child.kill()
        child.wait()
        raise
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Unsupported(f"`{os.path.basename(command[0])}` ended with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, peak


def peak_bytes(process):
    """The high-water mark of a process's memory; 0 once it has ended."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _main(measured):
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("kind", choices=["response", "precedence", "count", "recurrence"])
    parser.add_argument("--trigger", default="")
    parser.add_argument("--answer", required=True)
    parser.add_argument("--bound", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--binary", help="the peer, where it is not a Python library")
    parser.add_argument("--seconds", type=int, default=120, help="give up after so long")
    arguments = parser.parse_args()
    task = Task(arguments.kind, arguments.trigger, arguments.answer, arguments.bound, arguments.limit)

    def too_long(_signal, _frame):
        raise Unsupported(f"not done after {arguments.seconds} s")

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(arguments.seconds)
    try:
        result = measured(task, arguments)
    except Unsupported as reason:
        result = {"reason": str(reason)}
    print(json.dumps(result))
