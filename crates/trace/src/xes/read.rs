// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one event element at a time, whole in the buffer, scanned once.
//!
//! `<log>` contains `<trace>`s, which are cases, and these contain `<event>`s; [`XesState`] is the position among them. The attributes of
//! a case are fields of each of its events, with the prefix `case:`, so they are kept while the case lasts. Events that are written like
//! earlier ones take a fast path that compares their markup with known [shapes](crate::shapes) and looks only at the values.

use gnomon_core::event::{FieldSelection, Fields, NoFields};
use gnomon_core::symbols::Key;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_scan::xml::{Tag, Token, XmlText};
use gnomon_scan::{Buffer, ByteRange, ByteSource, Code, Cursor, Fault, TraceError};

use super::attribute::{self, AttributeType, XesAttribute};
use super::case::XesCase;
use crate::markup::{event_name, role_of, whole_time};
use crate::markup_shapes::{LiteralField, MarkupPart, follow};
use crate::reader::{FieldEntry, Reader, ReaderSetup};
use crate::roles::{FieldRoles, FormatKeys, RoleKind, add_key};
use crate::row::{FieldRow, keep_field};
use crate::shapes::RowShapes;
use crate::state::ReaderState;
use crate::times::TimeParser;

/// Reads XES; see `xes/FORMAT.md`.
pub struct XesReader<R> {
    event: XesEvent<R>,
    state: ReaderState,
    roles: FieldRoles,
    document: XesState,
    shapes: RowShapes<MarkupPart<AttributeType>>,
}

/// The current event: its own attributes and those of its case.
struct XesEvent<R> {
    /// The event's own attributes that may be wanted, without the name.
    row: FieldRow<R, XesAttribute>,
    case: XesCase,
}

/// The position of the reader in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum XesState {
    BeforeLog,
    InLog,
    InTrace,
    AfterLog,
}

const IN_EVENT: &str =
    "an event consists of attributes: `string`, `date`, `int`, `float`, `boolean`, `id`, `list`, `container`";

