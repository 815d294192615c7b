# SPDX-License-Identifier: MIT OR Apache-2.0
"""RTLola's interpreter, as cargo installs it.

Its language is one of streams: a property becomes a few stream equations and a trigger that fires at each violation.
The trace is rewritten without blanks and with neutral events at its end, which is not measured.
"""

import os
import subprocess

import common


def equations(task):
    """The specification, and how many events it lags behind."""
    since = (
        "output position: UInt64 @event := position.offset(by: -1).defaults(to: 0) + 1\n"
        f'output latest: UInt64 := if event == "{task.answer}" then position'
        " else latest.offset(by: -1).defaults(to: 0)\n"
    )
    if task.kind == "response":
        return (
            f'{since}trigger event.offset(by: -{task.bound}).defaults(to: "") == "{task.trigger}"'
            f" && position - latest >= {task.bound}\n"
        ), task.bound
    if task.kind == "recurrence":
        # The first position is number 1, and the strict `G` says nothing of it.
        return f"{since}trigger position > {task.bound + 1} && position - latest >= {task.bound}\n", task.bound
    if task.kind == "precedence":
        return (
            f'output ready: Bool := event == "{task.answer}"'
            f' || (event != "{task.trigger}" && ready.offset(by: -1).defaults(to: false))\n'
            f'trigger event == "{task.trigger}" && !ready.offset(by: -1).defaults(to: false)\n'
        ), 0
    return (
        f'output enters: Int64 := if event == "{task.answer}" then 1 else 0\n'
        f"output total: Int64 := total.offset(by: -1).defaults(to: 0) + enters"
        f" - enters.offset(by: -{task.bound}).defaults(to: 0)\n"
        f'trigger event == "{task.trigger}" && total > {task.limit}\n'
    ), 0


def judge(task, arguments, folder):
    names = list(common.event_names(arguments.trace))
    text, lag = equations(task)
    spec, trace, output = (os.path.join(folder, name) for name in ("p.lola", "t.csv", "triggers"))
    with open(spec, "w", encoding="ascii") as out:
        out.write("input event: String\n" + text)
    with open(trace, "w", encoding="ascii") as out:
        out.write("event,time\n")
        out.writelines(f"{name},{time}\n" for time, name in enumerate(names + ["other"] * lag))
    tool = arguments.binary
    command = [tool, "monitor", spec, "--offline", "relative", "--csv-in", trace, "--verbosity", "trigger"]
    seconds, peak = common.run_binary(command, output)
    with open(output, encoding="utf-8") as triggers:
        violations = sum("trigger" in line.lower() for line in triggers)
    version = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout.split()[-1]
    return common.answer(version, " ".join(text.split()), len(names), violations, seconds, peak)


common.external(judge)
