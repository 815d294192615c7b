# SPDX-License-Identifier: MIT OR Apache-2.0
"""Packed events are unpacked unchanged, in the order of evaluation."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np
import pyarrow as pa
import pytest

from gnomon.spark._planning import BUCKET, PLACE
from gnomon.spark._packing import FEW, Sorting, narrow, packets, read_packet, widen, without_codes, write_packet

ROWS = 5000


def columns() -> dict[str, pa.Array]:
    """Of each kind that is narrow, and of some that are not."""
    numbers = np.arange(ROWS, dtype=np.int64)
    moment = datetime(2026, 1, 1, tzinfo=timezone.utc)
    return {
        "close": pa.array(numbers + (1 << 40)),
        "wide": pa.array(numbers << 16),
        "far": pa.array([-(1 << 63), (1 << 63) - 1] * (ROWS // 2)),
        "missing": pa.array([None if n % 7 == 0 else n for n in range(ROWS)]),
        "moment": pa.array([moment] * ROWS, pa.timestamp("us", "UTC")),
        "local": pa.array(numbers, pa.timestamp("us")),
        "name": pa.array([None if n % 9 == 0 else f"n{n % 5}" for n in range(ROWS)]),
        "names": pa.array([f"n{n % 300}" for n in range(ROWS)]),
        "text": pa.array([f"t{n}" for n in range(ROWS)]),
        "later": pa.array([f"t{max(0, n - 4 * FEW)}" for n in range(ROWS)]),
        "level": pa.array([n / 7 for n in range(ROWS)]),
    }


@pytest.mark.parametrize("coded", [False, True])
def test_a_packet_is_smaller_and_the_same(coded: bool) -> None:
    given = columns()
    if coded:
        given |= {name: given[name].dictionary_encode() for name in ("name", "names", "text", "later")}
    table = pa.table(given)
    small = narrow(table)
    kinds = {field.name: str(field.type) for field in small.schema}
    assert (kinds["close"], kinds["wide"], kinds["far"], kinds["moment"]) == ("uint16", "uint32", "int64", "uint16")
    assert "indices=int8" in kinds["name"] and "indices=int16" in kinds["names"] and kinds["text"] == "string"
    back = widen(read_packet(write_packet(small)))
    assert without_codes(back).equals(without_codes(table))
    assert back.schema.field("moment").type == pa.timestamp("us", "UTC")


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("kind", ["numbers", "texts", "many", "none"])
def test_a_bucket_is_in_order(shuffled: bool, kind: str) -> None:
    """In the order of time it is only grouped; else it is sorted. Cases stay together, and keep their order."""
    chance = np.random.default_rng(3)
    rows = 140_000 if kind == "many" else ROWS
    times = chance.integers(0, 50, rows) if shuffled else np.sort(chance.integers(0, 50, rows))
    cases = pa.array(chance.permutation(rows) // 2 if kind == "many" else chance.integers(0, 40, rows))
    if kind == "texts":
        cases = cases.cast(pa.string())
    cases = pa.array([None if place % 50 == 0 else case for place, case in enumerate(cases.to_pylist())], cases.type)
    table = pa.table({"case": cases, "time": times, PLACE: np.arange(rows), BUCKET: np.zeros(rows, np.int32)})
    sent = [batch for start in range(0, rows, 1 + rows // 3) for batch in packets([table.slice(start, 1 + rows // 3)])]
    sorting = Sorting(None if kind == "none" else "case", ("time",), (), by_bucket=True)
    (found,) = sorting.unpack(reversed(sent))
    reported = list(zip(*(found.column(name).to_pylist() for name in ("case", "time", PLACE)), strict=True))
    assert sorted(place for *_, place in reported) == list(range(rows))
    seen: dict[object, tuple[int, int]] = {}
    last: object = ()
    for case, time, place in reported:
        case = "all" if kind == "none" else case
        assert case == last or case not in seen
        assert seen.get(case, (-1, -1)) < (time, place)
        seen[case], last = (time, place), case
