// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one event element at a time, whole in the buffer, scanned once.

use std::io::Read;

use gnomon_core::event::{Fields, NoFields, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::Origin;

use super::attribute::{self, Attribute, Type};
use super::case::Case;
use super::element::{Element, Field};
use super::quick;
use crate::buffer::Buffer;
use crate::context::{Context, answer_from_context, late_time, no_name, no_time};
use crate::cursor::Cursor;
use crate::error::{Code, Fault, TraceError};
use crate::fields::{MOST_FIELDS, last_wins, too_many_fields};
use crate::markup::{Content, Tag, Token, attribute_text};
use crate::names::Names;
use crate::reader::{Entry, Place, Reader, Setup};
use crate::roles::{Keys, Kind, Roles};
use crate::scan::whole_number;
use crate::times::Times;

/// Reads XES; see `xes/FORMAT.md`.
pub struct XesReader<R> {
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
    Log,
    Trace,
    /// Behind `</log>`.
    After,
}

const IN_EVENT: &str =
    "an event consists of attributes: `string`, `date`, `int`, `float`, `boolean`, `id`, `list`, `container`";
const NAME: &str = "give it one: `<string key=\"concept:name\" value=\"logon\"/>`";

impl<R: Read> XesReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, setup: Setup) -> Self {
        let Setup { symbols, projection, time_field, clock, .. } = setup;
        let roles = Roles::new(&symbols, &projection, time_field, Keys::XES);
        XesReader {
            element: Element { markup: Cursor::new(buffer), fields: Vec::new(), case: Case::default() },
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
                (State::Trace | State::Log, Token::Open(tag)) if tag.name.of(markup.row()) == b"event" => {
                    return self.read_event(tag).map(Some);
                }
                (State::After, Token::End) => return Ok(None),
                (state, token) => self.state = self.other(state, token)?,
            }
        }
    }

    /// What surrounds the events.
    #[inline(never)]
    fn other(&mut self, state: State, token: Token) -> Result<State, Fault> {
        let Element { markup, case, .. } = &mut self.element;
        match (state, token) {
            (_, Token::Aside) => Ok(state),
            (State::Before, Token::Open(tag)) if tag.name.of(markup.row()) == b"log" => {
                Ok(if tag.empty { State::After } else { State::Log })
            }
            (State::Log, Token::Open(tag)) if tag.name.of(markup.row()) == b"trace" => {
                case.next();
                if tag.empty {
                    case.leave();
                }
                Ok(if tag.empty { State::Log } else { State::Trace })
            }
            // Extensions, globals, classifiers and attributes of the whole log tell nothing of any event.
            (State::Log, Token::Open(tag)) => markup.pass(tag).map(|()| State::Log),
            (State::Log, Token::Close(name)) if name.of(markup.row()) == b"log" => Ok(State::After),
            (State::Trace, Token::Close(name)) if name.of(markup.row()) == b"trace" => {
                case.leave();
                Ok(State::Log)
            }
            (State::Trace, Token::Open(tag)) => {
                let Some(kind) = Type::of(tag.name.of(markup.row())) else {
                    return Err(markup.misplaced(tag, "inside `<trace>`", "a trace has attributes and `<event>`s"));
                };
                let attribute = attribute::read(markup, tag, kind)?;
                case.add(markup.row(), attribute, self.context.names.symbols(), &self.context.projection)?;
                Ok(State::Trace)
            }
            (State::Before, Token::Open(tag)) => Err(markup.misplaced(tag, "here", "the outermost element is `<log>`")),
            (State::Before, Token::End) => {
                Err(Fault::new(Code::NotALog, markup.at, "there is no `<log>` in the input"))
            }
            (State::Log, token) => Err(markup.not_closed("log", token)),
            (State::Trace, token) => Err(markup.not_closed("trace", token)),
            (_, _) => Err(Fault::new(Code::BadXml, 0, "more follows the outermost element")),
        }
    }

    #[inline]
    fn read_event(&mut self, tag: Tag) -> Result<Origin, Fault> {
        self.place = self.element.markup.place();
        self.element.case.has_events = true;
        if tag.empty {
            return Err(no_name(0).help(NAME));
        }
        if self.roles.is_open() {
            self.settle()?;
        }
        let (name, time) = self.attributes()?;
        let Element { markup, fields, .. } = &mut self.element;
        let Context { names, projection, times, .. } = &mut self.context;
        let name = name.ok_or_else(|| no_name(0).help(NAME))?;
        let event = event_name(names, markup, name)?;
        let want = projection.want(event);
        self.has_fields = *want != Want::Nothing;
        if self.has_fields {
            check_fields(markup.row(), fields, want)?;
        }
        let event_index = self.index;
        self.index += 1;
        let time = match (time, self.roles.time_field()) {
            (Some(value), Some(_)) => read_time(times, markup, value)?,
            (None, Some(_)) => return Err(no_time(0)),
            (Some(value), None) => return Err(late_time(value.inside.start)),
            (None, None) => times.whole(event_index as i64),
        };
        Ok(Origin { event_index, time, event })
    }

    /// Learns from the first event where the time is, and goes back to its beginning.
    #[cold]
    fn settle(&mut self) -> Result<(), Fault> {
        let mut keys = Vec::new();
        let markup = &mut self.element.markup;
        while let Some(attribute) = next_attribute(markup)? {
            if keys.len() >= MOST_FIELDS {
                return Err(too_many_fields(attribute.element.start));
            }
            keys.push(attribute_text(markup.row(), attribute.key)?.into_owned());
        }
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        self.roles.settle(&keys)?;
        if self.roles.time_field().is_none() {
            self.context.times.count_positions();
        }
        markup.at = 0;
        markup.token()?;
        Ok(())
    }

    /// Reads the attributes of the event whose tag was read: its name and its time, if it has them.
    #[inline]
    fn attributes(&mut self) -> Result<(Option<Content>, Option<Content>), Fault> {
        let Element { markup, fields, .. } = &mut self.element;
        fields.clear();
        let (keep_some, keep_all) = (self.roles.wants_fields(), self.roles.wants_all());
        let (mut name, mut time) = (None, None);
        while let Some(attribute) = next_attribute(markup)? {
            let key = attribute.key;
            let role = if key.plain {
                let start = markup.buffer.row_start() + key.inside.start;
                self.roles.find(markup.buffer.padded(), start, key.inside.len())
            } else {
                self.roles.find_text(&attribute_text(markup.row(), key)?)
            };
            let is_time = role.kind == Kind::Time;
            match role.kind {
                Kind::Event | Kind::Name => {
                    name = Some(attribute.value);
                    continue;
                }
                Kind::Time => time = Some(attribute.value),
                Kind::Field => {}
            }
            if keep_all || (keep_some && role.key != Key::OTHER) {
                if fields.len() >= MOST_FIELDS {
                    return Err(too_many_fields(attribute.element.start));
                }
                fields.push(Field { key: role.key, attribute, is_time });
            }
        }
        Ok((name, time))
    }
}

