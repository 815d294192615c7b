// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fast path for a part of an event that is written as nearly all are: no attributes, no comments, no CDATA, all of it in the
//! buffer. Compares eight bytes at a time and changes no state; everything else is left to the tokeniser.

use gnomon_scan::ByteRange;
use gnomon_scan::word::{skip_space, text_end};
use gnomon_scan::xml::{TextForm, XmlText};

use super::read::{EventPart, XmlField};
use crate::markup::ShortTag;
use crate::markup_shapes::{LiteralField, MarkupShape};
use crate::roles::FieldRoles;

const NAME: ShortTag = ShortTag::new(b"<name>");
const NAME_END: ShortTag = ShortTag::new(b"</name>");
const FIELD: ShortTag = ShortTag::new(b"<field>");
const FIELD_END: ShortTag = ShortTag::new(b"</field>");
const VALUE: ShortTag = ShortTag::new(b"<value>");
const VALUE_END: ShortTag = ShortTag::new(b"</value>");
const EVENT_END: ShortTag = ShortTag::new(b"</event>");

/// Parses the part of an event that begins at this offset of a padded row: the part, `None` for `</event>`, and the offset
/// behind it. Returns `None` if the part is not written in the usual way.
#[inline]
pub(super) fn next_part(bytes: &[u8], at: usize) -> Option<(Option<EventPart>, usize)> {
    let at = skip_space(bytes, at);
    if let Some(at) = FIELD.after(bytes, at) {
        let at = NAME.after(bytes, skip_space(bytes, at))?;
        let (name, at) = text(bytes, at)?;
        let at = NAME_END.after(bytes, at)?;
        let at = VALUE.after(bytes, skip_space(bytes, at))?;
        let (value, at) = text(bytes, at)?;
        let at = VALUE_END.after(bytes, at)?;
        let at = FIELD_END.after(bytes, skip_space(bytes, at))?;
        return Some((Some(EventPart::Field(XmlField { name, value })), at));
    }
    if let Some(at) = NAME.after(bytes, at) {
        let (name, at) = text(bytes, at)?;
        return Some((Some(EventPart::Name(name)), NAME_END.after(bytes, at)?));
    }
    EVENT_END.after(bytes, at).map(|at| (None, at))
}

/// Returns the shape of the event that ends at `end` in these padded bytes, if all its parts are written in the usual way.
pub(super) fn shape(roles: &FieldRoles, bytes: &[u8], end: usize) -> Option<MarkupShape<()>> {
    const EVENT: &[u8] = b"<event>";
    let (mut shape, mut at) = (MarkupShape::default(), EVENT.len());
    bytes.starts_with(EVENT).then_some(())?;
    while let (Some(part), next) = next_part(bytes, at)? {
        match part {
            EventPart::Name(name) => shape.name((), name),
            EventPart::Field(XmlField { name, value }) => {
                shape.field(
                    roles,
                    bytes,
                    LiteralField { kind: (), key: name, value, element_start: name.range.start },
                )?;
            }
        }
        at = next;
    }
    let (_, behind) = next_part(bytes, at)?;
    (behind == end).then_some(shape)
}

/// Returns the text that begins here and the offset of the `<` behind it, if it is literal and has no blanks at its ends.
#[inline]
fn text(bytes: &[u8], start: usize) -> Option<(XmlText, usize)> {
    let end = text_end(bytes, start, b'<');
    let is_trimmed = end == start || (bytes[start] != b' ' && bytes[end - 1] != b' ');
    let text = XmlText { range: ByteRange { start, end }, form: TextForm::Literal };
    (bytes[end] == b'<' && is_trimmed).then_some((text, end))
}
