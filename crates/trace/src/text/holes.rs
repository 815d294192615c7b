// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns with holes. A hole matches as little as possible up to the literal behind it. There is no backtracking, so
//! that matching takes time linear in the length of the line.
//!
//! Example: `{time} {event} user={user}` on `12 logon user=ann` gives time `12`, event `logon`, user `ann`.

use std::fmt;

use memchr::{memchr, memmem};

use gnomon_scan::ByteRange;

use super::pattern::PatternError;
use crate::dates::leading_date_blanks;

/// A pattern in which literals and holes alternate.
#[derive(Clone, Debug)]
pub(super) struct Holes {
    /// The literal at the beginning of a line; empty if it begins with a hole.
    head: Literal,
    /// The holes, each with the literal behind it. `None` is a hole without a name.
    rest: Vec<(Option<usize>, Literal)>,
}

/// Literal text; a run of blanks in it matches any run of blanks.
#[derive(Clone, Debug, Default)]
struct Literal {
    pieces: Vec<LiteralPiece>,
}

#[derive(Clone, Debug)]
enum LiteralPiece {
    Blanks,
    Text(Vec<u8>, Box<memmem::Finder<'static>>),
}

impl Holes {
    /// Parses a pattern; appends the names of its holes to `names`.
    pub(super) fn parse(pattern: &str, names: &mut Vec<String>) -> Result<Holes, PatternError> {
        let pattern = pattern.trim_ascii();
        let mut holes = Holes { head: Literal::default(), rest: Vec::new() };
        let mut at = 0;
        while let Some(character) = pattern[at..].chars().next() {
            let doubled = pattern[at + character.len_utf8()..].starts_with(character);
            match character {
                '{' | '}' if doubled => {
                    holes.last().push(character);
                    at += 1;
                }
                '{' => {
                    let Some(length) = pattern[at..].find('}') else {
                        return Err(PatternError::new(at, "this brace is not closed; a literal brace is written `{{`"));
                    };
                    let name = pattern[at + 1..at + length].trim_ascii();
                    if !holes.rest.is_empty() && holes.last().pieces.is_empty() {
                        let message = "two holes with nothing between them: where the first ends is unknown";
                        return Err(PatternError::new(at, message));
                    }
                    let index = (name != "_").then(|| hole(names, name, at)).transpose()?;
                    holes.rest.push((index, Literal::default()));
                    at += length;
                }
                '}' => return Err(PatternError::new(at, "a closing brace without an opening one; write `}}`")),
                other => holes.last().push(other),
            }
            at += character.len_utf8();
        }
        Ok(holes)
    }

    /// Says which part of the pattern a line that does not match lacks.
    pub(super) fn explain_mismatch(&self, line: &[u8], time: Option<usize>, names: &[String]) -> String {
        let Some(mut at) = self.head.matches(line, 0) else {
            return format!("it does not begin with `{}`", self.head);
        };
        for (order, (hole, literal)) in self.rest.iter().enumerate() {
            let from = if hole.is_some() && *hole == time {
                skip_blanks(line, at, leading_date_blanks(&line[at..]).unwrap_or(0))
            } else {
                at
            };
            let is_last = order + 1 == self.rest.len();
            let Some((_, next)) = literal.find(line, from, is_last) else {
                let name = hole.and_then(|hole| names.get(hole)).map_or("_", String::as_str);
                let place = if is_last { "ends with" } else { "has" };
                return format!("nothing after `{{{name}}}` {place} `{literal}`");
            };
            at = next;
        }
        "text follows the end of the pattern".to_owned()
    }

    fn last(&mut self) -> &mut Literal {
        self.rest.last_mut().map_or(&mut self.head, |(_, literal)| literal)
    }