impl<R: ByteSource> XesReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Self {
        let state = ReaderState::new(source, &mut setup);
        let roles = FieldRoles::new(&state, setup.time_field, FormatKeys::XES);
        let event = XesEvent { row: FieldRow::new(buffer), case: XesCase::default() };
        XesReader { event, state, roles, document: XesState::BeforeLog, shapes: RowShapes::default() }
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        loop {
            let markup = &mut self.event.row.cursor;
            markup.skip_space()?;
            markup.start_row();
            if matches!(self.document, XesState::InTrace | XesState::InLog) && self.shapes.is_ready() {
                if let Some((name, time)) = self.known_event() {
                    if let Some(origin) = self.end_event(name, time)? {
                        return Ok(Some(origin));
                    }
                    continue;
                }
                self.shapes.miss();
            }
            let markup = &mut self.event.row.cursor;
            match (self.document, markup.element()?) {
                (XesState::InTrace | XesState::InLog, Token::Open(tag)) if tag.name.of(markup.row()) == b"event" => {
                    if let Some(origin) = self.read_event(tag)? {
                        return Ok(Some(origin));
                    }
                }
                (XesState::AfterLog, Token::End) => return Ok(None),
                (document, token) => self.document = self.read_other(document, token)?,
            }
        }
    }

    /// Handles a token outside of events; returns the position after it.
    #[inline(never)]
    fn read_other(&mut self, document: XesState, token: Token) -> Result<XesState, Fault> {
        let XesEvent { row: FieldRow { cursor: markup, .. }, case } = &mut self.event;
        match (document, token) {
            (_, Token::Comment) => Ok(document),
            (XesState::BeforeLog, Token::Open(tag)) if tag.name.of(markup.row()) == b"log" => {
                Ok(if tag.is_self_closing { XesState::AfterLog } else { XesState::InLog })
            }
            (XesState::InLog, Token::Open(tag)) if tag.name.of(markup.row()) == b"trace" => {
                case.enter();
                if tag.is_self_closing {
                    case.leave(&mut self.state.empty_cases);
                }
                Ok(if tag.is_self_closing { XesState::InLog } else { XesState::InTrace })
            }
            // Extensions, globals, classifiers and attributes of the whole log do not concern single events.
            (XesState::InLog, Token::Open(tag)) => markup.pass(tag).map(|()| XesState::InLog),
            (XesState::InLog, Token::Close(name)) if name.of(markup.row()) == b"log" => Ok(XesState::AfterLog),
            (XesState::InTrace, Token::Close(name)) if name.of(markup.row()) == b"trace" => {
                case.leave(&mut self.state.empty_cases);
                Ok(XesState::InLog)
            }
            (XesState::InTrace, Token::Open(tag)) => {
                let Some(kind) = AttributeType::of(tag.name.of(markup.row())) else {
                    return Err(markup.misplaced(tag, "inside `<trace>`", "a trace has attributes and `<event>`s"));
                };
                let attribute = attribute::read(markup, tag, kind)?;
                case.add(markup.row(), attribute, self.state.symbols(), &self.state.projection)?;
                Ok(XesState::InTrace)
            }
            (XesState::BeforeLog, Token::Open(tag)) => {
                Err(markup.misplaced(tag, "here", "the outermost element is `<log>`"))
            }
            (XesState::BeforeLog, Token::End) => {
                Err(Fault::new(Code::NotALog, markup.at, "there is no `<log>` in the input"))
            }
            (XesState::InLog, token) => Err(markup.not_closed("log", token)),
            (XesState::InTrace, token) => Err(markup.not_closed("trace", token)),
            (_, _) => Err(Fault::new(Code::BadXml, 0, "there is more content after the outermost element")),
        }
    }

    /// Reads the event that begins here if its shape is known: its name and its time, if it has them.
    #[inline]
    fn known_event(&mut self) -> Option<(Option<XmlText>, Option<XmlText>)> {
        let FieldRow { cursor: markup, fields } = &mut self.event.row;
        let bytes = &markup.buffer.padded()[markup.buffer.row_start()..];
        let known = follow::<b'"', _, _>(&self.shapes, bytes, fields, |field| {
            let LiteralField { kind, key, value, element_start } = field;
            // Behind the value are the quote, the slash and the bracket.
            XesAttribute { kind, key, value, element: ByteRange { start: element_start, end: value.range.end + 3 } }
        })?;
        self.shapes.hit();
        markup.advance_to(known.length, known.end(markup.location()));
        self.state.location = markup.location();
        self.event.case.has_events = true;
        Some((known.name, known.time))
    }

    /// Learns the shape of the event that was read.
    #[cold]
    fn learn_shape(&mut self) {
        let markup = &self.event.row.cursor;
        let bytes = &markup.buffer.padded()[markup.buffer.row_start()..];
        if let Some(shape) = attribute::shape(&self.roles, bytes, markup.at) {
            shape.learn(&mut self.shapes, bytes, markup.at);
        }
    }

    /// Reads the event whose tag was read. Returns `None` if it has no name, or no time as the others have: it is skipped and
    /// counted.
    #[inline]
    fn read_event(&mut self, tag: Tag) -> Result<Option<Origin>, Fault> {
        self.state.location = self.event.row.cursor.location();
        self.event.case.has_events = true;
        if tag.is_self_closing {
            self.state.skipped.unnamed += 1;
            return Ok(None);
        }
        if self.roles.is_open() {
            self.choose_time_field()?;
        }
        let (name, time) = self.attributes()?;
        let origin = self.end_event(name, time)?;
        if origin.is_some() && self.shapes.is_learning() {
            self.learn_shape();
        }
        Ok(origin)
    }

    /// Completes the event with this name and this time.
    #[inline]
    fn end_event(&mut self, name: Option<XmlText>, time: Option<XmlText>) -> Result<Option<Origin>, Fault> {
        let Some(name) = name else {
            self.state.skipped.unnamed += 1;
            return Ok(None);
        };
        if time.is_none() && self.roles.time_field().is_some() {
            self.state.skipped.untimed += 1;
            return Ok(None);
        }
        self.event.case.is_empty = false;
        let row = &mut self.event.row;
        let event = event_name(&mut self.state.names, &row.cursor, name)?;
        let want = self.state.want(event);
        if *want != FieldSelection::Nothing {
            row.check_wanted(want, |attribute, row| {
                attribute.key.decode(row)?;
                attribute.decode(row).map(drop)
            })?;
            row.drop_repeated(want);
        }
        let times = &mut self.state.times;
        let read = |value| read_time(times, &row.cursor, value);
        let time = self.roles.time(time, |value: XmlText| value.range.start, read)?;
        Ok(Some(self.state.origin(event, time)))
    }

    /// Chooses the time field from the keys of the first event that has a name, and returns to the beginning of that event.
    #[cold]
    fn choose_time_field(&mut self) -> Result<(), Fault> {
        let mut keys = Vec::new();
        let markup = &mut self.event.row.cursor;
        while let Some(attribute) = next_attribute(markup)? {
            let key = attribute.key.decode(markup.row())?.into_owned();
            add_key(&mut keys, key, attribute.element.start)?;
        }
        if keys.iter().any(|key| key == "concept:name") {
            self.roles.choose_time_field(&keys, &mut self.state)?;
        }
        markup.at = 0;
        markup.token().map(drop)
    }

    /// Reads the attributes of the event whose tag was read. Returns its name and its time, if it has them.
    #[inline]
    fn attributes(&mut self) -> Result<(Option<XmlText>, Option<XmlText>), Fault> {
        let FieldRow { cursor: markup, fields } = &mut self.event.row;
        fields.clear();
        let (mut name, mut time) = (None, None);
        while let Some(attribute) = next_attribute(markup)? {
            let role = role_of(&self.roles, markup, attribute.key)?;
            match role.kind {
                RoleKind::Event | RoleKind::Name => {
                    name = Some(attribute.value);
                    continue;
                }
                RoleKind::Time => time = Some(attribute.value),
                RoleKind::Field => {}
            }
            keep_field(fields, &self.roles, role, attribute, attribute.element.start)?;
        }
        Ok((name, time))
    }
}

