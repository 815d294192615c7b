# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reelay's discrete-time monitor, from its Python package.

Reelay knows the past only. A bound in the future becomes a delay: the verdict at step `t` is that on the position
`t - delay`, and `delay` neutral events at the end bring out the verdicts on the last positions.
"""

import sys
from importlib.metadata import version
from itertools import chain, repeat

# This file bears its library's name; its own folder must not come first where libraries are looked for.
FOLDER = sys.path.pop(0)
import reelay  # noqa: E402

sys.path.append(FOLDER)
import common  # noqa: E402


def formula(task):
    """The past formula, and its delay."""
    trigger, answer, bound = f"{{{task.trigger}}}", f"{{{task.answer}}}", task.bound
    if task.kind == "response":
        return f"(once[{bound}:{bound}] {trigger}) -> (once[0:{bound - 1}] {answer})", bound
    if task.kind == "recurrence":
        return f"once[0:{bound - 1}] {answer}", bound
    if task.kind == "precedence":
        return f"{trigger} -> (pre ((not {trigger}) since {answer}))", 0
    raise common.Unsupported("it has no operator that counts over a window")


def judge(task, trace):
    pattern, delay = formula(task)
    # Propositions are quicker here than comparing the event's name in the pattern.
    facts = {name: {other: other == name for other in task.names()} for name in task.names()}
    neutral = {name: False for name in task.names()}
    update = reelay.discrete_timed_monitor(pattern=pattern).update
    step = violations = 0
    holds = True
    for name in chain(common.event_names(trace), repeat("", delay)):
        # Only a change of the verdict is reported.
        change = update(facts.get(name, neutral))
        if change:
            holds = change["value"]
        # The strict `G` says nothing of position 0.
        if not holds and step > delay:
            violations += 1
        step += 1
    return pattern, step - delay, violations


common.in_process(version("reelay"), judge)
