# SPDX-License-Identifier: MIT OR Apache-2.0
"""Packets of events, sent by the engine to those who judge them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from ._columns import is_classic
from ._judge import TOLD, Work
from ._names import BUCKET

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def judged(packets: DataFrame, work: Work, parts: int) -> DataFrame:
    """What the workers tell of the packets."""
    return dealt_out(packets, parts).sortWithinPartitions(BUCKET).mapInArrow(work.judge, TOLD)


def dealt_out(packets: DataFrame, parts: int) -> DataFrame:
    """Each bucket as a whole, and the same number of them for each part, where the engine can do that."""
    if is_classic(packets):
        return packets.repartitionById(parts, F.col(BUCKET) % parts)
    return packets.repartition(parts, BUCKET)
