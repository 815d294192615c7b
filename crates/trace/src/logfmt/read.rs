// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: one line at a time.

use gnomon_core::event::Fields;
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_scan::{Buffer, ByteRange, ByteSource, Code, Fault, TraceError, quote, utf8};

use super::pairs::{Pair, PairKind, next_pair};
use crate::chunks::{ChunkParser, RowEnds};
use crate::reader::{AnyInput, FieldEntry, LogFormat, NameSource, Reader, ReaderSetup};
use crate::roles::{FieldRoles, FormatKeys, RoleKind, add_key};
use crate::row::{FieldRow, keep_field};
use crate::state::ReaderState;
use crate::text::LineName;

/// Reads lines of `key=value` pairs; see `logfmt/FORMAT.md`.
pub struct LogfmtReader<R> {
    line: FieldRow<R, Pair>,
    /// All pairs of the line.
    pairs: Vec<Pair>,
    state: ReaderState,
    roles: FieldRoles,
    name: Option<LineName>,
    is_strict: bool,
}

impl<R: ByteSource> LogfmtReader<R> {
    pub(crate) fn new(buffer: Buffer<R>, source: &str, mut setup: ReaderSetup) -> Self {
        let mut state = ReaderState::new(source, &mut setup);
        let names = setup.name_source();
        let roles =
            FieldRoles::new(&state, setup.time_field.clone(), FormatKeys::NAMED).with_names(names, state.symbols());
        let name = match names {
            NameSource::Usual | NameSource::Field(_) => None,
            NameSource::Template(template) => Some(LineName::of_template(template, &mut state)),
        };
        let is_strict = matches!(setup.log, Some(LogFormat::Logfmt { strict: true }));
        LogfmtReader { line: FieldRow::new(buffer), pairs: Vec::new(), state, roles, name, is_strict }
    }

    pub(crate) fn state_mut(&mut self) -> &mut ReaderState {
        &mut self.state
    }

    fn read(&mut self) -> Result<Option<Origin>, Fault> {
        while let Some(line) = self.line.cursor.next_line()? {
            match self.read_event(line)? {
                Ok((event, time)) => {
                    self.state.location = self.line.cursor.location();
                    return Ok(Some(self.state.origin(event, time)));
                }
                Err(reason) => self.add_unmatched(line, reason)?,
            }
        }
        Ok(None)
    }

    /// Reads the name and the time of the event on this line, or the reason why it is not an event.
    fn read_event(&mut self, line: ByteRange) -> Result<Result<(Name, Option<Timestamp>), String>, Fault> {
        let FieldRow { cursor, fields } = &mut self.line;
        let bytes = cursor.buffer.padded();
        let text = line.of(bytes);
        if !text.is_ascii() {
            utf8(text, ByteRange { start: 0, end: text.len() })?;
        }
        self.pairs.clear();
        let mut at = 0;
        loop {
            match next_pair(text, &mut at) {
                Ok(Some(pair)) => add_key(&mut self.pairs, pair.shifted(line.start), pair.key.start)?,
                Ok(None) => break,
                Err(reason) => return Ok(Err(reason.to_owned())),
            }
        }
        if self.pairs.iter().all(|pair| pair.kind == PairKind::Flag) {
            return Ok(Err("it has no pair `key=value`".to_owned()));
        }
        if self.roles.is_open() {
            let keys: Vec<String> =
                self.pairs.iter().map(|pair| String::from_utf8_lossy(pair.key.of(bytes)).into_owned()).collect();
            self.roles.choose_name_field(&keys, &mut self.state);
            self.roles.choose_time_field(&keys, &mut self.state)?;
        }
        fields.clear();
        let (mut event, mut name, mut time) = (None, None, None);
        for &pair in &self.pairs {
            let role = self.roles.find(bytes, pair.key.start, pair.key.len());
            match role.kind {
                RoleKind::Event => {
                    event = Some(pair);
                    continue;
                }
                RoleKind::Name => name = Some(pair),
                RoleKind::Time => time = Some(pair),
                RoleKind::Field => {}
            }
            if pair.kind != PairKind::Bare || pair.value.len() > 0 {
                keep_field(fields, &self.roles, role, pair, pair.key.start - line.start)?;
            }
        }
        let event = match &self.name {
            None => match event.or(name).filter(|pair| pair.value.len() > 0) {
                None => return Ok(Err(self.roles.missing_name())),
                Some(pair) => {
                    let ByteRange { start, .. } = pair.value;
                    let known = self.state.names.find(bytes, start, pair.value.len());
                    known.unwrap_or_else(|| self.state.names.intern(&pair.written(bytes), Some(pair.value.of(bytes))))
                }
            },
            Some(declared) => {
                let value = |field: &str| {
                    let pair = self.pairs.iter().rev().find(|pair| pair.key.of(bytes) == field.as_bytes())?;
                    Some(pair.value_in(bytes))
                };
                match declared.name(&mut self.state.names, value) {
                    Ok(name) => name,
                    Err(reason) => return Ok(Err(reason)),
                }
            }
        };
        let parsed = match time.filter(|pair| pair.value.len() > 0) {
            Some(pair) => {
                let written = pair.written(bytes);
                let times = &mut self.state.times;
                if let Some(time) = times.parse_alike(written.as_bytes()) {
                    Some(time)
                } else if times.is_time(written.as_bytes()) {
                    Some(times.parse(written.as_bytes(), pair.value.start - line.start)?)
                } else {
                    return Ok(Err(format!("the time {} could not be read", quote(written.as_bytes()))));
                }
            }
            None => match self.roles.time_field() {
                Some(field) => return Ok(Err(format!("it has no time under {}", quote(field.as_bytes())))),
                None => None,
            },
        };
        let want = self.state.want(event);
        self.line.drop_repeated(want);
        Ok(Ok((event, parsed)))
    }

