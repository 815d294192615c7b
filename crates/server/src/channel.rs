// SPDX-License-Identifier: MIT OR Apache-2.0
//! A response body that another task writes piece by piece.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

/// A body whose data arrives through a channel. A slow client blocks the sender; a client that is gone closes the
/// channel.
pub(crate) struct ChannelBody(pub(crate) mpsc::Receiver<io::Result<Bytes>>);

impl Body for ChannelBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data)))
    }
}
