# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sends spans with the OpenTelemetry SDK: send.py http|grpc ENDPOINT TOKEN gzip|none CERTIFICATE|-"""

import sys

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult

protocol, endpoint, token, packing, certificate = sys.argv[1:]
headers = {"authorization": f"Bearer {token}"}
if protocol == "http":
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    compression = Compression.Gzip if packing == "gzip" else Compression.NoCompression
    trusted = {} if certificate == "-" else {"certificate_file": certificate}
    exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", headers=headers, compression=compression, timeout=20, **trusted)
else:
    import grpc
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    compression = grpc.Compression.Gzip if packing == "gzip" else grpc.Compression.NoCompression
    trusted = {"insecure": True}
    if certificate != "-":
        with open(certificate, "rb") as file:
            trusted = {"credentials": grpc.ssl_channel_credentials(file.read())}
    exporter = OTLPSpanExporter(endpoint=endpoint, headers=headers, compression=compression, timeout=20, **trusted)

results = []
export = exporter.export


def noted(spans):
    """What the exporter makes of the answer is what counts."""
    results.append(export(spans))
    return results[-1]


exporter.export = noted
provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
provider.add_span_processor(BatchSpanProcessor(exporter))
tracer = provider.get_tracer("test")
MILLISECOND = 1_000_000
for order in range(4):
    start = 1_714_559_400_000 * MILLISECOND + order * 10_000 * MILLISECOND
    took = (900 if order == 2 else 100) * MILLISECOND
    outer = tracer.start_span("POST /orders", kind=trace.SpanKind.SERVER, start_time=start)
    inside = trace.set_span_in_context(outer)
    charge = tracer.start_span("charge", context=inside, kind=trace.SpanKind.CLIENT, start_time=start, attributes={"order.id": order})
    charge.end(end_time=start + took)
    outer.add_event("answered", {"id": order}, timestamp=start + 1_000 * MILLISECOND)
    outer.end(end_time=start + 2_000 * MILLISECOND)
provider.force_flush()
provider.shutdown()
sys.exit(0 if results == [SpanExportResult.SUCCESS] else f"not exported: {results}")