/// The next attribute of the event; `None` behind its closing tag.
#[inline]
fn next_attribute<R: Read>(markup: &mut Cursor<R>) -> Result<Option<Attribute>, Fault> {
    loop {
        let row = &markup.buffer.padded()[markup.buffer.row_start()..];
        match quick::next(row, markup.at) {
            Some((quick::Next::Attribute(attribute), next)) => {
                markup.at = next;
                return Ok(Some(attribute));
            }
            Some((quick::Next::End, next)) => {
                markup.at = next;
                return Ok(None);
            }
            None => {}
        }
        match markup.element()? {
            Token::Open(tag) => {
                let Some(kind) = Type::of(tag.name.of(markup.row())) else {
                    return Err(markup.misplaced(tag, "inside `<event>`", IN_EVENT));
                };
                return attribute::read(markup, tag, kind).map(Some);
            }
            Token::Close(name) if name.of(markup.row()) == b"event" => return Ok(None),
            Token::Aside => {}
            token => return Err(markup.not_closed("event", token)),
        }
    }
}

#[inline]
fn event_name<R>(names: &mut Names, markup: &Cursor<R>, name: Content) -> Result<Name, Fault> {
    if name.plain {
        let start = markup.buffer.row_start() + name.inside.start;
        if let Some(id) = names.raw().find(markup.buffer.padded(), start, name.inside.len()) {
            return Ok(Name(id));
        }
    }
    let text = attribute_text(markup.row(), name)?;
    if text.is_empty() {
        return Err(no_name(name.inside.start));
    }
    Ok(names.intern(&text, name.plain.then(|| name.inside.of(markup.row()))))
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
    let at = value.inside.start;
    if value.plain {
        return times.parse(value.inside.of(markup.row()), at);
    }
    times.parse(attribute_text(markup.row(), value)?.trim_ascii().as_bytes(), at)
}

/// The fields that somebody will look at must be readable.
#[inline(never)]
fn check_fields(row: &[u8], fields: &mut Vec<Field>, want: &Want) -> Result<(), Fault> {
    let check = |field: &Field| {
        attribute_text(row, field.attribute.key)?;
        field.attribute.value(row).map(|_| ())
    };
    match want {
        Want::Nothing => {}
        Want::Fields(keys) => fields.iter().filter(|field| keys.contains(&field.key)).try_for_each(check)?,
        Want::All => {
            fields.iter().try_for_each(check)?;
            last_wins(fields, |field| attribute_text(row, field.attribute.key).unwrap_or_default());
        }
    }
    Ok(())
}

impl<R: Read> Reader for XesReader<R> {
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

    fn case(&self) -> Option<&str> {
        self.element.case.name()
    }

    #[inline]
    fn case_number(&self) -> u64 {
        self.element.case.changes
    }
}

#[cfg(test)]
mod tests;
