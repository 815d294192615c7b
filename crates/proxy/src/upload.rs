// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a request on its way to the service, with its progress.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use crate::body_stream::BodyStream;
use crate::deferred_timer::DeferredTimer;
use crate::settings::Settings;

/// The body of a request.
pub(crate) struct Upload {
    body: BodyStream,
    /// The required rate, if the client announced the length of the body.
    minimum_rate: Option<MinimumRate>,
    progress: Arc<UploadProgress>,
}

/// The least rate at which a client must send a body.
struct MinimumRate {
    started: Instant,
    grace: Duration,
    bytes_per_second: u32,
    sent: u64,
    timer: DeferredTimer,
}

/// The progress of an upload, shared with the task that waits for the response.
pub(crate) struct UploadProgress {
    /// The time of the last progress, and the failure that ended the upload.
    state: Mutex<(Instant, Option<UploadFailure>)>,
}

/// Reason why a body ends early. It is the client's fault, not the service's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UploadFailure {
    /// The client broke the body off.
    BrokenOff,
    /// The client is too slow.
    TooSlow,
}

impl Upload {
    pub(crate) fn new(body: BodyStream, settings: &Settings) -> Upload {
        let started = Instant::now();
        let minimum_rate = body.length().map(|_| MinimumRate {
            started,
            grace: settings.client_body,
            bytes_per_second: settings.pace.max(1),
            sent: 0,
            timer: DeferredTimer::default(),
        });
        Upload { body, minimum_rate, progress: Arc::new(UploadProgress { state: Mutex::new((started, None)) }) }
    }

    pub(crate) fn progress(&self) -> Arc<UploadProgress> {
        Arc::clone(&self.progress)
    }
}

impl MinimumRate {
    /// Returns the time at which the client is too slow, given the bytes sent so far.
    fn deadline(&self) -> Instant {
        self.started + self.grace + Duration::from_secs(self.sent / u64::from(self.bytes_per_second))
    }
}

impl UploadProgress {
    fn state(&self) -> MutexGuard<'_, (Instant, Option<UploadFailure>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time at which the body last made progress.
    pub(crate) fn last(&self) -> Instant {
        self.state().0
    }

    pub(crate) fn failure(&self) -> Option<UploadFailure> {
        self.state().1
    }

    fn update(&self, failure: Option<UploadFailure>) {
        *self.state() = (Instant::now(), failure);
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Upload { body, minimum_rate, progress } = self.get_mut();
        let polled = body.poll_frame(cx);
        if polled.is_pending() {
            let is_late = minimum_rate.as_mut().is_some_and(|rate| rate.timer.is_due(rate.deadline(), cx));
            if !is_late {
                return Poll::Pending;
            }
            progress.update(Some(UploadFailure::TooSlow));
            return Poll::Ready(Some(Err("the client is too slow")));
        }
        let frame = ready!(polled);
        progress.update(matches!(frame, Some(Err(_))).then_some(UploadFailure::BrokenOff));
        if let (Some(rate), Some(Ok(frame))) = (minimum_rate, &frame) {
            rate.sent += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        Poll::Ready(frame.map(|frame| frame.map_err(|_| "the client ended the body early")))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
