// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns of the lines of text logs.

use gnomon_scan::ByteRange;
use thiserror::Error;

use super::expression::{Expression, ExpressionGroups};
use super::holes::Holes;
use super::preset::{JSON_OBJECT, PartKind, Preset};

/// A pattern that determines which part of a line is the event's name, the time, or a field.
///
/// ```
/// use gnomon_trace::TextPattern;
/// let pattern = TextPattern::holes("{time} {level} {event} user={user}")?;
/// assert_eq!(pattern.names().collect::<Vec<_>>(), ["time", "level", "event", "user"]);
/// assert!(TextPattern::regex(r"^(?<time>\S+) (?<event>\w+)")?.names().any(|name| name == "event"));
/// assert!(!TextPattern::holes("{time} {level}")?.names_events());
/// assert!(TextPattern::holes("{time").is_err());
/// # Ok::<(), gnomon_trace::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextPattern {
    names: Vec<String>,
    /// The part that is the event's name, if one is.
    event: Option<usize>,
    shape: Matcher,
    strict: bool,
}

#[derive(Clone, Debug)]
enum Matcher {
    Holes(Holes),
    Regex(Expression),
    Preset(Preset),
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

impl PatternMatch {
    /// Returns the range of a part.
    #[inline]
    pub(super) fn part(&self, part: usize) -> ByteRange {
        self.holes.get(part).copied().unwrap_or_default()
    }
}

impl TextPattern {
    /// Parses a pattern with holes, such as `{time} {level} {event} user={user}`. A hole matches as little as possible
    /// up to the literal behind it, the last one everything to the end of the line; `{_}` skips; blanks match any
    /// blanks; `{{` is a brace.
    pub fn holes(pattern: &str) -> Result<TextPattern, PatternError> {
        let mut names = Vec::new();
        let holes = Holes::parse(pattern, &mut names)?;
        Ok(TextPattern::new(names, Matcher::Holes(holes)))
    }

    /// Parses a regular expression with named groups, such as `^(?<time>\S+) (?<event>\w+)`.
    pub fn regex(pattern: &str) -> Result<TextPattern, PatternError> {
        let (expression, names) = Expression::parse(pattern).map_err(|message| PatternError::new(0, message))?;
        Ok(TextPattern::new(names, Matcher::Regex(expression)))
    }

    /// Returns the pattern of a usual format.
    pub fn preset(preset: Preset) -> TextPattern {
        let names = preset.parts().iter().map(|(name, _)| (*name).to_owned()).collect();
        TextPattern { event: None, ..TextPattern::new(names, Matcher::Preset(preset)) }
    }

    fn new(names: Vec<String>, shape: Matcher) -> TextPattern {
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        let event = find("event").or_else(|| find("name"));
        TextPattern { names, event, shape, strict: false }
    }

    /// Returns true if events have names without a declaration: a part is called `event` or `name`, or the format names them.
    pub fn names_events(&self) -> bool {
        self.event.is_some() || self.usual_format().is_some()
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
    pub(super) fn event(&self) -> Option<usize> {
        self.event
    }

    /// Returns the usual format that the pattern stands for, if it stands for one.
    pub(crate) fn usual_format(&self) -> Option<Preset> {
        match self.shape {
            Matcher::Preset(preset) => Some(preset),
            Matcher::Holes(_) | Matcher::Regex(..) => None,
        }
    }

    /// Returns the part that is a JSON object whose members are fields.
    pub(super) fn object(&self) -> Option<usize> {
        (self.usual_format() == Some(Preset::Json)).then_some(JSON_OBJECT)
    }

    /// Returns the conversion of a part to a value.
    pub(super) fn kind(&self, part: usize) -> PartKind {
        let usual = self.usual_format().and_then(|preset| preset.parts().get(part));
        usual.map_or(PartKind::Cell, |(_, kind)| *kind)
    }

    /// Returns true if a line matches.
    pub(crate) fn matches(&self, line: &[u8]) -> bool {
        let time = self.names.iter().position(|name| name == "time");
        self.find(line, time, &mut self.room())
    }

    pub(super) fn room(&self) -> PatternMatch {
        let groups = match &self.shape {
            Matcher::Holes(_) | Matcher::Preset(_) => None,
            Matcher::Regex(expression) => Some(expression.groups()),
        };
        PatternMatch { holes: vec![ByteRange::default(); self.names.len()], groups, time_blanks: None }
    }

    /// Matches a line and finds its parts; returns false if it does not match. `time` is the part that is the time.
    pub(super) fn find(&self, line: &[u8], time: Option<usize>, found: &mut PatternMatch) -> bool {
        let PatternMatch { holes, groups, time_blanks } = found;
        match (&self.shape, groups) {
            (Matcher::Holes(shape), _) => shape.find(line, time, time_blanks, holes),
            (Matcher::Preset(preset), _) => preset.find(line, holes).is_some(),
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
            _ if self.find(line, time, &mut found) => "the part with its name is empty".to_owned(),
            Matcher::Holes(holes) => holes.explain_mismatch(line, time, &self.names),
            Matcher::Preset(preset) => format!("it is not of the form `{}`", preset.example()),
            Matcher::Regex(..) => "the regular expression does not match".to_owned(),
        }
    }
}

impl PatternError {
    /// Creates an error at an offset of the pattern.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
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
