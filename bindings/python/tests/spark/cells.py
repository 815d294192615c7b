# SPDX-License-Identifier: MIT OR Apache-2.0
"""A script with `# %%` marks as a notebook: `cells.py SCRIPT NOTEBOOK` writes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def cells(script: str) -> list[tuple[str, str]]:
    """The kind and the text of each cell."""
    found = []
    for block in script.split("# %%")[1:]:
        head, _, body = block.partition("\n")
        if head.strip() == "[markdown]":
            body = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines())
            found.append(("markdown", body))
        else:
            found.append(("code", body.strip()))
    return found


def notebook(script: str) -> dict[str, Any]:
    made = []
    for number, (kind, text) in enumerate(cells(script)):
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": text.splitlines(keepends=True),
        }
        made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(json.dumps(notebook(source.read_text()), indent=1, ensure_ascii=False) + "\n")
