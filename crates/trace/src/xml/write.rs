// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer: one event per line.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use crate::loss::{Loss, Losses};
use crate::writer::{Record, Writer, cell, key};

/// Writes the XML of the competitions; see `xml/FORMAT.md`.
pub struct XmlWriter<W: Write> {
    out: BufWriter<W>,
    line: String,
    begun: bool,
    losses: Losses,
}

impl<W: Write> XmlWriter<W> {
    /// Begins a trace.
    pub fn new(out: W) -> Self {
        XmlWriter { out: BufWriter::new(out), line: String::new(), begun: false, losses: Losses::default() }
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        self.out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<log>\n")
    }
}

impl<W: Write> Writer for XmlWriter<W> {
    fn write(&mut self, event: &Record<'_>) -> io::Result<()> {
        self.begin()?;
        let Self { line, losses, .. } = self;
        line.clear();
        line.push_str("<event><name>");
        if !write_escaped(line, event.name, Escape::Content) {
            losses.add(Loss::Characters, event.index, "");
        }
        line.push_str("</name>");
        if let Some(moment) = &event.moment {
            field(line, moment.field, &moment.text(), event.index, losses);
        }
        for entry in event.fields {
            let text = cell(&entry.value, event.index, &entry.key, losses);
            let key = key(event, entry, &[], losses);
            field(line, &key, &text, event.index, losses);
        }
        line.push_str("</event>\n");
        self.out.write_all(line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.begin()?;
        self.out.write_all(b"</log>\n")?;
        self.out.flush()
    }

    fn losses(&self) -> &Losses {
        &self.losses
    }
}

fn field(line: &mut String, key: &str, value: &str, event: u64, losses: &mut Losses) {
    line.push_str("<field><name>");
    let key_kept = write_escaped(line, key, Escape::Content);
    line.push_str("</name><value>");
    let value_kept = write_escaped(line, value, Escape::Content);
    line.push_str("</value></field>");
    if !key_kept || !value_kept {
        losses.add(Loss::Characters, event, key);
    }
}

/// Where a text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Between tags, where blanks at the ends do not count.
    Content,
    /// In the quotes of an attribute, where line breaks are blanks.
    Attribute,
}

/// Writes a text for XML; false if it has characters that XML cannot carry.
pub(crate) fn write_escaped(line: &mut String, text: &str, place: Escape) -> bool {
    let mut whole = true;
    let inner = text.trim_matches([' ', '\n', '\t', '\r']);
    let start = text.len() - text.trim_start_matches([' ', '\n', '\t', '\r']).len();
    let inside = start..start + inner.len();
    for (at, character) in text.char_indices() {
        match character {
            '&' => line.push_str("&amp;"),
            '<' => line.push_str("&lt;"),
            '>' => line.push_str("&gt;"),
            '"' if place == Escape::Attribute => line.push_str("&quot;"),
            '\r' => line.push_str("&#13;"),
            '\n' | '\t' if place == Escape::Attribute => {
                let _ = write!(line, "&#{};", u32::from(character));
            }
            ' ' | '\n' | '\t' if place == Escape::Content && !inside.contains(&at) => {
                let _ = write!(line, "&#{};", u32::from(character));
            }
            '\n' | '\t' => line.push(character),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => {
                line.push(char::REPLACEMENT_CHARACTER);
                whole = false;
            }
            other => line.push(other),
        }
    }
    whole
}
