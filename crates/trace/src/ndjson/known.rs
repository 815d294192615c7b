// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fast path for rows whose shape is known ([`RowShapes`]). The texts of the trie have all keys and brackets of a row; what is left
//! is to find the end of each string, number or word. Containers are entered: a text may lead into an object, and out of it again.
//!
//! Example: `{"event": "pay", "user": {"id": 7}, "time": 3}` consists of the texts `{"event": `, `, "user": {"id": `, `}, "time": `
//! and `}`. If properties want `user`, its value begins in the second text and ends in the third.
//!
//! Nothing is learned from rows in which an object has a key twice, or a key with an escape, nor from rows that do not end with a
//! newline.

use gnomon_scan::ByteRange;
use gnomon_scan::json::{JsonString, Scanner};
use gnomon_scan::word::{load, low_bytes, string_end, whole_number};

use super::read::{EventMembers, JsonMember, role_of};
use crate::roles::{FieldRole, FieldRoles, RoleKind};
use crate::row::RowField;
use crate::shapes::{RowShapes, ShapeId};

/// A text of a shape, and the value behind it.
#[derive(Clone, Copy, Default)]
pub(super) struct JsonPart {
    /// True if the row ends with the text.
    is_end: bool,
    /// The offset in the text at which the wanted object or list ends whose beginning was passed last.
    closes: Option<u16>,
    member: Option<ShapeMember>,
}

/// The member of an event whose value begins in a text or behind it.
#[derive(Clone, Copy)]
struct ShapeMember {
    role: FieldRole,
    /// True if the projection may want it as a field.
    is_kept: bool,
    /// Range of the key, from the beginning of the text.
    key_start: u16,
    key_end: u16,
    /// The offset of the opening bracket in the text, if the value is an object or a list.
    bracket: Option<u16>,
}

/// A row of a known shape.
pub(super) struct KnownRow {
    pub(super) members: EventMembers,
    /// The start of the next row.
    pub(super) next: usize,
    pub(super) is_ascii: bool,
}

/// Follows the row that begins at `start` in padded bytes, and keeps the fields that may be wanted. Returns `None` if the parser has
/// to read it. The caller must check that a row is UTF-8 unless it is ASCII.
#[expect(clippy::inline_always, reason = "once for every row")]
#[inline(always)]
pub(super) fn follow(
    shapes: &RowShapes<JsonPart>,
    bytes: &[u8],
    start: usize,
    fields: &mut Vec<RowField<JsonMember>>,
) -> Option<KnownRow> {
    let mut members = EventMembers { event: None, name: None, time: None };
    let (mut id, mut at, mut is_ascii) = (ShapeId::ROOT, start, true);
    fields.clear();
    loop {
        let text = at;
        (id, at) = shapes.next(id, bytes, at)?;
        let part = shapes.part(id);
        if let Some(behind) = part.closes
            && let Some(field) = fields.last_mut()
        {
            field.raw.value.end = text + usize::from(behind);
        }
        if part.is_end {
            return Some(KnownRow { members, next: at, is_ascii });
        }
        let end = scalar_end(bytes, at, &mut is_ascii)?;
        if let Some(member) = &part.member {
            let value = ByteRange { start: member.bracket.map_or(at, |bracket| text + usize::from(bracket)), end };
            match member.role.kind {
                RoleKind::Event => members.event = Some(value),
                RoleKind::Name => members.name = Some(value),
                RoleKind::Time => members.time = Some(value),
                RoleKind::Field => {}
            }
            if member.is_kept {
                let range =
                    ByteRange { start: usize::from(member.key_start), end: usize::from(member.key_end) }.shifted(text);
                let raw = JsonMember { key: JsonString { range, has_escapes: false }, value };
                fields.push(RowField { key: member.role.key, raw, is_time: member.role.kind == RoleKind::Time });
            }
        }
        at = end;
    }
}

