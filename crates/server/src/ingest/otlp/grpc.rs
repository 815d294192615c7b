// SPDX-License-Identifier: MIT OR Apache-2.0
//! As much of gRPC as one call with one message each way needs: five bytes before a message, and a status behind the answer.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::{Buf, Bytes};
use http_body_util::{BodyExt, Full};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::answer::Answer;
use super::{unsupported, word_of};
use crate::ingest::unpack::Packing;
use crate::problem::Problem;

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const ACCEPTED: HeaderName = HeaderName::from_static("grpc-accept-encoding");
const KIND: HeaderValue = HeaderValue::from_static("application/grpc");
/// What a message of a status has to be written with.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');

/// The one message of a request, and how it is packed.
pub(super) fn message(headers: &HeaderMap, mut body: Bytes) -> Result<(Packing, Bytes), Problem> {
    let broken =
        || Problem::bad("a call has one message, with five bytes before it that tell its length; this has not");
    if body.len() < 5 {
        return Err(broken());
    }
    let flag = body.get_u8();
    let length = body.get_u32() as usize;
    if length != body.len() {
        return Err(broken());
    }
    let packing = match (flag, word_of(headers, "grpc-encoding").as_str()) {
        (0, _) => Packing::Plain,
        (1, "gzip") => Packing::Gzip,
        (1, "identity" | "") => {
            return Err(Problem::bad("the message is marked as packed, and no `grpc-encoding` says how"));
        }
        (1, _) => return Err(unsupported("`grpc-encoding` is not known; use gzip, or send the message as it is")),
        _ => return Err(broken()),
    };
    Ok((packing, body))
}

/// The answer to a call.
pub(super) fn respond(taken: Result<Answer, Problem>) -> Response {
    match taken {
        Ok(answer) => {
            let message = answer.protobuf();
            let mut framed = vec![0];
            framed.extend_from_slice(&(message.len() as u32).to_be_bytes());
            framed.extend_from_slice(&message);
            let trailers = HeaderMap::from_iter([(STATUS, HeaderValue::from_static("0"))]);
            headed(Body::new(Full::new(Bytes::from(framed)).with_trailers(async { Some(Ok(trailers)) })))
        }
        Err(problem) => {
            // A call that failed has a head and nothing else.
            let mut response = headed(Body::empty());
            let text = utf8_percent_encode(problem.detail(), ESCAPED).to_string();
            let headers = response.headers_mut();
            headers.insert(STATUS, HeaderValue::from(u16::from(code(&problem))));
            headers.extend(HeaderValue::from_str(&text).ok().map(|text| (MESSAGE, text)));
            response
        }
    }
}

fn headed(body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, KIND);
    response.headers_mut().insert(ACCEPTED, HeaderValue::from_static("gzip,identity"));
    response
}

/// The code of a problem in gRPC. Those for which OTLP says that a sender tries again are 4 and 14.
pub(super) fn code(problem: &Problem) -> u8 {
    match problem.status() {
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => 3, // INVALID_ARGUMENT
        StatusCode::REQUEST_TIMEOUT => 4,                                // DEADLINE_EXCEEDED
        StatusCode::FORBIDDEN => 7,                                      // PERMISSION_DENIED
        StatusCode::PAYLOAD_TOO_LARGE => 8,                              // RESOURCE_EXHAUSTED
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::UNSUPPORTED_MEDIA_TYPE => 12, // UNIMPLEMENTED
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => 14, // UNAVAILABLE
        StatusCode::UNAUTHORIZED => 16,                                        // UNAUTHENTICATED
        _ => 13,                                                               // INTERNAL
    }
}
