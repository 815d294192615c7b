// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a response on its way to the client.
//!
//! A response that was not shown to the tap before its head was sent is shown at its end: the client gets the last frame only
//! after the ruling on it. If the client disconnects earlier, the response is shown as one that failed.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use crate::body_capture::BodyCapture;
use crate::body_stream::BodyStream;
use crate::deferred_timer::DeferredTimer;
use crate::tap::{DynTap, PendingRuling, Ruling, TappedMessage};

/// The body of a response.
pub(crate) struct ResponseBody {
    body: BodyStream,
    unreported: Option<UnreportedResponse>,
    end: Option<PendingEnd>,
    stall: Option<StallTimer>,
    /// Guards that live as long as the exchange.
    guards: Vec<Box<dyn Any + Send>>,
}

/// A response that the tap has not seen yet.
pub(crate) struct UnreportedResponse {
    pub(crate) tap: Arc<dyn DynTap>,
    /// Everything but the body.
    pub(crate) message: TappedMessage,
    pub(crate) started: Instant,
    pub(crate) capture: BodyCapture,
    /// The number of bytes still to come, if it is known.
    pub(crate) remaining: Option<u64>,
}

/// A frame of the body, or the reason why the body ends early.
type FrameResult = Result<Frame<Bytes>, &'static str>;

/// The last frame, held back until the tap has ruled on the response.
struct PendingEnd {
    ruling: PendingRuling,
    last: Option<FrameResult>,
}

/// Detects that nothing arrives for too long.
struct StallTimer {
    limit: Duration,
    moved: Instant,
    timer: DeferredTimer,
}

impl ResponseBody {
    /// Returns a body of the proxy itself.
    pub(crate) fn whole(body: Bytes) -> ResponseBody {
        ResponseBody::new(BodyStream::whole(body), None, None)
    }

    /// Returns a body that may pause for at most `limit`.
    pub(crate) fn new(
        body: BodyStream,
        unreported: Option<UnreportedResponse>,
        limit: Option<Duration>,
    ) -> ResponseBody {
        let stall = limit.map(|limit| StallTimer { limit, moved: Instant::now(), timer: DeferredTimer::default() });
        ResponseBody { body, unreported, end: None, stall, guards: Vec::new() }
    }

    /// Keeps a guard alive as long as the body.
    pub(crate) fn with(mut self, guard: impl Any + Send) -> ResponseBody {
        self.guards.push(Box::new(guard));
        self
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<FrameResult>> {
        if let Poll::Ready(frame) = self.body.poll_frame(cx) {
            if let Some(stall) = &mut self.stall {
                stall.moved = Instant::now();
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(|_| "the service ended the body early")));
        }
        let is_due = |stall: &mut StallTimer| stall.timer.is_due(stall.moved + stall.limit, cx);
        if self.stall.as_mut().is_some_and(is_due) {
            return Poll::Ready(Some(Err("the service sent nothing for too long")));
        }
        Poll::Pending
    }
}

impl UnreportedResponse {
    /// Captures a frame; returns true if it is the last one.
    fn capture(&mut self, frame: &Frame<Bytes>) -> bool {
        if let Some(trailers) = frame.trailers_ref() {
            for (name, value) in trailers {
                // The size of the map is limited; trailers that do not fit are dropped.
                let _ = self.message.headers.try_append(name, value.clone());
            }
            return true;
        }
        let Some(data) = frame.data_ref() else { return false };
        // Data beyond the limits is not captured, and the message is marked as truncated.
        let _ = self.capture.add(data);
        if let Some(remaining) = &mut self.remaining {
            *remaining = remaining.saturating_sub(data.len() as u64);
        }
        self.remaining == Some(0)
    }

    fn report(mut self, failed: bool) -> PendingRuling {
        let (body, truncated) = self.capture.take();
        let truncated = truncated || failed;
        self.tap.show(TappedMessage { body, truncated, failed, elapsed: self.started.elapsed(), ..self.message })
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<FrameResult>> {
        let this = self.get_mut();
        loop {
            if let Some(end) = &mut this.end {
                let ruling = ready!(end.ruling.as_mut().poll(cx));
                let last = this.end.take().and_then(|end| end.last);
                return Poll::Ready(if ruling == Ruling::Pass { last } else { Some(Err("the response is refused")) });
            }
            let frame = ready!(this.poll_next(cx));
            let Some(mut unreported) = this.unreported.take() else { return Poll::Ready(frame) };
            let (is_last, failed) = match &frame {
                Some(Ok(frame)) => (unreported.capture(frame), false),
                Some(Err(_)) => (true, true),
                None => (true, false),
            };
            if !is_last {
                this.unreported = Some(unreported);
                return Poll::Ready(frame);
            }
            this.end = Some(PendingEnd { ruling: unreported.report(failed), last: frame });
        }
    }

    fn is_end_stream(&self) -> bool {
        self.unreported.is_none() && self.end.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for ResponseBody {
    /// Shows the response to the tap even if the client disconnected before its end.
    fn drop(&mut self) {
        let ruling = match (self.end.take(), self.unreported.take()) {
            (Some(end), _) => end.ruling,
            (None, Some(unreported)) => unreported.report(true),
            (None, None) => return,
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(ruling);
        }
    }
}
