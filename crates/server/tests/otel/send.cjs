// SPDX-License-Identifier: MIT OR Apache-2.0
// Sends spans with the OpenTelemetry SDK: send.cjs json|http|grpc ENDPOINT TOKEN gzip|none CERTIFICATE|-
"use strict";

const fs = require("node:fs");
const { SpanKind, context, trace } = require("@opentelemetry/api");
const { resourceFromAttributes } = require("@opentelemetry/resources");
const { BatchSpanProcessor, NodeTracerProvider } = require("@opentelemetry/sdk-trace-node");

const [protocol, endpoint, token, compression, certificate] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };
const ca = certificate === "-" ? undefined : fs.readFileSync(certificate);

function exporterOf() {
  if (protocol === "grpc") {
    const { OTLPTraceExporter } = require("@opentelemetry/exporter-trace-otlp-grpc");
    const grpc = require("@grpc/grpc-js");
    const metadata = new grpc.Metadata();
    metadata.set("authorization", headers.authorization);
    const credentials = ca ? grpc.credentials.createSsl(ca) : grpc.credentials.createInsecure();
    return new OTLPTraceExporter({ url: endpoint, metadata, credentials, compression });
  }
  const kind = protocol === "json" ? "http" : "proto";
  const { OTLPTraceExporter } = require(`@opentelemetry/exporter-trace-otlp-${kind}`);
  const httpAgentOptions = ca ? { ca } : {};
  return new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers, compression, httpAgentOptions });
}

const exporter = exporterOf();
// What the exporter makes of the answer is what counts.
const results = [];
const send = exporter.export.bind(exporter);
exporter.export = (spans, done) =>
  send(spans, (result) => {
    results.push(result);
    done(result);
  });
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "shop" }),
  spanProcessors: [new BatchSpanProcessor(exporter)],
});
const tracer = provider.getTracer("test");
for (let order = 0; order < 4; order += 1) {
  const start = 1_714_559_400_000 + order * 10_000;
  const took = order === 2 ? 900 : 100;
  const outer = tracer.startSpan("POST /orders", { kind: SpanKind.SERVER, startTime: new Date(start) });
  const inside = trace.setSpan(context.active(), outer);
  const attributes = { "order.id": order };
  const charge = tracer.startSpan("charge", { kind: SpanKind.CLIENT, startTime: new Date(start), attributes }, inside);
  charge.end(new Date(start + took));
  outer.addEvent("answered", { id: order }, new Date(start + 1_000));
  outer.end(new Date(start + 2_000));
}
provider
  .forceFlush()
  .then(() => provider.shutdown())
  .then(() => {
    if (results.length !== 1 || results[0].code !== 0) {
      console.error("not exported:", results);
      process.exit(1);
    }
  });
