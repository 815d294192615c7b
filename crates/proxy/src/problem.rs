// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responses of the proxy itself: problem documents (RFC 9457).

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::json;

use crate::response_body::ResponseBody;
use crate::tap::Ruling;

/// An error that the client gets instead of the service's response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// The last part of its type URN.
    kind: &'static str,
    title: &'static str,
    detail: String,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: impl Into<String>) -> Problem {
        Problem { status, kind, title, detail: detail.into() }
    }

    /// The service cannot be reached, or breaks its response off.
    pub(crate) fn upstream_failed(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_GATEWAY, "upstream-failed", "The service did not respond", detail)
    }

    /// The service took too long.
    pub(crate) fn upstream_slow(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "upstream-slow", "The service took too long", detail)
    }

    /// The client takes too long.
    pub(crate) fn client_slow() -> Problem {
        let detail = "the body did not arrive in time: send it faster, or in smaller parts";
        Problem::new(StatusCode::REQUEST_TIMEOUT, "request-slow", "The request took too long", detail)
    }

    /// The body of the request is incomplete.
    pub(crate) fn broken_body() -> Problem {
        let detail = "the body ends early or is not framed according to HTTP: send it again";
        Problem::new(StatusCode::BAD_REQUEST, "request-broken", "The request is incomplete", detail)
    }

    /// The request has several headers `Host`: the proxy and the service could choose different ones.
    pub(crate) fn ambiguous_host() -> Problem {
        let detail = "the request has several headers `Host`: send one";
        Problem::new(StatusCode::BAD_REQUEST, "request-broken", "The request is ambiguous", detail)
    }

    /// A limit of the proxy is reached.
    pub(crate) fn overloaded(what: &str) -> Problem {
        let detail = format!("the proxy has reached {what}: try again in a second");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "crowded", "The proxy is overloaded", detail)
    }

    /// The proxy never forwards such a request.
    pub(crate) fn unsupported(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_IMPLEMENTED, "unsupported", "The proxy does not forward this", detail)
    }

    /// The request came through this proxy before.
    pub(crate) fn forwarding_loop() -> Problem {
        let detail =
            "the request has passed through this proxy before: check which proxy forwards to another one, or to itself";
        Problem::new(StatusCode::LOOP_DETECTED, "loop", "The request loops", detail)
    }

    /// The proxy or the tap failed.
    pub(crate) fn internal() -> Problem {
        let detail = "the proxy failed at this request: please report it";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "The proxy failed", detail)
    }

    /// Returns the response to the client.
    pub(crate) fn response(&self) -> Response<ResponseBody> {
        let Problem { status, kind, title, detail } = self;
        let document = json!({
            "type": format!("urn:gnomon:problem:{kind}"), "title": title, "status": status.as_u16(), "detail": detail,
        });
        let mut response = answer(*status, HeaderValue::from_static(MEDIA_TYPE), Bytes::from(document.to_string()));
        if *status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

const MEDIA_TYPE: &str = "application/problem+json";

/// Returns the response in place of a refused message; `None` if the message passes.
pub(crate) fn refusal(ruling: Ruling) -> Option<Response<ResponseBody>> {
    let Ruling::Refuse { status, content_type, body } = ruling else { return None };
    let status = StatusCode::from_u16(status).ok().filter(|status| !status.is_informational());
    let content_type = HeaderValue::from_str(&content_type);
    let content_type = content_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    Some(answer(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), content_type, body))
}

fn answer(status: StatusCode, content_type: HeaderValue, body: Bytes) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::whole(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_final_status() {
        for (status, expected) in [(409, 409), (101, 500), (7, 500), (999, 999)] {
            let ruling = Ruling::Refuse { status, content_type: "a\nb".to_owned(), body: Bytes::new() };
            let response = refusal(ruling).expect("it is refused");
            assert_eq!(response.status().as_u16(), expected);
            assert_eq!(response.headers()[CONTENT_TYPE], "application/octet-stream");
        }
        assert!(refusal(Ruling::Pass).is_none());
    }
}
