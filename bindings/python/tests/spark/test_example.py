# SPDX-License-Identifier: MIT OR Apache-2.0
"""The worked example runs, as a script and as a notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cells import notebook

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "spark"


def test_the_notebook_is_the_script() -> None:
    written = json.loads((EXAMPLE / "sessions.ipynb").read_text())
    assert written == notebook((EXAMPLE / "sessions.py").read_text()), "write it anew with cells.py"


def test_the_notebook_runs() -> None:
    nbclient = __import__("pytest").importorskip("nbclient")
    import nbformat

    book = nbformat.read(EXAMPLE / "sessions.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(EXAMPLE)}}).execute()
    reported = "".join(
        output.get("text", "") + str(output.get("data", {}).get("text/html", ""))
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )
    assert "['session']" in str([output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs])
    assert "<svg" in reported or "<table" in reported, "the report draws itself"
    assert "[order, paid-first, pays]" in reported


def test_the_script_runs() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "sessions.py")], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "[order, paid-first, pays]" in done.stdout
