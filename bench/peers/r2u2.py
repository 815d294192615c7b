# SPDX-License-Identifier: MIT OR Apache-2.0
"""R2U2's command line, as cargo installs it.

It reads a column of 0 and 1 for each proposition: the trace is rewritten for it, which is not measured, nor is the
compiling of the formula. Neutral rows at the end bring out the verdicts on the last positions.
"""

import os
import re
import subprocess

import common


def formula(task, events):
    """The section, the formula, and how many rows it looks ahead."""
    if task.kind == "response":
        return "FTSPEC", f"{task.trigger} -> F[1,{task.bound}] {task.answer}", task.bound
    if task.kind == "recurrence":
        return "FTSPEC", f"F[1,{task.bound}] {task.answer}", task.bound
    if task.kind == "precedence":
        # Every operator has a bound: the length of the trace is one that does not matter.
        return "PTSPEC", f"{task.trigger} -> O[1,1] ((!{task.trigger}) S[0,{events}] {task.answer})", 0
    raise common.Unsupported("it has no operator that counts over a window")


def judge(task, arguments, folder):
    names = list(common.event_names(arguments.trace))
    section, text, ahead = formula(task, len(names))
    spec, binary, trace, output = (os.path.join(folder, name) for name in ("p.c2po", "spec.bin", "t.csv", "verdicts"))
    with open(spec, "w", encoding="ascii") as out:
        out.write(f"INPUT\n  {', '.join(task.names())}: bool;\n{section}\n  {text};\n")
    with open(trace, "w", encoding="ascii") as out:
        out.write(f"# {','.join(task.names())}\n")
        for name in names + [""] * ahead:
            out.write(",".join("1" if name == other else "0" for other in task.names()) + "\n")
    tool = arguments.binary
    compiled = subprocess.run(
        [tool, "compile", "--output", folder, spec, trace], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if compiled.returncode != 0 or not os.path.exists(binary):
        lines = (compiled.stderr + compiled.stdout).strip().splitlines() or ["no message"]
        raise common.Unsupported(f"the formula is not taken: {lines[-1]}")
    seconds, peak = common.run_binary([tool, "run", binary, trace], output)
    version = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout.split()[-1]
    return common.answer(version, text, len(names), count(output, len(names)), seconds, peak)


def count(output, events):
    """The false positions from 1 on. A verdict holds for all positions since the one before it."""
    violations, start = 0, 1
    with open(output, encoding="ascii") as verdicts:
        for line in verdicts:
            verdict = re.fullmatch(r"0:(\d+),([TF])", line.strip())
            if not verdict:
                raise common.Unsupported(f"it says: {line.strip()}")
            position, value = verdict.groups()
            end = min(int(position) + 1, events)
            if value == "F":
                violations += max(0, end - start)
            start = max(start, end)
    return violations


common.external(judge)
