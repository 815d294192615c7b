// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ways in which spans are sent. An answer goes back the way that the request came.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::answer::{Answer, status_message};
use super::{grpc, word_of};
use crate::problem::Problem;

/// How a request is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// gRPC with protobuf.
    Grpc,
    /// HTTP with protobuf.
    Protobuf,
    /// HTTP with JSON.
    Json,
    /// Something else.
    Unknown,
}

impl Way {
    /// What a request says that it is.
    pub(super) fn of(headers: &HeaderMap) -> Way {
        match word_of(headers, "content-type").as_str() {
            "application/grpc" | "application/grpc+proto" => Way::Grpc,
            "application/x-protobuf" | "application/protobuf" => Way::Protobuf,
            "application/json" => Way::Json,
            _ => Way::Unknown,
        }
    }

    /// The answer to a request that came this way. OTLP wants what is wrong as a `google.rpc.Status`; whoever does not speak
    /// OTLP gets a problem document.
    pub(super) fn respond(self, taken: Result<Answer, Problem>) -> Response {
        match (self, taken) {
            (Way::Grpc, taken) => grpc::respond(taken),
            (Way::Json, Ok(answer)) => body("application/json", answer.json()),
            (_, Ok(answer)) => body("application/x-protobuf", answer.protobuf()),
            (Way::Json, Err(problem)) => {
                let status = json!({ "code": grpc::code(&problem), "message": problem.detail() });
                with_body(problem, "application/json", status.to_string())
            }
            (Way::Protobuf, Err(problem)) => {
                let status = status_message(grpc::code(&problem), problem.detail());
                with_body(problem, "application/x-protobuf", status)
            }
            (Way::Unknown, Err(problem)) => problem.into_response(),
        }
    }
}

fn body(kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A problem with its headers, and another body than its document.
fn with_body(problem: Problem, kind: &'static str, text: impl Into<Body>) -> Response {
    let (mut head, _) = problem.into_response().into_parts();
    if head.status == StatusCode::REQUEST_TIMEOUT {
        // A sender may try again what it could not send in time, but 408 is not among the statuses for that.
        head.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    head.headers.remove(axum::http::header::CONTENT_LENGTH);
    Response::from_parts(head, text.into())
}
