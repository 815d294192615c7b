// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the lines of a text log look like.

use std::error::Error;
use std::fmt;

use regex::bytes::{CaptureLocations, Regex};

use super::holes::Holes;
use crate::stretch::Stretch;

/// What the lines of a text log look like: which part is the event's name, which the time, which a field.
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
    shape: Shape,
    strict: bool,
}

#[derive(Clone, Debug)]
enum Shape {
    Holes(Holes),
    /// With the group of each name.
    Regex(Regex, Vec<usize>),
}

/// What is wrong with a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternError {
    at: usize,
    message: String,
}

/// Room for what the matcher finds; made once for many lines.
pub(super) struct Found {
    /// The holes, by name; offsets from the start of the line.
    pub(super) holes: Vec<Stretch>,
    locations: Option<CaptureLocations>,
}

impl TextPattern {
    /// A pattern with holes, such as `{time} {level} {event} user={user}`. A hole takes as little as it can up to the
    /// text behind it, the last one all to the end of the line; `{_}` skips; blanks match any blanks; `{{` is a brace.
    pub fn holes(pattern: &str) -> Result<TextPattern, PatternError> {
        let mut names = Vec::new();
        let holes = Holes::parse(pattern, &mut names)?;
        TextPattern::new(names, Shape::Holes(holes), "{event}")
    }

    /// A regular expression with named groups, such as `^(?<time>\S+) (?<event>\w+)`.
    pub fn regex(pattern: &str) -> Result<TextPattern, PatternError> {
        let regex = Regex::new(pattern).map_err(|error| PatternError::new(0, error.to_string()))?;
        let groups = regex.capture_names().enumerate();
        let (groups, names) = groups.filter_map(|(group, name)| name.map(|name| (group, name.to_owned()))).unzip();
        TextPattern::new(names, Shape::Regex(regex, groups), "(?<event>…)")
    }

    fn new(names: Vec<String>, shape: Shape, example: &str) -> Result<TextPattern, PatternError> {
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        let event = find("event").or_else(|| find("name")).ok_or_else(|| {
            PatternError::new(0, format!("nothing in the pattern is called `event`, as in `{example}`, or `name`"))
        })?;
        Ok(TextPattern { names, event, shape, strict: false })
    }

    /// Whether a line that does not match is an error. If not, such lines are counted and the first few kept.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> TextPattern {
        self.strict = strict;
        self
    }

    /// The names of the parts, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(super) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Which part is the event's name.
    pub(super) fn event(&self) -> usize {
        self.event
    }

    pub(super) fn room(&self) -> Found {
        let locations = match &self.shape {
            Shape::Holes(_) => None,
            Shape::Regex(regex, _) => Some(regex.capture_locations()),
        };
        Found { holes: vec![Stretch::default(); self.names.len()], locations }
    }

    /// Whether a line matches, and if so which part is where. `time` is the part that is the time.
    pub(super) fn find(&self, line: &[u8], time: Option<usize>, found: &mut Found) -> bool {
        let Found { holes, locations } = found;
        match (&self.shape, locations) {
            (Shape::Holes(shape), _) => shape.find(line, time, holes),
            (Shape::Regex(regex, groups), Some(locations)) => {
                if regex.captures_read(locations, line).is_none() {
                    return false;
                }
                for (hole, &group) in holes.iter_mut().zip(groups) {
                    let (start, end) = locations.get(group).unwrap_or_default();
                    *hole = Stretch { start, end };
                }
                true
            }
            (Shape::Regex(..), None) => false,
        }
    }
}

impl PatternError {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        PatternError { at, message: message.into() }
    }

    /// Where it is, in bytes from the start of the pattern.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is the case.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for PatternError {}