    #[cold]
    fn add_unmatched(&mut self, line: ByteRange, reason: String) -> Result<(), Fault> {
        let cursor = &self.line.cursor;
        let text = line.of(cursor.buffer.padded());
        if self.is_strict {
            let message = format!("the line {} does not consist of `key=value` pairs: {reason}", quote(text));
            return Err(Fault::new(Code::NoMatch, 0, message)
                .help("write `log logfmt` without `(unmatched error)`, so that such lines are skipped"));
        }
        self.state.add_unmatched(cursor.location().line, text, || reason);
        Ok(())
    }
}

impl ChunkParser for LogfmtReader<AnyInput<'static>> {
    const ROW_ENDS: RowEnds = RowEnds::Lines;
    const HAS_CHECKPOINTS: bool = false;

    fn fork(&self) -> Self {
        LogfmtReader {
            line: FieldRow::new(Buffer::default()),
            pairs: Vec::new(),
            state: self.state.fork(),
            roles: self.roles.clone(),
            name: self.name.clone(),
            is_strict: self.is_strict,
        }
    }

    fn buffer(&self) -> &Buffer<AnyInput<'static>> {
        &self.line.cursor.buffer
    }

    fn buffer_mut(&mut self) -> &mut Buffer<AnyInput<'static>> {
        &mut self.line.cursor.buffer
    }

    fn state_mut(&mut self) -> &mut ReaderState {
        &mut self.state
    }

    fn position(&self) -> (usize, u64) {
        let cursor = &self.line.cursor;
        (cursor.buffer.next_row() - cursor.buffer.row_start(), cursor.line_count() + 1)
    }

    fn load(&mut self, bytes: Vec<u8>, (offset, line): (u64, u64), fault: Option<Fault>) {
        self.line.cursor.buffer.load(bytes, offset, fault);
        self.line.cursor.move_to_line(line);
    }
}

impl<R: ByteSource> Reader for LogfmtReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        let origin = self.read().map_err(|fault| self.line.cursor.error(&self.state.source, fault))?;
        if origin.is_none() {
            self.state.check_end()?;
        }
        Ok(origin)
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        self.line.wanted(self.state.has_fields)
    }

    fn state(&self) -> &ReaderState {
        &self.state
    }

    fn bytes_read(&self) -> u64 {
        self.line.cursor.buffer.bytes_read()
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        if self.state.has_fields { self.line.entries() } else { Vec::new() }
    }

    fn field_names(&self) -> Vec<String> {
        let bytes = self.line.cursor.buffer.padded();
        let key = |pair: &Pair| String::from_utf8_lossy(pair.key.of(bytes)).into_owned();
        self.pairs.iter().map(key).filter(|key| self.roles.find_text(key).kind == RoleKind::Field).collect()
    }
}

#[cfg(test)]
mod tests;
