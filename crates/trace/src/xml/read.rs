// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one event element at a time, whole in the buffer, scanned once.
//!
//! A `<log>` contains `<event>`s, and these a name and `<field>`s. Names and values are ranges of the row; a value is made when a property
//! asks for it. Events that are written like earlier ones take a fast path that compares their markup with known
//! [shapes](crate::shapes) and looks only at the values.

use std::borrow::Cow;

use gnomon_core::event::{FieldSelection, Fields};
use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::{Value, is_out_of_range};
use gnomon_core::verdict::Origin;
use gnomon_scan::word::whole_number;
use gnomon_scan::xml::{Tag, Token, XmlText};
use gnomon_scan::{Buffer, ByteSource, Code, Cursor, Fault, TraceError, out_of_range};

use super::quick;
use crate::markup::{event_name, role_of, whole_time};
use crate::markup_shapes::{LiteralField, MarkupPart, follow};
use crate::reader::{FieldEntry, Reader, ReaderSetup};
use crate::roles::{FieldRoles, FormatKeys, RoleKind, add_key};
use crate::row::{FieldRow, RawField, keep_field};
use crate::shapes::RowShapes;
use crate::state::{ReaderState, no_time};
use crate::times::TimeParser;

/// Reads the XML of the competitions; see `xml/FORMAT.md`.
pub struct XmlReader<R> {
    row: FieldRow<R, XmlField>,
    state: ReaderState,
    roles: FieldRoles,
    document: XmlState,
    shapes: RowShapes<MarkupPart<()>>,
}

/// The name and the value of a `<field>`.
#[derive(Clone, Copy)]
pub(super) struct XmlField {
    pub(super) name: XmlText,
    pub(super) value: XmlText,
}

/// INVARIANT: the reader has decoded every text that is wanted once, so that decoding cannot fail here.
impl RawField for XmlField {
    fn name<R>(self, buffer: &Buffer<R>) -> Cow<'_, str> {
        self.name.decode(buffer.row()).unwrap_or_default()
    }

    fn value<R>(self, buffer: &Buffer<R>) -> Value<'_> {
        if let Some((number, end)) = whole_number(buffer.row(), self.value.range.start)
            && end == self.value.range.end
        {
            return Value::Number(Number::Int(number));
        }
        Value::from_cell(self.value.decode(buffer.row()).unwrap_or_default())
    }
}

/// The position of the reader relative to `<log>`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum XmlState {
    Before,
    Inside,
    After,
}

const EXPECTED_IN_EVENT: &str =
    "an event is `<event><name>…</name><field><name>…</name><value>…</value></field>…</event>`";

