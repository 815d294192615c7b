// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a response on its way to the client. One that could not be told before its head was sent is told at its
//! end: the client does not get the end before the tap has ruled on it.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use crate::alarm::Alarm;
use crate::aside::Aside;
use crate::flow::Flow;
use crate::tap::{Listener, Ruling, Tapped, Telling};

/// The body of a response.
pub(crate) struct Onward {
    flow: Flow,
    due: Option<Due>,
    ending: Option<Ending>,
    stall: Option<Stall>,
    /// Whatever is to live as long as the exchange.
    companions: Vec<Box<dyn Any + Send>>,
}

/// The response that the tap has not been told of.
pub(crate) struct Due {
    pub(crate) listener: Arc<dyn Listener>,
    /// All but the body.
    pub(crate) message: Tapped,
    pub(crate) started: Instant,
    pub(crate) aside: Aside,
    /// How much of the body is still to come, if that is known.
    pub(crate) remaining: Option<u64>,
}

/// The tap is being told; then this goes to the client.
struct Ending {
    telling: Telling,
    last: Option<Result<Frame<Bytes>, Cut>>,
}

struct Stall {
    limit: Duration,
    moved: Instant,
    alarm: Alarm,
}

/// Why a body ends before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    /// The service broke it off.
    Off,
    /// Nothing came for too long.
    Stalled,
    /// The tap refuses it.
    Refused,
}

impl Onward {
    /// A body that has been told, or is the proxy's own.
    pub(crate) fn told(flow: Flow) -> Onward {
        Onward { flow, due: None, ending: None, stall: None, companions: Vec::new() }
    }

    pub(crate) fn whole(body: Bytes) -> Onward {
        Onward::told(Flow::whole(body))
    }

    /// A body that is told at its end.
    pub(crate) fn due(flow: Flow, due: Due) -> Onward {
        let mut onward = Onward::told(flow);
        onward.due = Some(due);
        onward
    }

    /// Bounds how long nothing may come.
    pub(crate) fn stalling(mut self, limit: Duration) -> Onward {
        self.stall = Some(Stall { limit, moved: Instant::now(), alarm: Alarm::default() });
        self
    }

    /// Keeps something alive as long as the body.
    pub(crate) fn with(mut self, companion: impl Any + Send) -> Onward {
        self.companions.push(Box::new(companion));
        self
    }

    fn next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        match self.flow.poll_frame(cx) {
            Poll::Ready(frame) => {
                if let Some(stall) = &mut self.stall {
                    stall.moved = Instant::now();
                }
                Poll::Ready(frame.map(|frame| frame.map_err(|_| Cut::Off)))
            }
            Poll::Pending => {
                let rings = |stall: &mut Stall| stall.alarm.rings(stall.moved + stall.limit, cx);
                let stalls = self.stall.as_mut().is_some_and(rings);
                if stalls { Poll::Ready(Some(Err(Cut::Stalled))) } else { Poll::Pending }
            }
        }
    }
}

impl Due {
    /// Takes a frame in; whether the body ends with it.
    fn passes(&mut self, frame: &Frame<Bytes>) -> bool {
        if let Some(trailers) = frame.trailers_ref() {
            extend(&mut self.message.headers, trailers);
            return true;
        }
        let Some(data) = frame.data_ref() else { return false };
        // What there is no room for is left out: the message says so.
        let _ = self.aside.add(data);
        if let Some(remaining) = &mut self.remaining {
            *remaining = remaining.saturating_sub(data.len() as u64);
        }
        self.remaining == Some(0)
    }

    fn tell(mut self, failed: bool) -> Telling {
        let (body, truncated) = self.aside.told();
        let truncated = truncated || failed;
        let message = Tapped { body, truncated, failed, elapsed: self.started.elapsed(), ..self.message };
        self.listener.tell(message)
    }
}

/// Trailers are told like headers.
fn extend(headers: &mut HeaderMap, trailers: &HeaderMap) {
    for (name, value) in trailers {
        // The map is bounded by the limits on heads; what does not fit is left out.
        let _ = headers.try_append(name, value.clone());
    }
}

impl Body for Onward {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        let this = self.get_mut();
        loop {
            if let Some(ending) = &mut this.ending {
                let ruling = ready!(ending.telling.as_mut().poll(cx));
                let last = this.ending.take().and_then(|ending| ending.last);
                return Poll::Ready(if ruling == Ruling::Pass { last } else { Some(Err(Cut::Refused)) });
            }
            let frame = ready!(this.next(cx));
            let Some(mut due) = this.due.take() else { return Poll::Ready(frame) };
            let (ends, failed) = match &frame {
                Some(Ok(frame)) => (due.passes(frame), false),
                Some(Err(_)) => (true, true),
                None => (true, false),
            };
            if !ends {
                this.due = Some(due);
                return Poll::Ready(frame);
            }
            this.ending = Some(Ending { telling: due.tell(failed), last: frame });
        }
    }

    fn is_end_stream(&self) -> bool {
        self.due.is_none() && self.ending.is_none() && self.flow.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.flow.size_hint()
    }
}

impl Drop for Onward {
    /// The client has gone before the end: the response is told none the less, as one that was not whole.
    fn drop(&mut self) {
        let telling = match (self.ending.take(), self.due.take()) {
            (Some(ending), _) => ending.telling,
            (None, Some(due)) => due.tell(true),
            (None, None) => return,
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(telling);
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cut::Off => "the service broke the body off",
            Cut::Stalled => "nothing came from the service for too long",
            Cut::Refused => "the response is refused",
        })
    }
}

impl Error for Cut {}
