// SPDX-License-Identifier: MIT OR Apache-2.0
//! Extractors for parameters and bodies that answer errors with problem documents.

use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::ingest::body;
use crate::problem::Problem;

/// Parameters of the query string.
pub(super) struct QueryParams<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<App> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Query(value) = Query::<T>::from_request_parts(parts, app)
            .await
            .map_err(|error| Problem::bad(format!("the query cannot be read: {}", error.body_text())))?;
        Ok(QueryParams(value))
    }
}

/// A number in the path.
pub(super) struct PathNumber(pub(super) u64);

impl FromRequestParts<App> for PathNumber {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Path(number) = Path::<u64>::from_request_parts(parts, app)
            .await
            .map_err(|_| Problem::not_found("the last part of the path must be a number"))?;
        Ok(PathNumber(number))
    }
}

/// A JSON body.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let RawBody(bytes) = RawBody::from_request(request, app).await?;
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            Problem::bad(format!("the body is not the expected JSON: {error}; see /docs")).with("line", error.line())
        })?;
        Ok(JsonBody(value))
    }
}

/// An arbitrary body.
pub(super) struct RawBody(pub(super) Bytes);

impl FromRequest<App> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, sent) = request.into_parts();
        let (bytes, _held) = body::read(&parts.headers, sent, &app.limits, &app.budget).await?;
        Ok(RawBody(bytes))
    }
}