impl<R: ByteSource> XmlReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Self {
        let state = ReaderState::new(source, &mut setup);
        let roles = FieldRoles::new(&state, setup.time_field, FormatKeys::UNNAMED);
        XmlReader { row: FieldRow::new(buffer), state, roles, document: XmlState::Before, shapes: RowShapes::default() }
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        loop {
            let markup = &mut self.row.cursor;
            markup.skip_space()?;
            markup.start_row();
            if self.document == XmlState::Inside && self.shapes.is_ready() {
                if let Some((name, time)) = self.known_event() {
                    return self.end_event(name, time).map(Some);
                }
                self.shapes.miss();
            }
            let markup = &mut self.row.cursor;
            match (self.document, markup.element()?) {
                (XmlState::Inside, Token::Open(tag)) if tag.name.of(markup.row()) == b"event" => {
                    return self.read_event(tag).map(Some);
                }
                (_, Token::Comment) => {}
                (XmlState::Before, Token::Open(tag)) if tag.name.of(markup.row()) == b"log" => {
                    self.document = if tag.is_self_closing { XmlState::After } else { XmlState::Inside };
                }
                (XmlState::Inside, Token::Close(name)) if name.of(markup.row()) == b"log" => {
                    self.document = XmlState::After;
                }
                (XmlState::After, Token::End) => return Ok(None),
                (document, token) => return Err(self.unexpected(document, token)),
            }
        }
    }

    /// Reads the event that begins here if its shape is known: its name, and its time if it has one.
    #[inline]
    fn known_event(&mut self) -> Option<(XmlText, Option<XmlText>)> {
        let FieldRow { cursor: markup, fields } = &mut self.row;
        let bytes = &markup.buffer.padded()[markup.buffer.row_start()..];
        let known = follow::<b'<', _, _>(&self.shapes, bytes, fields, |LiteralField { key, value, .. }| XmlField {
            name: key,
            value,
        })?;
        let name = known.name?;
        self.shapes.hit();
        markup.advance_to(known.length, known.end(markup.location()));
        self.state.location = markup.location();
        Some((name, known.time))
    }

    /// Learns the shape of the event that was read.
    #[cold]
    fn learn_shape(&mut self) {
        let markup = &self.row.cursor;
        let bytes = &markup.buffer.padded()[markup.buffer.row_start()..];
        if let Some(shape) = quick::shape(&self.roles, bytes, markup.at) {
            shape.learn(&mut self.shapes, bytes, markup.at);
        }
    }

    #[cold]
    fn unexpected(&self, document: XmlState, token: Token) -> Fault {
        let markup = &self.row.cursor;
        match (document, token) {
            (XmlState::Inside, Token::Open(tag)) => {
                markup.misplaced(tag, "inside `<log>`", "a `<log>` consists of `<event>` elements")
            }
            (XmlState::Before, Token::Open(tag)) => {
                let fault = markup.misplaced(tag, "here", "the outermost element is `<log>`");
                if tag.name.of(markup.row()).eq_ignore_ascii_case(b"log") {
                    return fault.help("write `log`: names are case-sensitive");
                }
                fault
            }
            (XmlState::Before, Token::End) => Fault::new(Code::NotALog, markup.at, "there is no `<log>` in the input"),
            (XmlState::Inside, token) => markup.not_closed("log", token),
            (_, _) => Fault::new(Code::BadXml, 0, "there is more content after the outermost element"),
        }
    }

    #[inline]
    fn read_event(&mut self, tag: Tag) -> Result<Origin, Fault> {
        self.state.location = self.row.cursor.location();
        if tag.is_self_closing {
            return Err(Fault::no_name(0).help(EXPECTED_IN_EVENT));
        }
        if self.roles.is_open() {
            self.choose_time_field()?;
        }
        let (name, time) = self.parts()?;
        let origin = self.end_event(name, time)?;
        if self.shapes.is_learning() {
            self.learn_shape();
        }
        Ok(origin)
    }

    /// Completes the event with this name and this time.
    #[inline]
    fn end_event(&mut self, name: XmlText, time: Option<XmlText>) -> Result<Origin, Fault> {
        let event = event_name(&mut self.state.names, &self.row.cursor, name)?;
        let want = self.state.want(event);
        if *want != FieldSelection::Nothing {
            self.row.check_wanted(want, |field, row| {
                field.name.decode(row)?;
                let value = field.value.decode(row)?;
                if is_out_of_range(value.as_bytes()) {
                    return Err(out_of_range(value.as_bytes(), field.value.range.start));
                }
                Ok(())
            })?;
            self.row.drop_repeated(want);
        }
        let times = &mut self.state.times;
        let read = |value| read_time(times, &self.row.cursor, value);
        let time = self.roles.time(time, |value: XmlText| value.range.start, read)?;
        Ok(self.state.origin(event, time))
    }

    /// Chooses the time field from the keys of the first event, and returns to the beginning of that event.
    #[cold]
    fn choose_time_field(&mut self) -> Result<(), Fault> {
        let mut keys = Vec::new();
        let markup = &mut self.row.cursor;
        while let Some(part) = next_part(markup)? {
            if let EventPart::Field(XmlField { name, .. }) = part {
                add_key(&mut keys, name.decode(markup.row())?.into_owned(), name.range.start)?;
            }
        }
        self.roles.choose_time_field(&keys, &mut self.state)?;
        markup.at = 0;
        markup.token().map(drop)
    }

    /// Reads the event whose tag was read: its name, and its time if it has one.
    #[inline]
    fn parts(&mut self) -> Result<(XmlText, Option<XmlText>), Fault> {
        let FieldRow { cursor: markup, fields } = &mut self.row;
        fields.clear();
        let (mut event_name, mut time) = (None, None);
        while let Some(part) = next_part(markup)? {
            match part {
                EventPart::Name(name) => {
                    if event_name.replace(name).is_some() {
                        return Err(Fault::new(Code::NotALog, name.range.start, "the event has two names"));
                    }
                }
                EventPart::Field(field) => {
                    let role = role_of(&self.roles, markup, field.name)?;
                    if role.kind == RoleKind::Time {
                        time = Some(field.value);
                    }
                    keep_field(fields, &self.roles, role, field, field.name.range.start)?;
                }
            }
        }
        Ok((event_name.ok_or_else(|| Fault::no_name(0).help(EXPECTED_IN_EVENT))?, time))
    }
}

