// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one element at a time, whole in the buffer, scanned once.

use std::io::Read;

use gnomon_core::event::{Fields, NoFields, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::Origin;

use super::element::{Element, Field};
use super::quick;
use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context, late_time, no_name, no_time};
use crate::cursor::Cursor;
use crate::error::{Code, Fault, TraceError};
use crate::fields::{MOST_FIELDS, last_wins, too_many_fields};
use crate::markup::{Content, Tag, Token, content_text};
use crate::names::Names;
use crate::reader::{Entry, Place, Reader, Setup};
use crate::roles::{Keys, Kind, Role, Roles};
use crate::scan::whole_number;
use crate::times::Times;

/// Reads the XML of the competitions; see `xml/FORMAT.md`.
pub struct XmlReader<R> {
    element: Element<R>,
    context: Context,
    roles: Roles,
    state: State,
    /// The index of the next event.
    index: u64,
    /// Where the present event begins.
    place: Place,
    /// Whether the present event has fields that were asked for.
    has_fields: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before `<log>`.
    Before,
    Inside,
    /// Behind `</log>`.
    After,
}

/// What the parts of an event are.
struct Parts {
    name: Content,
    time: Option<Content>,
}

const EXPECTED_IN_EVENT: &str =
    "an event is `<event><name>…</name><field><name>…</name><value>…</value></field>…</event>`";

