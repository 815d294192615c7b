// SPDX-License-Identifier: MIT OR Apache-2.0
//! Idle timeout for connections, because an idle client occupies one of a limited number.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::connections::ClientActivity;

/// A stream that fails after some time without data.
pub(crate) struct IdleTimeout<S> {
    stream: S,
    time: Duration,
    activity: Arc<ClientActivity>,
    alarm: Pin<Box<Sleep>>,
}

impl<S> IdleTimeout<S> {
    pub(crate) fn new(stream: S, time: Duration, activity: Arc<ClientActivity>) -> IdleTimeout<S> {
        IdleTimeout { stream, time, activity, alarm: Box::pin(sleep(time)) }
    }

    /// Restarts the timeout after progress, or fails when it has passed.
    fn judge<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            let next = Instant::now() + self.time;
            self.alarm.as_mut().reset(next);
            self.activity.record_transfer();
            return polled;
        }
        if self.alarm.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "no progress for too long")));
        }
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.judge(context, polled)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        // A flush without pending data is not progress.
        if polled.is_pending() { self.judge(context, polled) } else { polled }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(context, polled)
    }
}
