// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits on export requests.

use gnomon_scan::{Code, Fault};

/// Limits on an export request. Excess is refused before it is allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of the request, decompressed.
    pub bytes: usize,
    /// Nesting of lists and maps in one attribute.
    pub depth: usize,
    /// Number of spans and notes together.
    pub spans: usize,
    /// Number of attributes of one span, note or resource.
    pub attributes: usize,
    /// Number of attribute values, including those inside lists and maps.
    pub values: usize,
    /// Approximate memory of [`crate::events`]: each event has all attributes of its span and of its resource.
    pub expanded: usize,
}

impl Default for Limits {
    /// Limits for requests over a network.
    fn default() -> Self {
        Limits { bytes: 16 << 20, depth: 32, spans: 1 << 16, attributes: 1 << 12, values: 1 << 20, expanded: 256 << 20 }
    }
}

const SMALLER: &str = "let the exporter send smaller batches";

/// The remaining budget of a request.
pub(crate) struct DecodeBudget {
    limits: Limits,
    spans: usize,
    values: usize,
}

impl DecodeBudget {
    /// Creates the budget of a request, or fails if it is too long.
    pub(crate) fn of(bytes: &[u8], limits: &Limits) -> Result<DecodeBudget, Fault> {
        if bytes.len() > limits.bytes {
            let message = format!("the request has {} bytes, more than {}", bytes.len(), limits.bytes);
            return Err(Fault::new(Code::TooLong, 0, message).help(SMALLER));
        }
        Ok(DecodeBudget { limits: *limits, spans: limits.spans, values: limits.values })
    }

    /// Counts a span or a note.
    pub(crate) fn span(&mut self, at: usize) -> Result<(), Fault> {
        self.spans = self.spans.checked_sub(1).ok_or_else(|| {
            let message = format!("more than {} spans and events on spans in one request", self.limits.spans);
            Fault::new(Code::TooLong, at, message).help(SMALLER)
        })?;
        Ok(())
    }

    /// Counts a value at this depth.
    pub(crate) fn value(&mut self, at: usize, depth: usize) -> Result<(), Fault> {
        if depth > self.limits.depth {
            let message = format!("lists and maps more than {} deep in an attribute", self.limits.depth);
            return Err(Fault::new(Code::TooDeep, at, message));
        }
        self.values = self.values.checked_sub(1).ok_or_else(|| {
            let message = format!("more than {} values of attributes in one request", self.limits.values);
            Fault::new(Code::TooLong, at, message).help(SMALLER)
        })?;
        Ok(())
    }

    /// Counts an attribute besides `others`.
    pub(crate) fn attribute(&self, at: usize, others: usize) -> Result<(), Fault> {
        if others < self.limits.attributes {
            return Ok(());
        }
        let message = format!("more than {} attributes in one place", self.limits.attributes);
        Err(Fault::new(Code::TooManyCells, at, message))
    }

    /// Checks the memory that the events will take.
    pub(crate) fn expand(&self, bytes: usize) -> Result<(), Fault> {
        if bytes <= self.limits.expanded {
            return Ok(());
        }
        let message =
            format!("the events of the request would take about {bytes} bytes, more than {}", self.limits.expanded);
        Err(Fault::new(Code::TooLong, 0, message).help(SMALLER))
    }
}
