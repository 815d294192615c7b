// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with a trace, and where.

use std::error::Error;
use std::{fmt, io};

use crate::reader::Place;

/// A trace that cannot be read on. It says where, what is the case, and often what to do about it.
#[derive(Debug)]
pub struct TraceError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    source_name: String,
    place: Place,
    fault: Details,
}

impl TraceError {
    /// The codes that errors of this crate bear; each has a page.
    pub const CODES: [&'static str; Code::ALL.len()] = {
        let mut codes = [""; Code::ALL.len()];
        let mut index = 0;
        while index < codes.len() {
            codes[index] = Code::ALL[index].text();
            index += 1;
        }
        codes
    };

    #[cold]
    pub(crate) fn new(source_name: &str, place: Place, fault: Fault) -> Self {
        TraceError(Box::new(Inner { source_name: source_name.to_owned(), place, fault: *fault.0 }))
    }

    /// The code of its page, such as `G0508`.
    pub fn code(&self) -> &'static str {
        self.0.fault.code.text()
    }

    /// The input it is about, as it was named to [`crate::open`].
    pub fn source_name(&self) -> &str {
        &self.0.source_name
    }

    /// The line, from 1.
    pub fn line(&self) -> u64 {
        self.0.place.line
    }

    /// The column, from 1, in characters.
    pub fn column(&self) -> u64 {
        self.0.place.column
    }

    /// What is the case, in one line.
    pub fn message(&self) -> &str {
        &self.0.fault.message
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.0.fault.help.as_deref()
    }

    /// Whether the input could not be read, as opposed to being wrong.
    pub fn is_io(&self) -> bool {
        self.0.fault.io.is_some()
    }

    /// Whether time went back.
    pub fn is_order(&self) -> bool {
        matches!(self.0.fault.code, Code::TimeGoesBack)
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { source_name, place, fault } = &*self.0;
        write!(f, "{source_name}:{place}: {}", fault.message)
    }
}

impl Error for TraceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.fault.io.as_ref().map(|error| error as &(dyn Error + 'static))
    }
}

/// What is wrong, before it is known on which line. Boxed, so that the way of rows without fault stays narrow.
#[derive(Debug)]
pub(crate) struct Fault(Box<Details>);

#[derive(Debug)]
struct Details {
    code: Code,
    at: usize,
    message: String,
    help: Option<String>,
    io: Option<io::Error>,
}

impl Fault {
    /// A fault `at` bytes after the start of the row.
    #[cold]
    pub(crate) fn new(code: Code, at: usize, message: impl Into<String>) -> Self {
        Fault(Box::new(Details { code, at, message: message.into(), help: None, io: None }))
    }

    #[cold]
    pub(crate) fn io(at: usize, error: io::Error) -> Self {
        let message = format!("the input cannot be read: {error}");
        Fault(Box::new(Details { code: Code::Io, at, message, help: None, io: Some(error) }))
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The same fault, counted from a place that lies `by` bytes before.
    pub(crate) fn shifted(mut self, by: usize) -> Self {
        self.0.at += by;
        self
    }

    /// The same fault at another place.
    pub(crate) fn placed(mut self, at: usize) -> Self {
        self.0.at = at;
        self
    }

    /// The same fault, counted from a place that lies `by` bytes behind.
    pub(crate) fn within(self, by: usize) -> Self {
        let at = self.at().saturating_sub(by);
        self.placed(at)
    }

    /// Where it is, in bytes from the start of the row.
    pub(crate) fn at(&self) -> usize {
        self.0.at
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> Code {
        self.0.code
    }
}

/// The kinds of fault. The order is the order of the codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    Io,
    NotText,
    NoHeader,
    NoTimeField,
    NoTime,
    NotATime,
    MixedTimes,
    TimeGoesBack,
    NoName,
    TooManyCells,
    Quote,
    NotUtf8,
    BadJson,
    NotAnObject,
    TooDeep,
    TooLong,
    NotAnAssignment,
    RepeatedColumn,
    Packed,
    BadXml,
    Declared,
    NotALog,
    BadAttribute,
    BadLog,
    NotOneEvent,
    NoMatch,
    NoPattern,
    NotAnExport,
    TooMuch,
    NoEventColumn,
    ColumnType,
    Columns,
    NotAFile,
    NoBody,
    NotAMessage,
}

impl Code {
    const ALL: [Code; 35] = [
        Code::Io,
        Code::NotText,
        Code::NoHeader,
        Code::NoTimeField,
        Code::NoTime,
        Code::NotATime,
        Code::MixedTimes,
        Code::TimeGoesBack,
        Code::NoName,
        Code::TooManyCells,
        Code::Quote,
        Code::NotUtf8,
        Code::BadJson,
        Code::NotAnObject,
        Code::TooDeep,
        Code::TooLong,
        Code::NotAnAssignment,
        Code::RepeatedColumn,
        Code::Packed,
        Code::BadXml,
        Code::Declared,
        Code::NotALog,
        Code::BadAttribute,
        Code::BadLog,
        Code::NotOneEvent,
        Code::NoMatch,
        Code::NoPattern,
        Code::NotAnExport,
        Code::TooMuch,
        Code::NoEventColumn,
        Code::ColumnType,
        Code::Columns,
        Code::NotAFile,
        Code::NoBody,
        Code::NotAMessage,
    ];

    const fn text(self) -> &'static str {
        match self {
            Code::Io => "G0501",
            Code::NotText => "G0502",
            Code::NoHeader => "G0503",
            Code::NoTimeField => "G0504",
            Code::NoTime => "G0505",
            Code::NotATime => "G0506",
            Code::MixedTimes => "G0507",
            Code::TimeGoesBack => "G0508",
            Code::NoName => "G0509",
            Code::TooManyCells => "G0510",
            Code::Quote => "G0511",
            Code::NotUtf8 => "G0512",
            Code::BadJson => "G0513",
            Code::NotAnObject => "G0514",
            Code::TooDeep => "G0515",
            Code::TooLong => "G0516",
            Code::NotAnAssignment => "G0517",
            Code::RepeatedColumn => "G0518",
            Code::Packed => "G0519",
            Code::BadXml => "G0520",
            Code::Declared => "G0521",
            Code::NotALog => "G0522",
            Code::BadAttribute => "G0523",
            Code::BadLog => "G0524",
            Code::NotOneEvent => "G0525",
            Code::NoMatch => "G0526",
            Code::NoPattern => "G0527",
            Code::NotAnExport => "G0528",
            Code::TooMuch => "G0529",
            Code::NoEventColumn => "G0530",
            Code::ColumnType => "G0531",
            Code::Columns => "G0532",
            Code::NotAFile => "G0533",
            Code::NoBody => "G0720",
            Code::NotAMessage => "G0721",
        }
    }
}

/// A piece of the input for a message: short, printable, in backquotes.
pub(crate) fn quote(bytes: &[u8]) -> String {
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
