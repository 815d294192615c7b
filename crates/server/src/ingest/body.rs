// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads bodies of requests within the limits on size, time and total memory.

use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use super::budget::{HeldBytes, MemoryBudget};
use super::encoding::{BodyEncoding, UnpackError};
use crate::options::NetLimits;
use crate::problem::{Problem, run_blocking};

/// Maximum allocation before data arrives.
const ROOM: usize = 1 << 20;

/// Reads and decompresses a body. Also returns its share of the memory budget, to be held as long as the body.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    limits: &NetLimits,
    budget: &MemoryBudget,
) -> Result<(Bytes, HeldBytes), Problem> {
    let packing = BodyEncoding::of(headers).map_err(unknown_packing)?;
    read_as(headers, body, limits, budget, |body| Ok((packing, body))).await
}

/// Reads a body whose encoding is determined by `open`.
pub(crate) async fn read_as(
    headers: &HeaderMap,
    body: Body,
    limits: &NetLimits,
    budget: &MemoryBudget,
    open: impl FnOnce(Bytes) -> Result<(BodyEncoding, Bytes), Problem>,
) -> Result<(Bytes, HeldBytes), Problem> {
    let mut held = budget.hold();
    let (packing, packed) = open(collect(headers, body, limits, &mut held).await?)?;
    let limit = limits.unpacked_bytes;
    let unpack = move || {
        let unpacked = packing.unpack(packed, limit, &mut held);
        (unpacked, held)
    };
    let (unpacked, held) =
        if packing == BodyEncoding::Plain { unpack() } else { run_blocking("unpacking failed", unpack).await? };
    let body = unpacked.map_err(|error| match error {
        UnpackError::TooLarge => {
            Problem::too_large(format!("decompressed, it has more than {limit} bytes; send it in several parts"))
        }
        UnpackError::Busy => crowded(),
        UnpackError::Broken(detail) => Problem::bad(format!("the body is not compressed as its header says: {detail}")),
    })?;
    Ok((body, held))
}

async fn collect(
    headers: &HeaderMap,
    mut body: Body,
    limits: &NetLimits,
    held: &mut HeldBytes,
) -> Result<Bytes, Problem> {
    let limit = limits.body_bytes;
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    let until = Instant::now() + limits.body_time;
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    loop {
        let frame = timeout_at(until, body.frame()).await.map_err(|_| too_slow(limits.body_time))?;
        let Some(frame) = frame else { break };
        let frame = frame.map_err(|error| Problem::bad(format!("the body ended early: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        if first.len() + rest.len() + data.len() > limit {
            return Err(too_large(limit));
        }
        if !held.add(data.len()) {
            return Err(crowded());
        }
        if first.is_empty() && rest.is_empty() {
            first = data;
            continue;
        }
        if rest.is_empty() {
            // The announced length is trusted only up to a limit: memory is allocated as data arrives.
            rest.reserve(announced.unwrap_or_default().min(ROOM).max(first.len()));
            rest.extend_from_slice(&std::mem::take(&mut first));
        }
        rest.extend_from_slice(&data);
    }
    Ok(if rest.is_empty() { first } else { rest.freeze() })
}

fn too_large(limit: usize) -> Problem {
    Problem::too_large(format!("it has more than {limit} bytes; send it in several parts"))
}

fn too_slow(time: Duration) -> Problem {
    Problem::too_slow(format!("it did not arrive within {} s; send less at a time", time.as_secs_f64()))
}

/// Returns the problem that the memory budget is exhausted.
pub(crate) fn crowded() -> Problem {
    Problem::busy(1000, "too many bodies are being read at present; send it again")
}

#[allow(clippy::needless_pass_by_value)] // it is handed over by `map_err`
fn unknown_packing(word: String) -> Problem {
    let detail = format!("`Content-Encoding: {word}` is not known; use gzip or zstd, or send the body as it is");
    Problem::unsupported(detail)
}
