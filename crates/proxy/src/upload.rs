// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a request on its way to the service, and what is known of how it gets there.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use crate::alarm::Alarm;
use crate::flow::Flow;
use crate::settings::Settings;

/// The body of a request.
pub(crate) struct Upload {
    flow: Flow,
    pace: Option<Pace>,
    progress: Arc<Progress>,
}

/// A client must not take for ever over a body whose length it has told.
struct Pace {
    started: Instant,
    grace: Duration,
    bytes_per_second: u32,
    passed: u64,
    alarm: Alarm,
}

/// How far a body has come, for whoever waits for the response.
pub(crate) struct Progress {
    state: Mutex<(Instant, Option<Broken>)>,
}

/// Why a body stops before its end: it is the client's doing, not the service's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Broken {
    /// The client broke it off.
    Off,
    /// The client is too slow.
    Slow,
}

impl Upload {
    pub(crate) fn new(flow: Flow, settings: &Settings) -> Upload {
        let now = Instant::now();
        let pace = || Pace {
            started: now,
            grace: settings.client_body,
            bytes_per_second: settings.pace.max(1),
            passed: 0,
            alarm: Alarm::default(),
        };
        let pace = flow.length().map(|_| pace());
        Upload { flow, pace, progress: Arc::new(Progress { state: Mutex::new((now, None)) }) }
    }

    pub(crate) fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }
}

impl Pace {
    fn due(&self) -> Instant {
        self.started + self.grace + Duration::from_secs(self.passed / u64::from(self.bytes_per_second))
    }
}

impl Progress {
    /// When the body last moved.
    pub(crate) fn last(&self) -> Instant {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) fn broken(&self) -> Option<Broken> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    fn moved(&self, broken: Option<Broken>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), broken);
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let Upload { flow, pace, progress } = self.get_mut();
        match flow.poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                progress.moved(None);
                if let (Some(pace), Some(data)) = (pace, frame.data_ref()) {
                    pace.passed += data.len() as u64;
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(_))) => {
                progress.moved(Some(Broken::Off));
                Poll::Ready(Some(Err(Broken::Off)))
            }
            Poll::Ready(None) => {
                progress.moved(None);
                Poll::Ready(None)
            }
            Poll::Pending => {
                let Some(pace) = pace else { return Poll::Pending };
                let due = pace.due();
                if !pace.alarm.rings(due, cx) {
                    return Poll::Pending;
                }
                progress.moved(Some(Broken::Slow));
                Poll::Ready(Some(Err(Broken::Slow)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.flow.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.flow.size_hint()
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Broken::Off => "the client broke the body off",
            Broken::Slow => "the client is too slow",
        })
    }
}

impl Error for Broken {}
