// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fast path for event elements whose shape is known ([`RowShapes`]), in the two formats that are XML. The texts of the trie have all
//! tags and keys of an event, the values are texts up to a delimiter: `"` in attributes, `<` in elements.
//!
//! Example: the texts of an event of XES are `<event><string key="concept:name" value="`, `"/><date key="time:timestamp" value="` and
//! `"/></event>` with the white space behind it.
//!
//! Only literal values are taken: neither they nor a text that is learned contain entities, comments or CDATA. A value contains no
//! line break either, so that the lines of an event are counted once, when its shape is learned.

use gnomon_core::symbols::Key;
use gnomon_scan::word::{skip_space, text_end};
use gnomon_scan::xml::{TextForm, XmlText};
use gnomon_scan::{ByteRange, Location};

use crate::roles::{FieldRole, FieldRoles, RoleKind};
use crate::row::RowField;
use crate::shapes::{RowShapes, ShapeId};

/// A text of a shape, and the value behind it. `K` is the kind of a value in the format.
#[derive(Clone, Copy)]
pub(crate) struct MarkupPart<K> {
    /// The line breaks in the event and the column behind it, if the event ends with the text.
    end: Option<(u64, u64)>,
    /// `None` for a value of which nothing is wanted.
    value: Option<MarkupValue<K>>,
}

/// A value that is the name, the time or a field.
#[derive(Clone, Copy)]
struct MarkupValue<K> {
    kind: K,
    role: FieldRole,
    /// True if the projection may want it as a field.
    is_kept: bool,
    /// Offsets of the element and of its key, from the beginning of the text.
    element_start: u16,
    key_start: u16,
    key_end: u16,
}

impl<K> Default for MarkupPart<K> {
    fn default() -> Self {
        MarkupPart { end: None, value: None }
    }
}

/// A field, as the formats make theirs from it. All offsets are from the beginning of the row.
pub(crate) struct LiteralField<K> {
    pub(crate) kind: K,
    pub(crate) key: XmlText,
    pub(crate) value: XmlText,
    pub(crate) element_start: usize,
}

/// An event of a known shape.
pub(crate) struct KnownEvent {
    pub(crate) name: Option<XmlText>,
    pub(crate) time: Option<XmlText>,
    /// The offset behind the event and the white space that follows.
    pub(crate) length: usize,
    line_breaks: u64,
    column: u64,
}

impl KnownEvent {
    /// Returns the location behind the event that begins at this one.
    pub(crate) fn end(&self, start: Location) -> Location {
        Location { line: start.line + self.line_breaks, column: self.column }
    }
}

#[inline]
fn literal(start: usize, end: usize) -> XmlText {
    XmlText { range: ByteRange { start, end }, form: TextForm::Literal }
}

/// Follows the event at the beginning of a padded row, and keeps the fields that may be wanted. `DELIMITER` is the byte behind values.
/// Returns `None` if the tokeniser has to read it.
#[expect(clippy::inline_always, reason = "once for every event")]
#[inline(always)]
pub(crate) fn follow<const DELIMITER: u8, K: Copy, F>(
    shapes: &RowShapes<MarkupPart<K>>,
    bytes: &[u8],
    fields: &mut Vec<RowField<F>>,
    make_field: impl Fn(LiteralField<K>) -> F,
) -> Option<KnownEvent> {
    let (mut name, mut time) = (None, None);
    let (mut id, mut at) = (ShapeId::ROOT, 0);
    fields.clear();
    loop {
        let text = at;
        (id, at) = shapes.next(id, bytes, at)?;
        let part = shapes.part(id);
        if let Some((line_breaks, column)) = part.end {
            return Some(KnownEvent { name, time, length: at, line_breaks, column });
        }
        let end = text_end(bytes, at, DELIMITER);
        // Blanks at the ends of a text in an element do not count.
        let is_trimmed = DELIMITER != b'<' || end == at || (bytes[at] != b' ' && bytes[end - 1] != b' ');
        if bytes[end] != DELIMITER || !is_trimmed {
            return None;
        }
        if let Some(known) = &part.value {
            let value = literal(at, end);
            match known.role.kind {
                RoleKind::Event | RoleKind::Name => name = Some(value),
                RoleKind::Time => time = Some(value),
                RoleKind::Field => {}
            }
            if known.is_kept {
                let raw = make_field(LiteralField {
                    kind: known.kind,
                    key: literal(text + usize::from(known.key_start), text + usize::from(known.key_end)),
                    value,
                    element_start: text + usize::from(known.element_start),
                });
                fields.push(RowField { key: known.role.key, raw, is_time: known.role.kind == RoleKind::Time });
            }
        }
        at = end;
    }
}

/// Collects the texts of an event that was read.
pub(crate) struct MarkupShape<K> {
    parts: Vec<(ByteRange, MarkupPart<K>)>,
    text_start: usize,
}

impl<K> Default for MarkupShape<K> {
    fn default() -> Self {
        MarkupShape { parts: Vec::new(), text_start: 0 }
    }
}

impl<K> MarkupShape<K> {
    /// Adds a field. Returns `None` if the shape cannot be learned.
    pub(crate) fn field(&mut self, roles: &FieldRoles, bytes: &[u8], field: LiteralField<K>) -> Option<()> {
        let LiteralField { kind, key, value, element_start } = field;
        let role = roles.find(bytes, key.range.start, key.range.len());
        let is_name = matches!(role.kind, RoleKind::Event | RoleKind::Name);
        let is_kept = !is_name && roles.keeps(role);
        let offset = |at: usize| u16::try_from(at - self.text_start).ok();
        let known = MarkupValue {
            kind,
            role,
            is_kept,
            element_start: offset(element_start)?,
            key_start: offset(key.range.start)?,
            key_end: offset(key.range.end)?,
        };
        self.add((is_kept || role.kind != RoleKind::Field).then_some(known), value);
        Some(())
    }

    /// Adds the name of the event.
    pub(crate) fn name(&mut self, kind: K, value: XmlText) {
        let role = FieldRole { kind: RoleKind::Event, key: Key::OTHER };
        let known = MarkupValue { kind, role, is_kept: false, element_start: 0, key_start: 0, key_end: 0 };
        self.add(Some(known), value);
    }

    fn add(&mut self, value: Option<MarkupValue<K>>, text: XmlText) {
        let before = ByteRange { start: self.text_start, end: text.range.start };
        self.parts.push((before, MarkupPart { end: None, value }));
        self.text_start = text.range.end;
    }

    /// Learns the shape of the event that ends at `end` in these padded bytes.
    pub(crate) fn learn(mut self, shapes: &mut RowShapes<MarkupPart<K>>, bytes: &[u8], end: usize) {
        let next = skip_space(bytes, end);
        let behind = Location::START.after(&bytes[end..next]);
        // The column behind the event must not depend on the values.
        if bytes.get(next) != Some(&b'<') || behind.line == 1 {
            return;
        }
        let last = ByteRange { start: self.text_start, end: next };
        let texts = self.parts.iter().map(|(text, _)| *text).chain([last]);
        let line_breaks = texts.map(|text| Location::START.after(text.of(bytes)).line - 1).sum();
        self.parts.push((last, MarkupPart { end: Some((line_breaks, behind.column)), value: None }));
        shapes.learn(self.parts.into_iter().map(|(text, part)| (text.of(bytes), part)));
    }
}
