// SPDX-License-Identifier: MIT OR Apache-2.0
//! A place in the present row, for formats whose events are not lines. It reads on where the buffer ends.

use std::io::Read;

use memchr::{memchr, memmem};

use crate::buffer::Buffer;
use crate::error::{Fault, TraceError};
use crate::reader::Place;

pub(crate) struct Cursor<R> {
    pub(crate) buffer: Buffer<R>,
    /// The place, from the start of the row.
    pub(crate) at: usize,
    /// Where the row begins.
    place: Place,
}

impl<R> Cursor<R> {
    pub(crate) fn new(buffer: Buffer<R>) -> Self {
        Cursor { buffer, at: 0, place: Place::START }
    }

    /// The present row, as far as it was read.
    #[inline]
    pub(crate) fn row(&self) -> &[u8] {
        self.buffer.row()
    }

    /// Where the row begins.
    #[inline]
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Lets go of what lies behind: the row begins here.
    #[inline]
    pub(crate) fn turn(&mut self) {
        self.place = self.place.after(&self.buffer.row()[..self.at]);
        self.buffer.set_length(self.at);
        self.buffer.turn();
        self.at = 0;
    }

    #[cold]
    pub(crate) fn error(&self, source: &str, fault: Fault) -> TraceError {
        let row = self.buffer.row();
        TraceError::new(source, self.place.after(&row[..fault.at().min(row.len())]), fault)
    }
}

impl<R: Read> Cursor<R> {
    /// The byte here; `None` at the end of the input.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, Fault> {
        if self.at >= self.buffer.row().len() {
            self.buffer.fill(self.at + 1)?;
        }
        Ok(self.buffer.row().get(self.at).copied())
    }

    /// Some of what follows, for a message: the same in whatever pieces the input comes.
    #[cold]
    pub(crate) fn ahead(&mut self) -> &[u8] {
        // A failure to read on is not what the message is about.
        let _ = self.buffer.fill(self.at + 64);
        let rest = &self.buffer.row()[self.at..];
        &rest[..rest.len().min(64)]
    }

    #[inline]
    pub(crate) fn skip_space(&mut self) -> Result<(), Fault> {
        loop {
            let row = self.buffer.row();
            while let Some(byte) = row.get(self.at) {
                if !is_space(*byte) {
                    return Ok(());
                }
                self.at += 1;
            }
            if !self.buffer.more()? {
                return Ok(());
            }
        }
    }

    /// The next place of a byte.
    #[inline]
    pub(crate) fn find(&mut self, byte: u8, from: usize) -> Result<Option<usize>, Fault> {
        let mut at = from;
        loop {
            let row = self.buffer.row();
            if let Some(found) = row.get(at..).and_then(|rest| memchr(byte, rest)) {
                return Ok(Some(at + found));
            }
            at = row.len().max(from);
            if !self.buffer.more()? {
                return Ok(None);
            }
        }
    }

    /// The next place of a few bytes.
    pub(crate) fn find_text(&mut self, text: &[u8], from: usize) -> Result<Option<usize>, Fault> {
        let mut at = from;
        loop {
            let row = self.buffer.row();
            if let Some(found) = row.get(at..).and_then(|rest| memmem::find(rest, text)) {
                return Ok(Some(at + found));
            }
            at = from.max((row.len() + 1).saturating_sub(text.len()));
            if !self.buffer.more()? {
                return Ok(None);
            }
        }
    }
}

#[inline]
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}
