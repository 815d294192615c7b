// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors in traces, with their location.
//!
//! Tokenisers work on one row and report a [`Fault`]: a code, a message and an offset in the row. The reader, which
//! knows the line of the row, turns it into a [`TraceError`].

use std::error::Error;
use std::{fmt, io};

use gnomon_core::number::NumberError;

use crate::location::Location;

/// An error that ends the reading of a trace: its location, a message and often a remedy.
#[derive(Debug)]
pub struct TraceError(Box<LocatedFault>);

#[derive(Debug)]
struct LocatedFault {
    source_name: String,
    location: Location,
    fault: FaultDetails,
}

impl TraceError {
    /// The codes of errors; each has a page in the documentation.
    pub const CODES: &'static [&'static str] = &CODES;

    /// Creates an error in this input.
    #[cold]
    pub fn new(source_name: &str, location: Location, fault: Fault) -> Self {
        TraceError(Box::new(LocatedFault { source_name: source_name.to_owned(), location, fault: *fault.0 }))
    }

    /// Returns the code, such as `G0508`.
    pub fn code(&self) -> &'static str {
        CODES[self.0.fault.code as usize]
    }

    /// Returns the name of the input.
    pub fn source_name(&self) -> &str {
        &self.0.source_name
    }

    /// Returns the line, from 1.
    pub fn line(&self) -> u64 {
        self.0.location.line
    }

    /// Returns the column, from 1, in characters.
    pub fn column(&self) -> u64 {
        self.0.location.column
    }

    /// Returns the message, one line.
    pub fn message(&self) -> &str {
        &self.0.fault.message
    }

    /// Returns the remedy.
    pub fn help(&self) -> Option<&str> {
        self.0.fault.help.as_deref()
    }

    /// Returns what more there is to say, a line each.
    pub fn notes(&self) -> &[String] {
        &self.0.fault.notes
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LocatedFault { source_name, location, fault } = &*self.0;
        write!(f, "{source_name}:{location}: {}", fault.message)
    }
}

impl Error for TraceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.fault.io.as_ref().map(|error| error as &(dyn Error + 'static))
    }
}

/// An error at an offset of a row; the line of the row is not known here. Boxed, so that results of parsing stay small.
#[derive(Debug)]
pub struct Fault(Box<FaultDetails>);

#[derive(Debug)]
struct FaultDetails {
    code: Code,
    at: usize,
    message: String,
    help: Option<String>,
    notes: Vec<String>,
    io: Option<io::Error>,
}

impl Fault {
    /// Creates a fault `at` bytes after the start of the row.
    #[cold]
    pub fn new(code: Code, at: usize, message: impl Into<String>) -> Self {
        Fault(Box::new(FaultDetails { code, at, message: message.into(), help: None, notes: Vec::new(), io: None }))
    }

    /// Creates the fault that reading failed.
    #[cold]
    pub fn io(at: usize, error: io::Error) -> Self {
        let message = format!("the input cannot be read: {error}");
        Fault(Box::new(FaultDetails { code: Code::Io, at, message, help: None, notes: Vec::new(), io: Some(error) }))
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Adds lines that say more.
    #[must_use]
    pub fn notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.0.notes.extend(notes);
        self
    }

    /// Adds `by` to the offset.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        self.0.at += by;
        self
    }

    /// Replaces the offset.
    #[must_use]
    pub fn placed(mut self, at: usize) -> Self {
        self.0.at = at;
        self
    }

    /// Subtracts `by` from the offset.
    #[must_use]
    pub fn within(self, by: usize) -> Self {
        let at = self.at().saturating_sub(by);
        self.placed(at)
    }

    /// Adds source and location to a fault in a text that was read whole.
    pub fn in_text(self, source_name: &str, text: &str) -> TraceError {
        TraceError::new(source_name, Location::within(1, text.as_bytes(), self.at()), self)
    }

    /// Creates the fault that an event has no name.
    #[cold]
    pub fn no_name(at: usize) -> Self {
        Fault::new(Code::NoName, at, "this event has no name")
    }

    /// Returns the offset from the start of the row, in bytes.
    pub fn at(&self) -> usize {
        self.0.at
    }

    /// Returns the message, one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the remedy.
    pub fn advice(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Returns the kind of fault.
    pub fn code(&self) -> Code {
        self.0.code
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.0.at, self.0.message)
    }
}

