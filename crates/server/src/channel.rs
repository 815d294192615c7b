// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of an answer that is written bit by bit by somebody else.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

/// What comes through the channel is the body. A reader who is slow holds up the sender; one who is gone closes the channel.
pub(crate) struct ChannelBody(pub(crate) mpsc::Receiver<io::Result<Bytes>>);

impl Body for ChannelBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data)))
    }
}
