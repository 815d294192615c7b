# SPDX-License-Identifier: MIT OR Apache-2.0
"""Gnomon inside Apache Spark: logs that do not fit one machine, judged where they are.

:func:`check` judges a data frame of events, each value of a column as a trace of its own. :func:`watch` does the same
to a stream, for as long as it comes. Both run on any cluster whose workers have this package; :func:`check` runs on
Sail as well.
"""

from ._batch import Result, check
from ._key import PartitionError, Refusal
from ._stream import watch

__all__ = ["PartitionError", "Refusal", "Result", "check", "watch"]
