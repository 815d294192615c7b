# SPDX-License-Identifier: MIT OR Apache-2.0
"""Gnomon inside Apache Spark: checks logs that do not fit one machine, where they are.

:func:`check` checks a data frame of events, each value of a column as a trace of its own. :func:`watch` checks
a stream for as long as it runs. Both run on any cluster whose workers have this package; :func:`check` runs on
Sail as well.
"""

from ._batch import Result, check
from ._planning import PartitionError, Refusal
from ._streaming import watch

__all__ = ["PartitionError", "Refusal", "Result", "check", "watch"]
