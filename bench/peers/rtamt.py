# SPDX-License-Identifier: MIT OR Apache-2.0
"""rtamt's discrete-time specification, evaluated offline, which is several times as quick as its online monitor.

An event is a variable that is 1 where it happens and -1 elsewhere, so the robustness is 1 or -1 too. The variables are
used as they are: around a comparison such as `start >= 0` nothing is gained, and there is one more operator.
"""

import sys
from importlib.metadata import version

# This file bears its library's name; its own folder must not come first where libraries are looked for.
FOLDER = sys.path.pop(0)
import rtamt  # noqa: E402

sys.path.append(FOLDER)
import common  # noqa: E402


def formula(task):
    trigger, answer = task.trigger, task.answer
    if task.kind == "response":
        return f"{trigger} implies (eventually[1:{task.bound}] {answer})"
    if task.kind == "recurrence":
        return f"eventually[1:{task.bound}] {answer}"
    if task.kind == "precedence":
        return f"{trigger} implies (prev ((not {trigger}) since {answer}))"
    raise common.Unsupported("it has no operator that counts over a window")


def judge(task, trace):
    specification = rtamt.StlDiscreteTimeSpecification()
    for name in task.names():
        specification.declare_var(name, "float")
    specification.spec = formula(task)
    specification.parse()
    names = list(common.event_names(trace))
    signals = {name: [1.0 if event == name else -1.0 for event in names] for name in task.names()}
    signals["time"] = list(range(len(names)))
    robustness = specification.evaluate(signals)
    # The strict `G` says nothing of position 0.
    return specification.spec, len(names), sum(value < 0 for time, value in robustness if time > 0)


common.in_process(version("rtamt"), judge)