impl<R: Read> XmlReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, time_field, clock, .. } = setup;
        let roles = Roles::new(&symbols, &projection, time_field, Keys::UNNAMED);
        XmlReader {
            element: Element { markup: Cursor::new(buffer), fields: Vec::new() },
            context: Context::new(source, symbols, projection, clock),
            roles,
            state: State::Before,
            index: 0,
            place: Place::START,
            has_fields: false,
        }
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        loop {
            let markup = &mut self.element.markup;
            markup.skip_space()?;
            markup.turn();
            match (self.state, markup.element()?) {
                (State::Inside, Token::Open(tag)) if tag.name.of(markup.row()) == b"event" => {
                    return self.read_event(tag).map(Some);
                }
                (_, Token::Aside) => {}
                (State::Before, Token::Open(tag)) if tag.name.of(markup.row()) == b"log" => {
                    self.state = if tag.empty { State::After } else { State::Inside };
                }
                (State::Inside, Token::Close(name)) if name.of(markup.row()) == b"log" => self.state = State::After,
                (State::After, Token::End) => return Ok(None),
                (state, token) => return Err(self.unexpected(state, token)),
            }
        }
    }

    #[cold]
    fn unexpected(&self, state: State, token: Token) -> Fault {
        let markup = &self.element.markup;
        match (state, token) {
            (State::Inside, Token::Open(tag)) => {
                markup.misplaced(tag, "inside `<log>`", "a `<log>` consists of `<event>` elements")
            }
            (State::Before, Token::Open(tag)) => {
                let fault = markup.misplaced(tag, "here", "the outermost element is `<log>`");
                if tag.name.of(markup.row()).eq_ignore_ascii_case(b"log") {
                    return fault.help("write `log`: names are told apart by case");
                }
                fault
            }
            (State::Before, Token::End) => Fault::new(Code::NotALog, markup.at, "there is no `<log>` in the input"),
            (State::Inside, token) => markup.not_closed("log", token),
            (_, _) => Fault::new(Code::BadXml, 0, "more follows the outermost element"),
        }
    }

    #[inline]
    fn read_event(&mut self, tag: Tag) -> Result<Origin, Fault> {
        self.place = self.element.markup.place();
        if tag.empty {
            return Err(no_name(0).help(EXPECTED_IN_EVENT));
        }
        if self.roles.is_open() {
            self.settle()?;
        }
        let parts = self.parts()?;
        let (event, time) = self.settle_event(&parts)?;
        let event_index = self.index;
        self.index += 1;
        let time = time.unwrap_or_else(|| self.context.times.whole(event_index as i64));
        Ok(Origin { event_index, time, event })
    }

    /// Learns from the first event where the time is, and goes back to its beginning.
    #[cold]
    fn settle(&mut self) -> Result<(), Fault> {
        let mut keys = Vec::new();
        let Element { markup, .. } = &mut self.element;
        walk(markup, &mut |markup: &Cursor<R>, part| {
            if let Part::Field(name, _) = part {
                if keys.len() >= MOST_FIELDS {
                    return Err(too_many_fields(name.inside.start));
                }
                keys.push(content_text(markup.row(), name)?.into_owned());
            }
            Ok(())
        })?;
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        self.roles.settle(&keys)?;
        if self.roles.time_field().is_none() {
            self.context.times.count_positions();
        }
        markup.at = 0;
        markup.token()?;
        Ok(())
    }

    /// Reads the event whose tag was read.
    #[inline]
    fn parts(&mut self) -> Result<Parts, Fault> {
        let Element { markup, fields } = &mut self.element;
        fields.clear();
        let (keep_some, keep_all) = (self.roles.wants_fields(), self.roles.wants_all());
        let roles = &self.roles;
        let mut event_name = None;
        let mut time = None;
        walk(markup, &mut |markup: &Cursor<R>, part| {
            match part {
                Part::Name(name) => {
                    if event_name.replace(name).is_some() {
                        let message = "the event has two names";
                        return Err(Fault::new(Code::NotALog, name.inside.start, message));
                    }
                }
                Part::Field(name, value) => {
                    let Role { kind, key } = role(roles, markup, name)?;
                    let is_time = kind == Kind::Time;
                    if is_time {
                        time = Some(value);
                    }
                    if keep_all || (keep_some && key != Key::OTHER) {
                        if fields.len() >= MOST_FIELDS {
                            return Err(too_many_fields(name.inside.start));
                        }
                        fields.push(Field { key, name, value, is_time });
                    }
                }
            }
            Ok(())
        })?;
        let name = event_name.ok_or_else(|| no_name(0).help(EXPECTED_IN_EVENT))?;
        Ok(Parts { name, time })
    }

    /// The name and the time of the event.
    #[inline]
    fn settle_event(&mut self, parts: &Parts) -> Result<(Name, Option<Timestamp>), Fault> {
        let Element { markup, fields } = &mut self.element;
        let Context { names, projection, times, .. } = &mut self.context;
        let event = event_name(names, markup, parts.name)?;
        let want = projection.want(event);
        self.has_fields = *want != Want::Nothing;
        if self.has_fields {
            check_fields(markup.row(), fields, want)?;
        }
        let time = match (parts.time, self.roles.time_field()) {
            (Some(value), Some(_)) => Some(read_time(times, markup, value)?),
            (None, Some(_)) => return Err(no_time(0)),
            (Some(value), None) => return Err(late_time(value.inside.start)),
            (None, None) => None,
        };
        Ok((event, time))
    }
}

/// A part of an event.
pub(super) enum Part {
    Name(Content),
    Field(Content, Content),
}

/// Goes over the parts of the event whose tag was read, up to and with its closing tag.
#[inline]
fn walk<R: Read>(
    markup: &mut Cursor<R>,
    each: &mut impl FnMut(&Cursor<R>, Part) -> Result<(), Fault>,
) -> Result<(), Fault> {
    loop {
        let row = &markup.buffer.padded()[markup.buffer.row_start()..];
        match quick::next(row, markup.at) {
            Some((quick::Next::Part(part), next)) => {
                markup.at = next;
                each(markup, part)?;
                continue;
            }
            Some((quick::Next::End, next)) => {
                markup.at = next;
                return Ok(());
            }
            None => {}
        }
        let part = match markup.element()? {
            Token::Open(tag) if tag.name.of(markup.row()) == b"name" => Part::Name(markup.content(tag, "name")?),
            Token::Open(tag) if tag.name.of(markup.row()) == b"field" => {
                let start = tag.name.start - 1;
                let (name, value) = field(markup, tag)?;
                let name = name.ok_or_else(|| {
                    Fault::new(Code::NotALog, start, "this field has no name").help(EXPECTED_IN_EVENT)
                })?;
                // A field without a value says no more than one that is absent.
                match value {
                    Some(value) => Part::Field(name, value),
                    None => continue,
                }
            }
            Token::Close(name) if name.of(markup.row()) == b"event" => return Ok(()),
            Token::Aside => continue,
            Token::Open(tag) => return Err(markup.misplaced(tag, "inside `<event>`", EXPECTED_IN_EVENT)),
            token => return Err(markup.not_closed("event", token)),
        };
        each(markup, part)?;
    }
}

