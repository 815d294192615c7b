// SPDX-License-Identifier: MIT OR Apache-2.0
//! Problem documents (RFC 9457): the response to every refused request.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

/// Reason why a request is refused.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// Last part of the document's `type`.
    pub(crate) kind: &'static str,
    title: &'static str,
    /// The explanation.
    pub(crate) detail: String,
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
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unfit", "the content cannot be used", detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not-found", "not found", detail)
    }

    pub(crate) fn unsupported(detail: impl Into<String>) -> Problem {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        Problem::new(status, "unsupported", "the body is of an unknown kind", detail)
    }

    pub(crate) fn wrong_method(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this cannot be done here", detail)
    }

    pub(crate) fn too_large(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "the body is too large", detail)
    }

    pub(crate) fn too_slow(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::REQUEST_TIMEOUT, "too-slow", "the body took too long", detail)
    }

    pub(crate) fn busy(millis: u64, detail: impl Into<String>) -> Problem {
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "busy", "too many requests", detail);
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

    /// Adds a machine-readable field.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the document.
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

/// Runs a function that may block on another thread. `failure` describes a panic of it.
pub(crate) async fn run_blocking<T: Send + 'static>(
    failure: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(run).await.map_err(|error| Problem::internal(format!("{failure}: {error}")))
}
