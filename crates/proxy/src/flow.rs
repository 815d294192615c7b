// SPDX-License-Identifier: MIT OR Apache-2.0
//! A body of which a beginning was read already: what is passed on is that, and then the rest as it comes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::aside::{Aside, Full};

/// A body on its way.
#[derive(Default)]
pub(crate) struct Flow {
    kept: VecDeque<Bytes>,
    trailers: Option<HeaderMap>,
    rest: Option<Incoming>,
    /// Holds the memory of what is kept.
    aside: Option<Aside>,
}

/// Why a body could not be held.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// It broke off, or is not framed as it should be.
    Broken(hyper::Error),
    /// There is no memory for it.
    Crowded,
}

impl Flow {
    pub(crate) fn new(body: Incoming) -> Flow {
        let rest = Some(body).filter(|body| !body.is_end_stream());
        Flow { rest, ..Flow::default() }
    }

    pub(crate) fn whole(body: Bytes) -> Flow {
        let kept = Some(body).filter(|body| !body.is_empty()).into_iter().collect();
        Flow { kept, ..Flow::default() }
    }

    /// How long it is, if that is known.
    pub(crate) fn length(&self) -> Option<u64> {
        self.size_hint().exact()
    }

    /// What comes behind it, if that was read.
    pub(crate) fn trailers(&self) -> Option<&HeaderMap> {
        self.trailers.as_ref()
    }

    /// Reads to the end of the body, or of what may be copied; what was read is passed on later. May be given up at any
    /// time. Whether all was read.
    pub(crate) async fn hold(&mut self, aside: &mut Aside) -> Result<bool, Obstacle> {
        while let Some(rest) = &mut self.rest {
            let Some(frame) = rest.frame().await else {
                self.rest = None;
                break;
            };
            match frame.map_err(Obstacle::Broken)?.into_data() {
                Ok(part) => {
                    let room = aside.add(&part);
                    self.kept.push_back(part);
                    match room {
                        Ok(()) => {}
                        Err(Full::TooLong) => return Ok(false),
                        Err(Full::Crowded) => return Err(Obstacle::Crowded),
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

    /// Keeps the room of what was copied taken until the body has gone.
    pub(crate) fn occupying(mut self, aside: Aside) -> Flow {
        self.aside = Some(aside);
        self
    }

    pub(crate) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if let Some(part) = self.kept.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(part))));
        }
        self.aside = None;
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
        self.kept.is_empty() && self.trailers.is_none() && self.rest.as_ref().is_none_or(Body::is_end_stream)
    }

    pub(crate) fn size_hint(&self) -> SizeHint {
        let kept = self.kept.iter().map(|part| part.len() as u64).sum::<u64>();
        let rest = self.rest.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint);
        let mut hint = SizeHint::new();
        hint.set_lower(kept.saturating_add(rest.lower()));
        // Behind a length that is known nobody looks for trailers.
        if let Some(upper) = rest.upper().filter(|_| self.trailers.is_none()) {
            hint.set_upper(kept.saturating_add(upper));
        }
        hint
    }
}