/// The name and the value of the field whose tag was read.
#[inline]
fn field<R: Read>(markup: &mut Cursor<R>, tag: Tag) -> Result<(Option<Content>, Option<Content>), Fault> {
    let (mut name, mut value) = (None, None);
    if tag.empty {
        return Ok((name, value));
    }
    loop {
        let (part, tag, text) = match markup.element()? {
            Token::Open(tag) if tag.name.of(markup.row()) == b"name" => (&mut name, tag, "name"),
            Token::Open(tag) if tag.name.of(markup.row()) == b"value" => (&mut value, tag, "value"),
            Token::Close(name) if name.of(markup.row()) == b"field" => break,
            Token::Aside => continue,
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
fn role<R>(roles: &Roles, markup: &Cursor<R>, name: Content) -> Result<Role, Fault> {
    if name.plain {
        let start = markup.buffer.row_start() + name.inside.start;
        return Ok(roles.find(markup.buffer.padded(), start, name.inside.len()));
    }
    Ok(roles.find_text(&content_text(markup.row(), name)?))
}

#[inline]
fn event_name<R>(names: &mut Names, markup: &Cursor<R>, name: Content) -> Result<Name, Fault> {
    if name.plain {
        let start = markup.buffer.row_start() + name.inside.start;
        if let Some(id) = names.raw().find(markup.buffer.padded(), start, name.inside.len()) {
            return Ok(Name(id));
        }
    }
    learn_name(names, markup.row(), name)
}

#[cold]
fn learn_name(names: &mut Names, row: &[u8], name: Content) -> Result<Name, Fault> {
    let text = content_text(row, name)?;
    if text.is_empty() {
        return Err(no_name(name.inside.start));
    }
    Ok(names.intern(&text, name.plain.then(|| name.inside.of(row))))
}

#[inline]
fn read_time<R>(times: &mut Times, markup: &Cursor<R>, value: Content) -> Result<Timestamp, Fault> {
    let stretch = value.inside.shifted(markup.buffer.row_start());
    if times.kind() == Some(TimeKind::Number)
        && let Some((number, end)) = whole_number(markup.buffer.padded(), stretch.start)
        && end == stretch.end
    {
        return Ok(times.whole(number));
    }
    let text = content_text(markup.row(), value)?;
    if text.is_empty() {
        return Err(no_time(value.inside.start));
    }
    times.parse(text.as_bytes(), value.inside.start)
}

/// The fields that somebody will look at must be text.
#[inline(never)]
fn check_fields(row: &[u8], fields: &mut Vec<Field>, want: &Want) -> Result<(), Fault> {
    match want {
        Want::Nothing => {}
        Want::Fields(keys) => {
            let wanted = fields.iter().filter(|field| keys.contains(&field.key));
            wanted.map(|field| field.value).try_for_each(|value| content_text(row, value).map(|_| ()))?;
        }
        Want::All => {
            for field in fields.iter() {
                content_text(row, field.name)?;
                content_text(row, field.value)?;
            }
            last_wins(fields, |field| content_text(row, field.name).unwrap_or_default());
        }
    }
    Ok(())
}

impl<R: Read> Reader for XmlReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        self.read().map_err(|fault| self.element.markup.error(&self.context.source, fault))
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        if self.has_fields { &self.element } else { &NoFields }
    }

    answer_from_context!();

    fn bytes_read(&self) -> u64 {
        self.element.markup.buffer.bytes_read()
    }

    #[inline]
    fn place(&self) -> Place {
        self.place
    }

    fn time_field(&self) -> Option<&str> {
        self.roles.time_field()
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        if self.has_fields { self.element.entries() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
