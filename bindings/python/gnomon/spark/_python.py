# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which Python judges."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ._columns import is_classic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def use_this_python(df: DataFrame) -> None:
    """Where the workers are on this machine, they run the Python that has the package, unless the user names another.

    Spark's own choice is whatever `python3` is, which in an environment that is not activated is another one.
    """
    if not is_classic(df) or "PYSPARK_PYTHON" in os.environ:
        return
    context = df.sparkSession.sparkContext
    if (context.master or "").startswith("local"):
        context.pythonExec = sys.executable