/// Returns the end of the string, number or word that begins here; `None` if the parser has to read it. The byte behind a number is
/// not looked at: the text that follows begins with one that may be there.
#[expect(clippy::inline_always, reason = "once for every value")]
#[inline(always)]
fn scalar_end(bytes: &[u8], at: usize, is_ascii: &mut bool) -> Option<usize> {
    match *bytes.get(at)? {
        b'"' => {
            let (mut end, mut is_plain) = string_end(bytes, at + 1);
            *is_ascii &= is_plain;
            while bytes[end] == b'\\'
                && matches!(bytes[end + 1], b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
            {
                (end, is_plain) = string_end(bytes, end + 2);
                *is_ascii &= is_plain;
            }
            (bytes[end] == b'"').then_some(end + 1)
        }
        b'-' | b'0'..=b'9' => {
            let start = at + usize::from(bytes[at] == b'-');
            let (_, end) = whole_number(bytes, start)?;
            if bytes[start] == b'0' && end > start + 1 {
                return None;
            }
            if bytes[end] == b'.' { whole_number(bytes, end + 1).map(|(_, end)| end) } else { Some(end) }
        }
        _ => {
            let word = load(bytes, at);
            let is =
                |text: &[u8; 8], length: usize| low_bytes(word, length) == low_bytes(u64::from_le_bytes(*text), length);
            if is(b"true    ", 4) || is(b"null    ", 4) { Some(at + 4) } else { is(b"false   ", 5).then_some(at + 5) }
        }
    }
}

/// Learns the shape of a row that was read, which ends before `row.end`.
#[cold]
pub(super) fn learn(shapes: &mut RowShapes<JsonPart>, roles: &FieldRoles, bytes: &[u8], row: ByteRange) {
    let mut walk = ShapeWalk { bytes, roles, parts: Vec::new(), text_start: row.start, pending: JsonPart::default() };
    if walk.row(row).is_some() {
        shapes.learn(walk.parts.iter().map(|(text, part)| (text.of(bytes), *part)));
    }
}

/// Divides a row into texts and values.
struct ShapeWalk<'a> {
    bytes: &'a [u8],
    roles: &'a FieldRoles,
    parts: Vec<(ByteRange, JsonPart)>,
    /// The start of the text that is not complete.
    text_start: usize,
    /// Facts about it and about the value behind it.
    pending: JsonPart,
}

/// Limits on what is learned of a row.
const MOST_PARTS: usize = 128;
const DEEPEST_SHAPE: u32 = 16;

/// Each function returns `None` if nothing can be learned from the row.
impl ShapeWalk<'_> {
    fn row(&mut self, row: ByteRange) -> Option<()> {
        if !row.of(self.bytes).ends_with(b"\n") {
            return None;
        }
        let mut scanner: Scanner<'_, true> = Scanner::again(self.bytes, row);
        scanner.open_object().ok()?;
        self.object(&mut scanner, 0)?;
        self.pending.is_end = true;
        self.end_text(row.end)
    }

    /// Ends the text here, in front of a value.
    fn end_text(&mut self, at: usize) -> Option<()> {
        self.parts.push((ByteRange { start: self.text_start, end: at }, std::mem::take(&mut self.pending)));
        (self.parts.len() <= MOST_PARTS).then_some(())
    }

    /// Returns an offset in the text.
    fn in_text(&self, at: usize) -> Option<u16> {
        u16::try_from(at - self.text_start).ok()
    }

    fn object(&mut self, scanner: &mut Scanner<'_, true>, depth: u32) -> Option<()> {
        let mut keys: Vec<&[u8]> = Vec::new();
        while let Some(key) = scanner.next_key(keys.is_empty()).ok()? {
            let text = key.range.of(self.bytes);
            if key.has_escapes || keys.contains(&text) {
                return None;
            }
            keys.push(text);
            scanner.skip_blanks();
            if depth == 0 { self.member(scanner, key)? } else { self.value(scanner, depth)? }
        }
        Some(())
    }

    /// Walks the value of a member of the event's object.
    fn member(&mut self, scanner: &mut Scanner<'_, true>, key: JsonString) -> Option<()> {
        let role = role_of(self.roles, self.bytes, key);
        let is_container = matches!(scanner.peek(), b'{' | b'[');
        if is_container && role.kind != RoleKind::Field {
            return None;
        }
        let is_kept = role.kind != RoleKind::Event && self.roles.keeps(role);
        if !is_kept && role.kind == RoleKind::Field {
            return self.value(scanner, 0);
        }
        self.pending.member = Some(ShapeMember {
            role,
            is_kept,
            key_start: self.in_text(key.range.start)?,
            key_end: self.in_text(key.range.end)?,
            bracket: if is_container { Some(self.in_text(scanner.at())?) } else { None },
        });
        self.value(scanner, 0)?;
        if is_container {
            if self.pending.member.is_some() {
                // It has no value inside that could be waited for.
                return None;
            }
            self.pending.closes = Some(self.in_text(scanner.at())?);
        }
        Some(())
    }

    fn value(&mut self, scanner: &mut Scanner<'_, true>, depth: u32) -> Option<()> {
        if depth > DEEPEST_SHAPE {
            return None;
        }
        if scanner.take(b'{') {
            return self.object(scanner, depth + 1);
        }
        if scanner.take(b'[') {
            let mut is_first = true;
            while scanner.next_item(is_first).ok()? {
                is_first = false;
                self.value(scanner, depth + 1)?;
            }
            return Some(());
        }
        self.end_text(scanner.at())?;
        scanner.skip_value().ok()?;
        self.text_start = scanner.at();
        Some(())
    }
}
