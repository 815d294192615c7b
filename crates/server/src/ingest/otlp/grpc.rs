// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of gRPC that a unary call needs: five bytes in front of a message, and a status behind the response.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::{Buf, Bytes};
use http_body_util::{BodyExt, Full};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::answer::ExportResponse;
use crate::ingest::encoding::BodyEncoding;
use crate::ingest::header_word;
use crate::problem::Problem;

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const ACCEPTED: HeaderName = HeaderName::from_static("grpc-accept-encoding");
const KIND: HeaderValue = HeaderValue::from_static("application/grpc");
/// Characters that must be escaped in a status message.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');

/// Returns the only message of a request and its encoding.
pub(super) fn message(headers: &HeaderMap, mut body: Bytes) -> Result<(BodyEncoding, Bytes), Problem> {
    let broken = || Problem::bad("a call has one message, after five bytes with its length; this one does not");
    if body.len() < 5 {
        return Err(broken());
    }
    let flag = body.get_u8();
    let length = body.get_u32() as usize;
    if length != body.len() {
        return Err(broken());
    }
    let packing = match (flag, header_word(headers, "grpc-encoding").as_str()) {
        (0, _) => BodyEncoding::Plain,
        (1, "gzip") => BodyEncoding::Gzip,
        (1, "identity" | "") => {
            return Err(Problem::bad("the message is marked as compressed, but there is no `grpc-encoding`"));
        }
        (1, _) => {
            return Err(Problem::unsupported("`grpc-encoding` is not known; use gzip, or send the message as it is"));
        }
        _ => return Err(broken()),
    };
    Ok((packing, body))
}

/// Returns the response to a call.
pub(super) fn respond(result: Result<ExportResponse, Problem>) -> Response {
    match result {
        Ok(answer) => {
            let message = answer.protobuf();
            let mut framed = vec![0];
            framed.extend_from_slice(&(message.len() as u32).to_be_bytes());
            framed.extend_from_slice(&message);
            let trailers = HeaderMap::from_iter([(STATUS, HeaderValue::from_static("0"))]);
            with_grpc_headers(Body::new(Full::new(Bytes::from(framed)).with_trailers(async { Some(Ok(trailers)) })))
        }
        Err(problem) => {
            // The response to a failed call has headers only.
            let mut response = with_grpc_headers(Body::empty());
            let text = utf8_percent_encode(&problem.detail, ESCAPED).to_string();
            let headers = response.headers_mut();
            headers.insert(STATUS, HeaderValue::from(u16::from(code(&problem))));
            headers.extend(HeaderValue::from_str(&text).ok().map(|text| (MESSAGE, text)));
            response
        }
    }
}

fn with_grpc_headers(body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, KIND);
    response.headers_mut().insert(ACCEPTED, HeaderValue::from_static("gzip,identity"));
    response
}

/// Returns the gRPC code of a problem. OTLP senders retry after codes 4 and 14.
pub(super) fn code(problem: &Problem) -> u8 {
    match problem.status {
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