/// Returns the next attribute of the event; `None` after its closing tag.
#[inline]
fn next_attribute<R: ByteSource>(markup: &mut Cursor<R>) -> Result<Option<XesAttribute>, Fault> {
    loop {
        let row = &markup.buffer.padded()[markup.buffer.row_start()..];
        if let Some((attribute, next)) = attribute::read_quickly(row, markup.at) {
            markup.at = next;
            return Ok(attribute);
        }
        match markup.element()? {
            Token::Open(tag) => {
                let Some(kind) = AttributeType::of(tag.name.of(markup.row())) else {
                    return Err(markup.misplaced(tag, "inside `<event>`", IN_EVENT));
                };
                return attribute::read(markup, tag, kind).map(Some);
            }
            Token::Close(name) if name.of(markup.row()) == b"event" => return Ok(None),
            Token::Comment => {}
            token => return Err(markup.not_closed("event", token)),
        }
    }
}

#[inline]
fn read_time<R>(times: &mut TimeParser, markup: &Cursor<R>, value: XmlText) -> Result<Timestamp, Fault> {
    if let Some(time) = whole_time(times, markup, value) {
        return Ok(time);
    }
    if value.is_literal() {
        return times.parse(value.range.of(markup.row()), value.range.start);
    }
    times.parse(value.decode(markup.row())?.trim_ascii().as_bytes(), value.range.start)
}

impl<R> Fields for XesEvent<R> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.row.get(key).or_else(|| self.case.fields.get(key))
    }

    fn parameter_count(&self) -> usize {
        self.row.parameter_count()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.row.parameter(index)
    }
}

impl<R: ByteSource> Reader for XesReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        let origin = self.read().map_err(|fault| self.event.row.cursor.error(&self.state.source, fault))?;
        if origin.is_none() {
            self.state.check_end()?;
        }
        Ok(origin)
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.state.has_fields { &self.event } else { &NoFields }
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn raw(&self) -> Option<(u64, &[u8])> {
        Some(self.event.row.cursor.raw())
    }

    fn bytes_read(&self) -> u64 {
        self.event.row.cursor.buffer.bytes_read()
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        if !self.state.has_fields {
            return Vec::new();
        }
        self.event.row.entries().into_iter().chain(self.event.case.fields.entries()).collect()
    }

    fn case(&self) -> Option<&str> {
        self.event.case.name.as_deref()
    }

    #[inline]
    fn case_number(&self) -> u64 {
        self.event.case.change_count
    }
}

#[cfg(test)]
mod tests;
