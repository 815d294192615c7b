# SPDX-License-Identifier: MIT OR Apache-2.0
"""The package as others see it: types, examples in the documentation, and what it needs."""

import doctest
import importlib
import os
import pkgutil
import re
import signal
import subprocess
import sys
from pathlib import Path

import gnomon
import pytest
from conftest import ROOT



def modules() -> list[str]:
    names = [module.name for module in pkgutil.iter_modules(gnomon.__path__, "gnomon.")]
    return ["gnomon", *(name for name in names if name not in ("gnomon._gnomon", "gnomon.spark"))]


@pytest.mark.parametrize("name", modules())
def test_examples_in_the_code(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module, verbose=False).failed == 0


def test_the_guide_runs(tmp_path: Path) -> None:
    """The blocks of the guide are one program, run from top to bottom in an empty folder."""
    guide = (ROOT / "docs/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 5
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        namespace: dict[str, object] = {}
        for block in blocks:
            exec(compile(block, "docs/python.md", "exec"), namespace)
    finally:
        os.chdir(before)


def test_types_are_strict(tmp_path: Path) -> None:
    example = tmp_path / "example.py"
    example.write_text(
        """
import gnomon

spec: gnomon.Spec = gnomon.Spec.from_text("soloist calm { G(!alarm) }")
report = gnomon.check(spec, [("start", 0), ("alarm", 3, {"level": 2})], by=None)
verdict: gnomon.Verdict = report["calm"].verdict
for violation in report.violations:
    where: int = violation.event_index
    what: str = violation.summary
monitor = gnomon.Monitor(spec)
index: int = monitor.step("start", 0)
state: bytes = monitor.save()
"""
    )
    packages = [part for name in modules() for part in ("-m", name)]
    # Not all of the libraries that are handed frames tell their types.
    flags = ["--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache"), "--python-version", "3.10"]
    for what in (packages, [str(example)]):
        done = subprocess.run([sys.executable, "-m", "mypy", *flags, *what], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_else_is_needed() -> None:
    """Files and iterables are judged without any other package."""
    program = """
import sys
for name in ("pyarrow", "pandas", "polars", "numpy", "pyspark"):
    sys.modules[name] = None
import gnomon
spec = gnomon.Spec.from_text("soloist calm { G(!alarm) }")
print(gnomon.check(spec, b"event,time\\nstart,0\\nalarm,1\\n").ok, gnomon.check(spec, [("start", 0)]).ok)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_everything_public_is_documented() -> None:
    for name in gnomon.__all__:
        public = getattr(gnomon, name)
        assert isinstance(public, (list, str)) or public.__doc__, name


def test_the_package_brings_the_command(tmp_path: Path) -> None:
    """The script of the package and ``python -m gnomon`` are the command, with its exit status."""
    (tmp_path / "calm.rv").write_text("soloist calm { G(!alarm) }")
    (tmp_path / "day.csv").write_text("event,time\nstart,0\nalarm,1\n")
    script = Path(sys.executable).with_name("gnomon")
    for command in ([str(script)], [sys.executable, "-m", "gnomon"]):

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=tmp_path)

        assert run("--version").stdout.split() == ["gnomon", gnomon.__version__]
        checked = run("check", "calm.rv", "day.csv")
        assert checked.returncode == 1 and "1 violated" in checked.stdout, checked
        missing = run("check", "calm.rv", "night.csv")
        assert missing.returncode == 2 and missing.stderr.startswith("error[G0701]"), missing


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_ends_the_command(tmp_path: Path) -> None:
    (tmp_path / "calm.rv").write_text("soloist calm { G(!alarm) }")
    command = [sys.executable, "-m", "gnomon", "check", "calm.rv", "-", "--report", "ndjson", "--format", "csv"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdin is not None and process.stdout is not None
        # A line of the report shows that the command is at work when it is interrupted.
        process.stdin.write("event,time\nstart,0\nalarm,1\nstart,2\nstart,3\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == -signal.SIGINT
