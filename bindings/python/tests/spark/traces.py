# SPDX-License-Identifier: MIT OR Apache-2.0
"""Specs and traces that the tests judge: each language, many cases, many events of one time, some without a case."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

EVENTS = """
time time in s
event login(u)    = login[user as u]
event failed(u)   = failed[user as u]
event access(u)   = access[user as u]
event logout(u)   = logout[user as u]
"""

#: Properties of one user each, in every language that can name one.
KEYED = (
    EVENTS
    + """
mtl short       { forall u. G(login(u) -> F[0,20s] logout(u)) }
mtl logged-in   { forall u. G(access(u) -> Y(!logout(u) S login(u))) }
mtl no-guessing { forall u. G(login(u) -> count[30s](failed(u)) < 3) }
qea session {
  Forall(u)
  accept skip(outside) {
    login(u)  -> inside
    access(u) -> failure
  }
  accept skip(inside) { logout(u) -> outside }
}
pattern leaves { for every u: globally: logout(u) responds to login(u) within 40s }
nomad answered { P(start(login) | O[0,20]s done(access)) / {{login.user, access.user}} }
mu drained { forall u:Int. [(!logout(u))* . logout(u) . (!(login(u) || access(u)))* . access(u)] false }
"""
)

#: Properties that name nobody: asked of each case by itself.
CASES = (
    EVENTS
    + """
soloist few   { G(logout -> C^{60}_{<=3}(access)) }
albert covered { onEvent(access) -> $amount < 95 }
pattern paired { between login and logout: existence of access }
mtl calm { G(failed -> F[0,30s] login) }
"""
)

#: A property that relates users.
ACROSS = (
    EVENTS
    + "mtl alone { forall u, v. G(login(u) -> G[0,1s](access(v) -> true)) }\nmtl all { G(login -> F[0,5s] logout) }\n"
)


def rows(cases: int, events: int, seed: int) -> list[dict[str, Any]]:
    """Events in the order of time, some at the same time as others, also of the same case."""
    chance = random.Random(seed)
    now, made = 0, []
    for _ in range(events):
        now += chance.choice([0, 0, 0, 1, 2])
        name = chance.choices(["login", "access", "logout", "failed"], [5, 6, 4, 3])[0]
        user = None if chance.random() < 0.01 and name == "failed" else chance.randrange(cases)
        made.append({"event": name, "time": now, "user": user, "amount": chance.randrange(100), "note": "x" * 20})
    return made


SCHEMA = pa.schema(
    [("event", pa.string()), ("time", pa.int64()), ("user", pa.int64()), ("amount", pa.int64()), ("note", pa.string())]
)


def write(path: Path, *, cases: int, events: int, seed: int) -> None:
    pq.write_table(pa.Table.from_pylist(rows(cases, events, seed), SCHEMA), path, row_group_size=500)


def dated(row: dict[str, Any]) -> dict[str, Any]:
    """Returns the event with its time as a date and time."""
    return row | {"time": datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=row["time"])}
