// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transports of spans. The response uses the transport of the request.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::answer::{ExportResponse, status_message};
use super::grpc;
use crate::ingest::header_word;
use crate::problem::Problem;

/// Transport and encoding of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Transport {
    /// gRPC with protobuf.
    Grpc,
    /// HTTP with protobuf.
    Protobuf,
    /// HTTP with JSON.
    Json,
    /// Unknown.
    Unknown,
}

impl Transport {
    /// Returns the transport that the headers announce.
    pub(super) fn of(headers: &HeaderMap) -> Transport {
        match header_word(headers, "content-type").as_str() {
            "application/grpc" | "application/grpc+proto" => Transport::Grpc,
            "application/x-protobuf" | "application/protobuf" => Transport::Protobuf,
            "application/json" => Transport::Json,
            _ => Transport::Unknown,
        }
    }

    /// Returns the response for this transport. OTLP describes errors with a `google.rpc.Status`; other clients get a
    /// problem document.
    pub(super) fn respond(self, result: Result<ExportResponse, Problem>) -> Response {
        match (self, result) {
            (Transport::Grpc, result) => grpc::respond(result),
            (Transport::Json, Ok(answer)) => body("application/json", answer.json()),
            (_, Ok(answer)) => body("application/x-protobuf", answer.protobuf()),
            (Transport::Json, Err(problem)) => {
                let status = json!({ "code": grpc::code(&problem), "message": &problem.detail });
                with_body(problem, "application/json", status.to_string())
            }
            (Transport::Protobuf, Err(problem)) => {
                let status = status_message(grpc::code(&problem), &problem.detail);
                with_body(problem, "application/x-protobuf", status)
            }
            (Transport::Unknown, Err(problem)) => problem.into_response(),
        }
    }
}

fn body(kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns the headers of a problem with another body.
fn with_body(problem: Problem, kind: &'static str, text: impl Into<Body>) -> Response {
    let (mut head, _) = problem.into_response().into_parts();
    if head.status == StatusCode::REQUEST_TIMEOUT {
        // OTLP senders do not retry after 408, but they may retry after 503.
        head.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    head.headers.remove(axum::http::header::CONTENT_LENGTH);
    Response::from_parts(head, text.into())
}
