// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns of the lines of text logs.

use gnomon_scan::ByteRange;
use thiserror::Error;

use super::expression::{Expression, ExpressionGroups};
use super::holes::Holes;

/// A pattern that determines which part of a line is the event's name, the time, or a field.
///
/// ```
/// use gnomon_trace::TextPattern;
/// let pattern = TextPattern::holes("{time} {level} {event} user={user}")?;
/// assert_eq!(pattern.names().collect::<Vec<_>>(), ["time", "level", "event", "user"]);
/// assert!(TextPattern::regex(r"^(?<time>\S+) (?<event>\w+)")?.names().any(|name| name == "event"));
/// assert!(TextPattern::holes("{time} {level}").is_err());
/// # Ok::<(), gnomon_trace::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextPattern {
    names: Vec<String>,
    event: usize,
    shape: Matcher,
    strict: bool,
}

#[derive(Clone, Debug)]
enum Matcher {
    Holes(Holes),
    Regex(Expression),
}

/// An error in a pattern.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct PatternError {
    at: usize,
    message: String,
}

/// The result of a match; the memory is reused for many lines.
pub(super) struct PatternMatch {
    /// The range of each named part, as offsets from the start of the line.
    pub(super) holes: Vec<ByteRange>,
    groups: Option<ExpressionGroups>,
    /// The number of blanks inside a time, once it is known.
    pub(super) time_blanks: Option<usize>,
}

impl TextPattern {
    /// Parses a pattern with holes, such as `{time} {level} {event} user={user}`. A hole matches as little as possible
    /// up to the literal behind it, the last one everything to the end of the line; `{_}` skips; blanks match any
    /// blanks; `{{` is a brace.
    pub fn holes(pattern: &str) -> Result<TextPattern, PatternError> {
        let mut names = Vec::new();
        let holes = Holes::parse(pattern, &mut names)?;
        TextPattern::new(names, Matcher::Holes(holes), "{event}")
    }

    /// Parses a regular expression with named groups, such as `^(?<time>\S+) (?<event>\w+)`.
    pub fn regex(pattern: &str) -> Result<TextPattern, PatternError> {
        let (expression, names) = Expression::parse(pattern).map_err(|message| PatternError::new(0, message))?;
        TextPattern::new(names, Matcher::Regex(expression), "(?<event>…)")
    }

    fn new(names: Vec<String>, shape: Matcher, example: &str) -> Result<TextPattern, PatternError> {
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        let event = find("event").or_else(|| find("name")).ok_or_else(|| {
            PatternError::new(0, format!("nothing in the pattern is called `event`, as in `{example}`, or `name`"))
        })?;
        Ok(TextPattern { names, event, shape, strict: false })
    }

    /// Makes lines that do not match an error. Otherwise they are counted, and the first few are listed.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> TextPattern {
        self.strict = strict;
        self
    }

    /// Returns the names of the parts, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(super) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Returns the part that is the event's name.
    pub(super) fn event(&self) -> usize {
        self.event
    }

    pub(super) fn room(&self) -> PatternMatch {
        let groups = match &self.shape {
            Matcher::Holes(_) => None,
            Matcher::Regex(expression) => Some(expression.groups()),
        };
        PatternMatch { holes: vec![ByteRange::default(); self.names.len()], groups, time_blanks: None }
    }

    /// Matches a line and finds its parts; returns false if it does not match. `time` is the part that is the time.
    pub(super) fn find(&self, line: &[u8], time: Option<usize>, found: &mut PatternMatch) -> bool {
        let PatternMatch { holes, groups, time_blanks } = found;
        match (&self.shape, groups) {
            (Matcher::Holes(shape), _) => shape.find(line, time, time_blanks, holes),
            (Matcher::Regex(expression), Some(groups)) => expression.find(line, groups, holes),
            (Matcher::Regex(..), None) => false,
        }
    }
}

impl TextPattern {
    /// Says why a line does not match: the first part of the pattern that is not in it.
    #[cold]
    pub(super) fn explain_mismatch(&self, line: &[u8], time: Option<usize>) -> String {
        let mut found = self.room();
        match &self.shape {
            _ if self.find(line, time, &mut found) => format!("the part `{}` is empty", self.names[self.event]),
            Matcher::Holes(holes) => holes.explain_mismatch(line, time, &self.names),
            Matcher::Regex(..) => "the regular expression does not match".to_owned(),
        }
    }
}

impl PatternError {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        PatternError { at, message: message.into() }
    }

    /// Returns the offset in the pattern, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }
}
