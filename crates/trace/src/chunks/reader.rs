// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader that yields the events of all chunks in order.
//!
//! The main reader reads the first events, up to where the cutter begins, and the bytes behind the last end of a row. In between, each parsed
//! chunk is compared with the state of the main reader when its turn comes: if the chunk was parsed with decisions that the main reader
//! would not have made, the main reader parses it again. INVARIANT: events, errors, counts and notes are those of the main reader alone.

use std::sync::Arc;

use gnomon_core::event::Fields;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_scan::{Location, TraceError};

use super::cutter::ChunkCutter;
use super::parsed::{ChunkEvents, ParsedChunk, ParsedEvent};
use super::parser::{RowReader, delegate};
use super::queue::{NextChunk, ParseQueue};
use crate::reader::{AnyReader, FieldEntry, NameSet, RUN_LENGTH, Reader};
use crate::state::ReaderState;

/// The length of a chunk.
const CHUNK: usize = 256 << 10;

/// Reads an input whose chunks are parsed by several threads; the caller starts the threads, which call [`ParseQueue::work`].
///
/// It yields what the reader of the format would yield. The fields are those that the projection wants.
pub struct ChunkedReader {
    main: RowReader,
    queue: Arc<ParseQueue>,
    chunk_length: usize,
    source: EventOrigin,
    /// True if positions are times; a chunk does not know those of its events.
    has_positions: bool,
    /// The number of names that every reader has.
    name_count: u32,
    /// For each reader of chunks, the names that it has beyond those.
    names: Vec<Vec<Name>>,
    bytes_read: u64,
}

/// The origin of the current event.
enum EventOrigin {
    /// The main reader, and the input is not cut yet.
    Beginning,
    /// The main reader.
    Main,
    /// A chunk.
    Chunk(CurrentChunk),
}

/// The chunk of the current event.
struct CurrentChunk {
    bytes: Vec<u8>,
    offset: u64,
    line: u64,
    reader: usize,
    events: ChunkEvents,
    /// The number of events that were read.
    at: usize,
    /// The index of the first event.
    index: u64,
    location: Location,
    error: Option<TraceError>,
}

impl CurrentChunk {
    /// Returns the current event.
    #[inline]
    fn event(&self) -> Option<&ParsedEvent> {
        self.events.list.get(self.at.checked_sub(1)?)
    }
}

impl ChunkedReader {
    /// Divides the work of a reader that has read nothing among threads. Returns the reader itself if its input cannot be cut.
    pub fn new(reader: AnyReader<'static>, threads: usize) -> Result<ChunkedReader, Box<AnyReader<'static>>> {
        ChunkedReader::with_length(reader, threads, CHUNK)
    }

    pub(crate) fn with_length(
        reader: AnyReader<'static>,
        threads: usize,
        chunk_length: usize,
    ) -> Result<ChunkedReader, Box<AnyReader<'static>>> {
        let main = RowReader::of(reader)?;
        let (queue, source) = (ParseQueue::new(threads), EventOrigin::Beginning);
        Ok(ChunkedReader {
            main,
            queue,
            chunk_length,
            source,
            has_positions: false,
            name_count: 0,
            names: Vec::new(),
            bytes_read: 0,
        })
    }

    /// Cuts the input behind the rows that the main reader has in its buffer.
    #[cold]
    fn begin_to_cut(&mut self) {
        self.source = EventOrigin::Main;
        let (at, line) = self.main.position();
        let row_ends = self.main.row_ends();
        let buffer = self.main.buffer_mut();
        // A fault comes again when the rows before it were read.
        let _ = buffer.fill(at + 1);
        let row = &buffer.row()[at..];
        let length = row.len().min(self.chunk_length);
        let Some(end) = row_ends.last(&row[..length]) else {
            self.queue.stop();
            return;
        };
        let line = line + memchr::memchr_iter(b'\n', &row[..end]).count() as u64;
        let rest = buffer.split_off(at + end);
        self.main.state_mut().is_chunked = true;
        self.has_positions = self.main_reader().state().times.kind() == Some(TimeKind::Position);
        self.name_count = self.main_reader().symbols().name_count() as u32;
        let template = self.main.fork();
        self.queue.begin(ChunkCutter::new(rest, row_ends, line, self.chunk_length), template);
    }

    /// Continues with the next chunk. Returns false at the end.
    #[cold]
    fn next_chunk(&mut self) -> Result<bool, TraceError> {
        if !self.main_reader().state().is_chunked {
            return Ok(false);
        }
        let used = match std::mem::replace(&mut self.source, EventOrigin::Main) {
            EventOrigin::Chunk(CurrentChunk { error: Some(error), .. }) => return Err(error),
            EventOrigin::Chunk(chunk) => (chunk.bytes, chunk.events),
            EventOrigin::Beginning | EventOrigin::Main => Default::default(),
        };
        match self.queue.next(used) {
            Some(NextChunk::Parsed(parsed)) => {
                self.put_in_order(*parsed);
                Ok(true)
            }
            Some(NextChunk::Rest(input, fault)) => {
                self.bytes_read = input.bytes_read;
                self.main.load(input.bytes, (input.offset, input.line), fault);
                Ok(true)
            }
            None => self.main_reader().state().check_counts().map(|()| false),
        }
    }

