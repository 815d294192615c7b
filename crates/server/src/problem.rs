// SPDX-License-Identifier: MIT OR Apache-2.0
//! Problem documents (RFC 9457): what every refused request is answered with.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

/// Why a request is refused.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    /// What names the kind of problem, at the end of its `type`.
    kind: &'static str,
    title: &'static str,
    detail: String,
    more: Map<String, Value>,
    retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        kind: &'static str,
        title: &'static str,
        detail: impl Into<String>,
    ) -> Problem {
        Problem { status, kind, title, detail: detail.into(), more: Map::new(), retry_after: None }
    }

    pub(crate) fn bad(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad-request", "the request cannot be understood", detail)
    }

    pub(crate) fn unfit(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unfit", "what was sent cannot be used", detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not-found", "there is no such thing", detail)
    }

    pub(crate) fn too_large(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "the body is too large", detail)
    }

    pub(crate) fn too_slow(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::REQUEST_TIMEOUT, "too-slow", "the body took too long", detail)
    }

    pub(crate) fn busy(millis: u64, detail: impl Into<String>) -> Problem {
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "busy", "too much at once", detail);
        Problem { retry_after: Some(millis.div_ceil(1000).max(1)), ..problem }
    }

    pub(crate) fn unavailable(detail: impl Into<String>) -> Problem {
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "this cannot be done now", detail);
        Problem { retry_after: Some(5), ..problem }
    }

    pub(crate) fn internal(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the watch failed", detail)
    }

    pub(crate) fn forbidden(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", "this is not allowed", detail)
    }

    pub(crate) fn unauthorised(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorised", "a token is needed", detail)
    }

    /// Something that programs may want to know besides.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// What kind of problem it is, in a word.
    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    /// What is the matter.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The document.
    pub(crate) fn document(&self) -> Value {
        let mut document = Map::new();
        document.insert("type".to_owned(), format!("urn:gnomon:problem:{}", self.kind).into());
        document.insert("title".to_owned(), self.title.into());
        document.insert("status".to_owned(), self.status.as_u16().into());
        document.insert("detail".to_owned(), self.detail.clone().into());
        document.extend(self.more.clone());
        Value::Object(document)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.document().to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
