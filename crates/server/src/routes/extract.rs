// SPDX-License-Identifier: MIT OR Apache-2.0
//! Questions and bodies, refused with a problem document where they are wrong.

use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::ingest::body;
use crate::problem::Problem;

/// What stands behind the question mark.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Query(value) = Query::<T>::from_request_parts(parts, app)
            .await
            .map_err(|error| Problem::bad(format!("the query cannot be read: {}", error.body_text())))?;
        Ok(Asked(value))
    }
}

/// A number in the path.
pub(super) struct Number(pub(super) u64);

impl FromRequestParts<App> for Number {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Path(number) = Path::<u64>::from_request_parts(parts, app)
            .await
            .map_err(|_| Problem::not_found("the last part of the path must be a number"))?;
        Ok(Number(number))
    }
}

/// A body of JSON.
pub(super) struct Sent<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<App> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let Raw(bytes) = Raw::from_request(request, app).await?;
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            Problem::bad(format!("the body is not the JSON that is asked for: {error}; see /docs"))
                .with("line", error.line())
        })?;
        Ok(Sent(value))
    }
}

/// A body as it is.
pub(super) struct Raw(pub(super) Bytes);

impl FromRequest<App> for Raw {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, sent) = request.into_parts();
        let (bytes, _held) = body::read(&parts.headers, sent, &app.limits, &app.budget).await?;
        Ok(Raw(bytes))
    }
}
