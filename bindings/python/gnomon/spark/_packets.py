# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables as bytes: to Spark a row with a few, whatever is in them."""

from __future__ import annotations

import pyarrow as pa


def write(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def read(packet: pa.Buffer | bytes) -> pa.Table:
    return pa.ipc.open_stream(packet).read_all()