    /// Finds the holes of a line, as offsets from its start; returns false if it does not match. `time` is the hole of
    /// the time.
    /// `time_blanks` is the number of blanks inside the time, found at the first line that begins with a date.
    pub(super) fn find(
        &self,
        line: &[u8],
        time: Option<usize>,
        time_blanks: &mut Option<usize>,
        found: &mut [ByteRange],
    ) -> bool {
        let Some(mut at) = self.head.matches(line, 0) else {
            return false;
        };
        for (order, (hole, literal)) in self.rest.iter().enumerate() {
            let is_last = order + 1 == self.rest.len();
            let start = at;
            let is_time = hole.is_some() && *hole == time && literal.begins_with_blanks();
            let from = if is_time {
                *time_blanks = time_blanks.or_else(|| leading_date_blanks(&line[start..]));
                skip_blanks(line, start, time_blanks.unwrap_or(0))
            } else {
                start
            };
            let Some((end, next)) = literal.find(line, from, is_last) else {
                return false;
            };
            if let Some(hole) = hole.and_then(|hole| found.get_mut(hole)) {
                *hole = ByteRange { start, end };
            }
            at = next;
        }
        at == line.len()
    }
}

/// Adds a hole; returns its index.
fn hole(names: &mut Vec<String>, name: &str, at: usize) -> Result<usize, PatternError> {
    if name.is_empty() {
        return Err(PatternError::new(at, "a hole without a name; write `{_}` for text that is skipped"));
    }
    if names.iter().any(|known| known == name) {
        return Err(PatternError::new(at, "a second hole with this name"));
    }
    names.push(name.to_owned());
    Ok(names.len() - 1)
}

/// Returns the place behind this many runs of blanks.
fn skip_blanks(line: &[u8], mut at: usize, runs: usize) -> usize {
    for _ in 0..runs {
        at += line[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        at += blanks(&line[at..]);
    }
    at
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            LiteralPiece::Blanks => f.write_str(" "),
            LiteralPiece::Text(text, _) => f.write_str(&String::from_utf8_lossy(text)),
        })
    }
}

impl Literal {
    fn begins_with_blanks(&self) -> bool {
        matches!(self.pieces.first(), Some(LiteralPiece::Blanks))
    }

    fn push(&mut self, character: char) {
        if character.is_ascii_whitespace() {
            if !matches!(self.pieces.last(), Some(LiteralPiece::Blanks)) {
                self.pieces.push(LiteralPiece::Blanks);
            }
            return;
        }
        let mut encoded = [0; 4];
        let encoded = character.encode_utf8(&mut encoded).as_bytes();
        let mut text = match self.pieces.pop_if(|piece| matches!(piece, LiteralPiece::Text(..))) {
            Some(LiteralPiece::Text(text, _)) => text,
            _ => Vec::new(),
        };
        text.extend_from_slice(encoded);
        let finder = Box::new(memmem::Finder::new(&text).into_owned());
        self.pieces.push(LiteralPiece::Text(text, finder));
    }

    /// Returns the end of the literal if it begins here.
    fn matches(&self, line: &[u8], mut at: usize) -> Option<usize> {
        for piece in &self.pieces {
            let rest = &line[at..];
            at += match piece {
                LiteralPiece::Text(text, _) if rest.starts_with(text) => text.len(),
                LiteralPiece::Text(..) => return None,
                LiteralPiece::Blanks => match blanks(rest) {
                    0 => return None,
                    length => length,
                },
            };
        }
        Some(at)
    }

    /// Returns start and end of the first occurrence of the literal from here on. The last literal must end the line.
    fn find(&self, line: &[u8], from: usize, is_last: bool) -> Option<(usize, usize)> {
        let Some(first) = self.pieces.first() else {
            return Some((line.len(), line.len()));
        };
        let mut at = from;
        loop {
            let rest = line.get(at..)?;
            at += match first {
                LiteralPiece::Text(text, finder) => match text.as_slice() {
                    [byte] => memchr(*byte, rest)?,
                    _ => finder.find(rest)?,
                },
                LiteralPiece::Blanks => rest.iter().position(u8::is_ascii_whitespace)?,
            };
            if let Some(end) = self.matches(line, at)
                && (!is_last || end == line.len())
            {
                return Some((at, end));
            }
            // A literal that fails at the start of a run of blanks fails within it.
            at += match first {
                LiteralPiece::Text(..) => 1,
                LiteralPiece::Blanks => blanks(&line[at..]),
            };
        }
    }
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}
