// SPDX-License-Identifier: MIT OR Apache-2.0
//! A body of which a prefix may have been read ahead. Forwarding sends the prefix first, then the rest as it arrives.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::body_capture::{BodyCapture, CaptureError};

/// A body that is being forwarded.
#[derive(Default)]
pub(crate) struct BodyStream {
    /// The prefix that was read ahead.
    prefix: VecDeque<Bytes>,
    pub(crate) trailers: Option<HeaderMap>,
    rest: Option<Incoming>,
    /// Reserves the memory of the prefix until it is sent.
    capture: Option<BodyCapture>,
}

/// Reason why a body could not be read ahead.
#[derive(Debug)]
pub(crate) enum HoldError {
    /// The body breaks off, or its framing is invalid.
    Broken,
    /// The memory budget of all bodies is exhausted.
    BudgetExhausted,
}

impl BodyStream {
    pub(crate) fn new(body: Incoming) -> BodyStream {
        let rest = Some(body).filter(|body| !body.is_end_stream());
        BodyStream { rest, ..BodyStream::default() }
    }

    pub(crate) fn whole(body: Bytes) -> BodyStream {
        let prefix = Some(body).filter(|body| !body.is_empty()).into_iter().collect();
        BodyStream { prefix, ..BodyStream::default() }
    }

    /// Returns the length of the body, if it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        self.size_hint().exact()
    }

    /// Reads ahead to the end of the body or of the capture limit. Returns true if the whole body was read. The future may
    /// be dropped at any time: everything read so far is forwarded later.
    pub(crate) async fn hold(&mut self, capture: &mut BodyCapture) -> Result<bool, HoldError> {
        while let Some(rest) = &mut self.rest {
            let Some(frame) = rest.frame().await else {
                self.rest = None;
                break;
            };
            match frame.map_err(|_| HoldError::Broken)?.into_data() {
                Ok(part) => {
                    let captured = capture.add(&part);
                    self.prefix.push_back(part);
                    match captured {
                        Ok(()) => {}
                        Err(CaptureError::TooLong) => return Ok(false),
                        Err(CaptureError::BudgetExhausted) => return Err(HoldError::BudgetExhausted),
                    }
                }
                Err(other) => self.trailers = other.into_trailers().ok(),
            }
            if self.rest.as_ref().is_some_and(Body::is_end_stream) {
                self.rest = None;
            }
        }
        Ok(true)
    }

    /// Keeps the memory of the captured prefix reserved until it is sent.
    pub(crate) fn reserving(mut self, capture: BodyCapture) -> BodyStream {
        self.capture = Some(capture);
        self
    }

    pub(crate) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if let Some(part) = self.prefix.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(part))));
        }
        self.capture = None;
        if let Some(rest) = &mut self.rest {
            let frame = ready!(Pin::new(rest).poll_frame(cx));
            if !matches!(frame, Some(Ok(_))) {
                self.rest = None;
            }
            if frame.is_some() {
                return Poll::Ready(frame);
            }
        }
        Poll::Ready(self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers))))
    }

    pub(crate) fn is_end_stream(&self) -> bool {
        self.prefix.is_empty() && self.trailers.is_none() && self.rest.as_ref().is_none_or(Body::is_end_stream)
    }

    pub(crate) fn size_hint(&self) -> SizeHint {
        let prefix = self.prefix.iter().map(|part| part.len() as u64).sum::<u64>();
        let rest = self.rest.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint);
        let mut hint = SizeHint::new();
        hint.set_lower(prefix.saturating_add(rest.lower()));
        // With an exact length no receiver would read the trailers.
        if let Some(upper) = rest.upper().filter(|_| self.trailers.is_none()) {
            hint.set_upper(prefix.saturating_add(upper));
        }
        hint
    }
}