    /// Continues with the events of this chunk, or has the main reader parse it.
    fn put_in_order(&mut self, parsed: ParsedChunk) {
        self.bytes_read = parsed.input.bytes_read;
        let new_names = parsed.changes.names.iter();
        let state = self.main.state_mut();
        let new_names: Vec<Name> = new_names.map(|name| state.names.find_or_intern(name)).collect();
        if self.names.len() <= parsed.reader {
            self.names.resize_with(parsed.reader + 1, Vec::new);
        }
        self.names[parsed.reader].extend(new_names);
        let time_blanks = self.main.time_blanks();
        let has_checkpoints = self.main.has_checkpoints();
        if !parsed.fits(self.main_reader().state(), time_blanks) {
            let place = (parsed.input.offset, parsed.input.line);
            self.main.load(parsed.input.bytes, place, None);
            return;
        }
        self.main.set_time_blanks(parsed.time_blanks_after());
        let ParsedChunk { input, reader, events, changes, first_offset, error, .. } = parsed;
        let state = self.main.state_mut();
        let index = state.index;
        if let Some(first) = events.list.first().filter(|_| has_checkpoints) {
            state.checkpoints.note(index, input.line + u64::from(first.line), first_offset);
        }
        state.join(changes, events.list.len() as u64);
        let location = Location { line: input.line, column: 1 };
        self.source = EventOrigin::Chunk(CurrentChunk {
            bytes: input.bytes,
            offset: input.offset,
            line: input.line,
            reader,
            events,
            at: 0,
            index,
            location,
            error,
        });
    }

    fn main_reader(&self) -> &dyn Reader {
        delegate!(&self.main, reader => reader)
    }

    fn main_reader_mut(&mut self) -> &mut dyn Reader {
        delegate!(&mut self.main, reader => reader)
    }

    /// Returns the time of an event whose position is its time.
    #[cold]
    fn time_of_position(&self, index: u64) -> Timestamp {
        self.main_reader().state().times.whole(index as i64)
    }

    /// Returns the next event of the current chunk.
    #[inline]
    fn next_of_chunk(&mut self) -> Option<Origin> {
        let EventOrigin::Chunk(chunk) = &mut self.source else { return None };
        let event = *chunk.events.list.get(chunk.at)?;
        let event_index = chunk.index + chunk.at as u64;
        chunk.at += 1;
        chunk.location.line = chunk.line + u64::from(event.line);
        let name = match event.name.0.checked_sub(self.name_count) {
            None => event.name,
            Some(further) => self.names[chunk.reader][further as usize],
        };
        let time = if self.has_positions { self.time_of_position(event_index) } else { event.time };
        Some(Origin { event_index, time, event: name })
    }
}

impl Drop for ChunkedReader {
    fn drop(&mut self) {
        self.queue.stop();
    }
}

impl Reader for ChunkedReader {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        loop {
            if let Some(origin) = self.next_of_chunk() {
                return Ok(Some(origin));
            }
            if !matches!(self.source, EventOrigin::Chunk(_)) {
                if matches!(self.source, EventOrigin::Beginning) && self.main_reader().state().event_count() > 0 {
                    self.begin_to_cut();
                }
                if let Some(origin) = self.main_reader_mut().advance()? {
                    return Ok(Some(origin));
                }
            }
            if !self.next_chunk()? {
                return Ok(None);
            }
        }
    }

    fn advance_run(&mut self, bare: &NameSet, run: &mut Vec<Origin>) {
        if !matches!(self.source, EventOrigin::Chunk(_)) {
            // The main reader must not read beyond its first event before the input is cut.
            if matches!(self.source, EventOrigin::Main) {
                self.main_reader_mut().advance_run(bare, run);
            }
            return;
        }
        let mut line = None;
        while run.len() < RUN_LENGTH {
            let EventOrigin::Chunk(chunk) = &self.source else { return };
            let Some(event) = chunk.events.list.get(chunk.at) else { return };
            // A run has one event on each line.
            let is_bare = event.name.0 < self.name_count && bare.contains(event.name);
            if !is_bare || line.is_some_and(|line| event.line != line + 1) {
                return;
            }
            line = Some(event.line);
            run.extend(self.next_of_chunk());
        }
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        match &self.source {
            EventOrigin::Chunk(chunk) => chunk,
            EventOrigin::Beginning | EventOrigin::Main => self.main_reader().fields(),
        }
    }

    fn state(&self) -> &ReaderState {
        self.main_reader().state()
    }

    fn parse_queue(&self) -> Option<&Arc<ParseQueue>> {
        Some(&self.queue)
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read.max(self.main_reader().bytes_read())
    }

    #[inline]
    fn location(&self) -> Location {
        match &self.source {
            EventOrigin::Chunk(chunk) => chunk.location,
            EventOrigin::Beginning | EventOrigin::Main => self.main_reader().location(),
        }
    }

    /// The main reader knows the names of fields; those of a chunk are not kept.
    fn entries(&self) -> Vec<FieldEntry<'_>> {
        match &self.source {
            EventOrigin::Chunk(_) => Vec::new(),
            EventOrigin::Beginning | EventOrigin::Main => self.main_reader().entries(),
        }
    }

    fn field_names(&self) -> Vec<String> {
        let EventOrigin::Chunk(chunk) = &self.source else { return self.main_reader().field_names() };
        // Asked for a few times at most: the chunk is parsed again up to the event.
        let mut again = self.main.fork();
        again.load(chunk.bytes.clone(), (chunk.offset, chunk.line), None);
        again.state_mut().begin_chunk();
        delegate!(&mut again, reader => {
            for _ in 0..chunk.at {
                let _ = reader.advance();
            }
            reader.field_names()
        })
    }
}

impl Fields for CurrentChunk {
    #[inline]
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.events.fields.view(self.event()?.fields).value(key)
    }

    fn parameter_count(&self) -> usize {
        self.event().map_or(0, |event| event.fields.parameters as usize)
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.event().map_or(Value::Null, |event| self.events.fields.view(event.fields).parameter_value(index))
    }
}
