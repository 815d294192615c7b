// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of an export is taken in.

use crate::error::{Error, ErrorKind};

/// What an export may have at most. What lies beyond is refused, before it takes memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of the request, unpacked.
    pub bytes: usize,
    /// Lists and maps inside one another, in one attribute.
    pub depth: usize,
    /// Spans and notes on spans, together.
    pub spans: usize,
    /// Attributes of one span, of one note, or of one resource.
    pub attributes: usize,
    /// Values of all attributes, those inside lists and maps among them.
    pub values: usize,
    /// Bytes that [`crate::events`] takes, about: each event has all attributes of its span and of its resource.
    pub expanded: usize,
}

impl Default for Limits {
    /// For requests that come over a network.
    fn default() -> Self {
        Limits { bytes: 16 << 20, depth: 32, spans: 1 << 16, attributes: 1 << 12, values: 1 << 20, expanded: 256 << 20 }
    }
}

const SMALLER: &str = "let the exporter send smaller batches";

/// What is left of the limits.
pub(crate) struct Budget {
    limits: Limits,
    spans: usize,
    values: usize,
}

impl Budget {
    /// The budget for these bytes, if there are not too many.
    pub(crate) fn of(bytes: &[u8], limits: &Limits) -> Result<Budget, Error> {
        if bytes.len() > limits.bytes {
            let message = format!("the request has {} bytes, more than {}", bytes.len(), limits.bytes);
            return Err(Error::new(ErrorKind::TooLarge, 0, message).help(SMALLER));
        }
        Ok(Budget { limits: *limits, spans: limits.spans, values: limits.values })
    }

    /// Takes in a span, or a note on one.
    pub(crate) fn span(&mut self, at: usize) -> Result<(), Error> {
        self.spans = self.spans.checked_sub(1).ok_or_else(|| {
            let message = format!("more than {} spans and events on spans in one request", self.limits.spans);
            Error::new(ErrorKind::TooLarge, at, message).help(SMALLER)
        })?;
        Ok(())
    }

    /// Takes in a value that is this deep in others.
    pub(crate) fn value(&mut self, at: usize, depth: usize) -> Result<(), Error> {
        if depth > self.limits.depth {
            let message = format!("lists and maps more than {} deep in an attribute", self.limits.depth);
            return Err(Error::new(ErrorKind::TooDeep, at, message));
        }
        self.values = self.values.checked_sub(1).ok_or_else(|| {
            let message = format!("more than {} values of attributes in one request", self.limits.values);
            Error::new(ErrorKind::TooLarge, at, message).help(SMALLER)
        })?;
        Ok(())
    }

    /// Takes in an attribute beside so many others.
    pub(crate) fn attribute(&self, at: usize, others: usize) -> Result<(), Error> {
        if others < self.limits.attributes {
            return Ok(());
        }
        let message = format!("more than {} attributes in one place", self.limits.attributes);
        Err(Error::new(ErrorKind::TooManyAttributes, at, message))
    }

    /// Takes in what the events will take.
    pub(crate) fn expand(&self, bytes: usize) -> Result<(), Error> {
        if bytes <= self.limits.expanded {
            return Ok(());
        }
        let message =
            format!("the events of the request would take about {bytes} bytes, more than {}", self.limits.expanded);
        Err(Error::new(ErrorKind::TooLarge, 0, message).help(SMALLER))
    }
}
