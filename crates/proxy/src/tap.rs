// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface between the proxy and its observer: the message that is shown, and the ruling on it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::HeaderMap;
use serde::Deserialize;

/// The observer of all messages. A message waits for its ruling before it is forwarded, so the tap has to be quick.
pub trait Tap: Send + Sync + 'static {
    /// Receives a message and rules on it. The ruling on a response that [failed](TappedMessage::failed) is ignored.
    fn tap(&self, message: TappedMessage) -> impl Future<Output = Ruling> + Send;
}

/// The decision on a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// The message is forwarded.
    Pass,
    /// The message is not forwarded; the client gets this response instead.
    Refuse {
        /// The status of the response; replaced by 500 if it is not a final status.
        status: u16,
        /// The content type of its body.
        content_type: String,
        /// Its body.
        body: Bytes,
    },
}

gnomon_core::words! {
    /// The direction of a message.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum MessageDirection as word {
        /// From the client to the service.
        Request = "request",
        /// From the service to the client.
        Response = "response",
    }
}

/// A message as the tap sees it. Each request that was forwarded has exactly one response, also if the service gave none.
#[derive(Clone, PartialEq, Debug)]
pub struct TappedMessage {
    /// Its direction.
    pub direction: MessageDirection,
    /// The name of the proxy.
    pub proxy: String,
    /// The sender: the client of a request, the service of a response.
    pub source: String,
    /// The receiver.
    pub destination: String,
    /// The service behind the proxy.
    pub service: String,
    /// The method of the request.
    pub method: String,
    /// The path of the request, not decoded.
    pub path: String,
    /// The query of the request, without the `?`.
    pub query: Option<String>,
    /// The status of a response; if it failed, the status that the client gets instead.
    pub status: Option<u16>,
    /// The headers as received; with the trailers, if the response is shown at its end.
    pub headers: HeaderMap,
    /// The body as received, or the part of it that was captured.
    pub body: Bytes,
    /// True if the body is longer than the captured part.
    pub truncated: bool,
    /// The number shared by a request and its response. It is unique, also across restarts.
    pub exchange: u64,
    /// The number of the client's connection. It is unique, also across restarts.
    pub connection: u64,
    /// True if the service gave no response or an incomplete one.
    pub failed: bool,
    /// The time since the request arrived; for a response, the duration of the exchange.
    pub elapsed: Duration,
}

/// The future of a ruling.
pub(crate) type PendingRuling = Pin<Box<dyn Future<Output = Ruling> + Send>>;

/// A [`Tap`] as a trait object.
pub(crate) trait DynTap: Send + Sync {
    fn show(self: Arc<Self>, message: TappedMessage) -> PendingRuling;
}

impl<T: Tap> DynTap for T {
    fn show(self: Arc<Self>, message: TappedMessage) -> PendingRuling {
        Box::pin(async move { self.tap(message).await })
    }
}
