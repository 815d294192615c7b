// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names, keys and times in the two formats that are XML.

use gnomon_core::symbols::Name;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_scan::word::{load, low_bytes, whole_number};
use gnomon_scan::xml::XmlText;
use gnomon_scan::{Cursor, Fault};

use crate::names::EventNames;
use crate::roles::{FieldRole, FieldRoles};
use crate::times::TimeParser;

/// A tag, or the beginning of one, of at most eight bytes.
pub(crate) struct ShortTag {
    bytes: u64,
    length: usize,
}

impl ShortTag {
    pub(crate) const fn new(text: &[u8]) -> ShortTag {
        let mut bytes = [0; 8];
        let mut index = 0;
        while index < text.len() {
            bytes[index] = text[index];
            index += 1;
        }
        ShortTag { bytes: u64::from_le_bytes(bytes), length: text.len() }
    }

    /// Returns the offset behind this tag if it stands at an offset.
    #[inline]
    pub(crate) fn after(&self, bytes: &[u8], at: usize) -> Option<usize> {
        (low_bytes(load(bytes, at), self.length) == self.bytes).then_some(at + self.length)
    }
}

/// Returns the role of a key.
#[inline]
pub(crate) fn role_of<R>(roles: &FieldRoles, markup: &Cursor<R>, key: XmlText) -> Result<FieldRole, Fault> {
    if key.is_literal() {
        let start = markup.buffer.row_start() + key.range.start;
        return Ok(roles.find(markup.buffer.padded(), start, key.range.len()));
    }
    Ok(roles.find_text(&key.decode(markup.row())?))
}

/// Returns the name of an event; one that is new is added to the symbols.
#[inline]
pub(crate) fn event_name<R>(names: &mut EventNames, markup: &Cursor<R>, name: XmlText) -> Result<Name, Fault> {
    if name.is_literal() {
        let start = markup.buffer.row_start() + name.range.start;
        if let Some(name) = names.find(markup.buffer.padded(), start, name.range.len()) {
            return Ok(name);
        }
    }
    learn_name(names, markup.row(), name)
}

#[cold]
fn learn_name(names: &mut EventNames, row: &[u8], name: XmlText) -> Result<Name, Fault> {
    let text = name.decode(row)?;
    if text.is_empty() {
        return Err(Fault::no_name(name.range.start));
    }
    Ok(names.intern(&text, name.is_literal().then(|| name.range.of(row))))
}

/// Returns the time in a text that is a whole number, once the times of the trace are known to be numbers.
#[inline]
pub(crate) fn whole_time<R>(times: &TimeParser, markup: &Cursor<R>, value: XmlText) -> Option<Timestamp> {
    let range = value.range.shifted(markup.buffer.row_start());
    if times.kind() != Some(TimeKind::Number) {
        return None;
    }
    let (number, end) = whole_number(markup.buffer.padded(), range.start)?;
    (end == range.end).then(|| times.whole(number))
}