impl Error for Fault {}

/// Kinds of fault, in the order of their codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// The input cannot be read.
    Io,
    /// The input is not UTF-8 text.
    NotText,
    /// A table has no header.
    NoHeader,
    /// The declared time field is missing.
    NoTimeField,
    /// An event has no time, unlike the others, or the reverse.
    NoTime,
    /// A value is not a time.
    NotATime,
    /// Times are written in two ways.
    MixedTimes,
    /// An event is earlier than the one before it.
    TimeGoesBack,
    /// An event has no name.
    NoName,
    /// A row has more cells or fields than allowed.
    TooManyCells,
    /// A quoted cell is malformed.
    Quote,
    /// A text is not UTF-8.
    NotUtf8,
    /// Malformed JSON.
    BadJson,
    /// A line is not a JSON object.
    NotAnObject,
    /// Nested too deeply.
    TooDeep,
    /// Longer than the limit.
    TooLong,
    /// A cell is not `name=value`.
    NotAnAssignment,
    /// A column occurs twice.
    RepeatedColumn,
    /// A compressed input is damaged.
    Packed,
    /// Malformed XML.
    BadXml,
    /// A document type declaration, or an entity that would need one.
    Declared,
    /// An element is out of place.
    NotALog,
    /// An attribute of XES is malformed.
    BadAttribute,
    /// A log of `MonPoly` is malformed.
    BadLog,
    /// A JSON object does not hold exactly one event.
    NotOneEvent,
    /// No line matches the pattern of a text log.
    NoMatch,
    /// A text log has no pattern.
    NoPattern,
    /// Not an export of OpenTelemetry.
    NotAnExport,
    /// More memory is needed than allowed.
    TooMuch,
    /// A table has no column of event names.
    NoEventColumn,
    /// A column has a type that cannot be read.
    ColumnType,
    /// Columns cannot be read.
    Columns,
    /// A Parquet file is malformed.
    NotAFile,
    /// A number needs more than 128 bits.
    NumberRange,
    /// A captured message has no body.
    NoBody,
    /// A body is not a message.
    NotAMessage,
}

/// The codes, indexed by [`Code`].
const CODES: [&str; Code::NotAMessage as usize + 1] = [
    "G0501", "G0502", "G0503", "G0504", "G0505", "G0506", "G0507", "G0508", "G0509", "G0510", "G0511", "G0512",
    "G0513", "G0514", "G0515", "G0516", "G0517", "G0518", "G0519", "G0520", "G0521", "G0522", "G0523", "G0524",
    "G0525", "G0526", "G0527", "G0528", "G0529", "G0530", "G0531", "G0532", "G0533", "G0537", "G0720", "G0721",
];

/// Creates the fault that a number needs more than 128 bits.
#[cold]
pub fn out_of_range(number: &[u8], at: usize) -> Fault {
    Fault::new(Code::NumberRange, at, format!("the number {} has more than 128 bits", quote(number)))
        .help(NumberError::HELP)
}

/// Quotes a piece of the input for a message: short, printable, in backquotes.
pub fn quote(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    format!("`{}`", shown.replace("\\\"", "\"").replace("\\'", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order() {
        assert!(TraceError::CODES.is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn quoted_pieces_are_short_and_printable() {
        assert_eq!(quote(b"a\"b"), "`a\"b`");
        assert_eq!(quote(b"a\x00\xFF"), "`a\\0\u{FFFD}`");
        assert!(quote(&[b'x'; 1000]).chars().count() < 50);
    }
}
