# SPDX-License-Identifier: MIT OR Apache-2.0
"""The command ``gnomon``: also ``python -m gnomon``."""

from __future__ import annotations

import signal
import sys

from . import _gnomon


def main() -> int:
    """Runs the command with the arguments of the process; returns its exit status."""
    # Ctrl-C ends the command as it ends any other program. Python's handler would wait for the command to return.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _gnomon.run_command(["gnomon", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
