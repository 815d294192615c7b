// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spans to send, and a gRPC client that writes its own frames.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Request};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

pub(crate) const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/// Every charge ends within half a second; nothing is answered twice.
pub(crate) const SPEC: &str = "time in s\n\n\
    event charge_start(id) = charge[EventType = \"start\", order.id as id]\n\
    event charge_end(id) = charge[EventType = \"end\", order.id as id]\n\
    event answered(id) = answered[id as id]\n\n\
    mtl prompt { forall id. G(charge_start(id) -> F[0,500ms] charge_end(id)) }\n\
    mtl once { forall id. G(answered(id) -> ! P[1ms,1h] answered(id)) }\n";

/// Start of the first span.
const START: u64 = 1_714_559_400_000_000_000;

/// Creates an export of this many orders: each a span with a charge inside, every third of which is slow, and an
/// event that it is answered, every fifth of which has the number of another.
pub(crate) fn export(orders: u64) -> Value {
    let mut spans = Vec::new();
    for order in 0..orders {
        let start = START + order * 10_000_000_000;
        let took = if order % 3 == 2 { 900_000_000 } else { 100_000_000 };
        let answered = if order % 5 == 4 { order - 1 } else { order };
        let attribute = |key: &str, number: u64| json!({"key": key, "value": {"intValue": number.to_string()}});
        let id = |number: u64| format!("{:016x}", number + 1);
        let trace = format!("{:032x}", order + 1);
        spans.push(json!({
            "traceId": trace, "spanId": id(2 * order), "name": "POST /orders", "kind": 2,
            "startTimeUnixNano": start.to_string(), "endTimeUnixNano": (start + 2_000_000_000).to_string(),
            "events": [{"timeUnixNano": (start + 1_500_000_000).to_string(), "name": "answered", "attributes": [attribute("id", answered)]}],
        }));
        spans.push(json!({
            "traceId": trace, "spanId": id(2 * order + 1), "parentSpanId": id(2 * order), "name": "charge", "kind": 3,
            "startTimeUnixNano": (start + 1_000_000).to_string(), "endTimeUnixNano": (start + 1_000_000 + took).to_string(),
            "attributes": [attribute("order.id", order)],
        }));
    }
    let service = json!({"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]});
    json!({"resourceSpans": [{"resource": service, "scopeSpans": [{"spans": spans}]}]})
}

/// Creates the export of one span as protobuf: named `x`, from `start` to `end`.
pub(crate) fn one_span(start: u64, end: u64) -> Vec<u8> {
    let mut span = vec![0x2a, 1, b'x', 0x39];
    span.extend(start.to_le_bytes());
    span.push(0x41);
    span.extend(end.to_le_bytes());
    // In a list of spans, in a scope, in a resource.
    [0x12, 0x12, 0x0a].into_iter().fold(span, |inner, tag| {
        let mut outer = vec![tag, u8::try_from(inner.len()).unwrap()];
        outer.extend(inner);
        outer
    })
}

/// Frames a message as gRPC.
pub(crate) fn framed(flag: u8, message: &[u8]) -> Vec<u8> {
    let mut frame = vec![flag];
    frame.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
    frame.extend(message);
    frame
}

/// Result of a call.
#[derive(Debug)]
pub(crate) struct ServiceCall {
    /// The status, in the headers or in the trailers.
    pub(crate) status: u16,
    pub(crate) message: String,
    pub(crate) body: Vec<u8>,
}

/// Makes a call without TLS.
pub(crate) async fn call(address: SocketAddr, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> ServiceCall {
    let stream = TcpStream::connect(address).await.unwrap();
    call_over(stream, &format!("http://{address}{path}"), headers, body).await
}

/// Makes a call over this connection.
pub(crate) async fn call_over<S>(stream: S, uri: &str, headers: &[(&str, &str)], body: Vec<u8>) -> ServiceCall
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut request = Request::post(uri).header("content-type", "application/grpc").header("te", "trailers");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = sender.send_request(request.body(Full::new(Bytes::from(body))).unwrap()).await.unwrap();
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (200, &"application/grpc".parse().unwrap())
    );
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap();
    let trailers = body.trailers().cloned().unwrap_or_default();
    let text = |name: &str| {
        let found = |headers: &HeaderMap| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        found(&trailers).or_else(|| found(&head.headers)).unwrap_or_default()
    };
    let called = ServiceCall {
        status: text("grpc-status").parse().unwrap(),
        message: text("grpc-message"),
        body: body.to_bytes().to_vec(),
    };
    connection.abort();
    called
}