/// A child of an `<event>`.
pub(super) enum EventPart {
    Name(XmlText),
    Field(XmlField),
}

/// Returns the next part of the event whose tag was read; `None` after its closing tag.
#[inline]
fn next_part<R: ByteSource>(markup: &mut Cursor<R>) -> Result<Option<EventPart>, Fault> {
    loop {
        let row = &markup.buffer.padded()[markup.buffer.row_start()..];
        if let Some((part, next)) = quick::next_part(row, markup.at) {
            markup.at = next;
            return Ok(part);
        }
        match markup.element()? {
            Token::Open(tag) if tag.name.of(markup.row()) == b"name" => {
                return markup.content(tag, "name").map(|name| Some(EventPart::Name(name)));
            }
            Token::Open(tag) if tag.name.of(markup.row()) == b"field" => {
                let start = tag.name.start - 1;
                let (name, value) = field(markup, tag)?;
                let name = name.ok_or_else(|| {
                    Fault::new(Code::NotALog, start, "this field has no name").help(EXPECTED_IN_EVENT)
                })?;
                // A field without a value is absent.
                if let Some(value) = value {
                    return Ok(Some(EventPart::Field(XmlField { name, value })));
                }
            }
            Token::Close(name) if name.of(markup.row()) == b"event" => return Ok(None),
            Token::Comment => {}
            Token::Open(tag) => return Err(markup.misplaced(tag, "inside `<event>`", EXPECTED_IN_EVENT)),
            token => return Err(markup.not_closed("event", token)),
        }
    }
}

/// Reads the name and the value of the field whose tag was read.
#[inline]
fn field<R: ByteSource>(markup: &mut Cursor<R>, tag: Tag) -> Result<(Option<XmlText>, Option<XmlText>), Fault> {
    let (mut name, mut value) = (None, None);
    if tag.is_self_closing {
        return Ok((name, value));
    }
    loop {
        let (part, tag, text) = match markup.element()? {
            Token::Open(tag) if tag.name.of(markup.row()) == b"name" => (&mut name, tag, "name"),
            Token::Open(tag) if tag.name.of(markup.row()) == b"value" => (&mut value, tag, "value"),
            Token::Close(name) if name.of(markup.row()) == b"field" => break,
            Token::Comment => continue,
            Token::Open(tag) => return Err(markup.misplaced(tag, "inside `<field>`", EXPECTED_IN_EVENT)),
            token => return Err(markup.not_closed("field", token)),
        };
        if part.is_some() {
            let message = format!("the field has a second `<{text}>`");
            return Err(Fault::new(Code::NotALog, tag.name.start - 1, message));
        }
        *part = Some(markup.content(tag, text)?);
    }
    Ok((name, value))
}

#[inline]
fn read_time<R>(times: &mut TimeParser, markup: &Cursor<R>, value: XmlText) -> Result<Timestamp, Fault> {
    if let Some(time) = whole_time(times, markup, value) {
        return Ok(time);
    }
    let text = value.decode(markup.row())?;
    if text.is_empty() {
        return Err(no_time(value.range.start));
    }
    times.parse(text.as_bytes(), value.range.start)
}

impl<R: ByteSource> Reader for XmlReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.row.cursor.error(&self.state.source, fault))
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        self.row.wanted(self.state.has_fields)
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn raw(&self) -> Option<(u64, &[u8])> {
        Some(self.row.cursor.raw())
    }

    fn bytes_read(&self) -> u64 {
        self.row.cursor.buffer.bytes_read()
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        if self.state.has_fields { self.row.entries() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
