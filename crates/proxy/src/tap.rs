// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the proxy shows of a message, and what it is told to do with it.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use hyper::HeaderMap;

/// Whoever looks at the messages. It is asked before a message is passed on, so it had better be quick.
pub trait Tap: Send + Sync + 'static {
    /// Takes a message in and rules on it. What it answers to a response that [failed](Tapped::failed) is not heeded.
    fn tap(&self, message: Tapped) -> impl Future<Output = Ruling> + Send;
}

/// What is to happen to a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// It goes its way.
    Pass,
    /// Its receiver never sees it; the client gets this instead.
    Refuse {
        /// The status of the answer. What is no status of a final answer is 500.
        status: u16,
        /// The type of its body.
        content_type: String,
        /// Its body.
        body: Bytes,
    },
}

/// Which way a message goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// From the client to the service.
    Request,
    /// From the service to the client.
    Response,
}

/// A message on its way. To each request that was passed belongs exactly one response, also if the service gave none.
#[derive(Clone, PartialEq, Debug)]
pub struct Tapped {
    /// Which way it goes.
    pub direction: Direction,
    /// The name of the proxy.
    pub proxy: String,
    /// Who sends it: of a request the client, of a response the service.
    pub source: String,
    /// Who gets it.
    pub destination: String,
    /// The service behind the proxy.
    pub service: String,
    /// The method of the request.
    pub method: String,
    /// The path of the request, as it was written.
    pub path: String,
    /// What stood behind the `?` of the request.
    pub query: Option<String>,
    /// The status of a response; of one that failed, the status that the client gets instead.
    pub status: Option<u16>,
    /// The headers as they came; of a response that is told at its end, with its trailers.
    pub headers: HeaderMap,
    /// The body as it came, or as much of it as was copied aside.
    pub body: Bytes,
    /// Whether there is more of the body than that.
    pub truncated: bool,
    /// The number that a request and its response have in common; no two exchanges have the same, also not after a restart.
    pub exchange: u64,
    /// Whether the service gave no answer, or no whole one.
    pub failed: bool,
    /// How long ago the request came: how long it took, if this is its response.
    pub elapsed: Duration,
}

pub(crate) type Telling = Pin<Box<dyn Future<Output = Ruling> + Send>>;

/// A tap whose type is forgotten, so that nothing else need know it.
pub(crate) trait Listener: Send + Sync {
    fn tell(self: std::sync::Arc<Self>, message: Tapped) -> Telling;
}

impl<T: Tap> Listener for T {
    fn tell(self: std::sync::Arc<Self>, message: Tapped) -> Telling {
        Box::pin(async move { self.tap(message).await })
    }
}
