// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events of a chunk.

use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_scan::TraceError;

use super::cutter::InputChunk;
use super::parser::ChunkParser;
use crate::packed_fields::{FieldRange, PackedFields};
use crate::state::{ChunkChanges, ReaderState};

/// The events of a chunk, and the changes that it makes to the state of a reader.
pub(super) struct ParsedChunk {
    pub(super) input: InputChunk,
    /// The number of the reader that parsed it.
    pub(super) reader: usize,
    pub(super) events: ChunkEvents,
    pub(super) changes: ChunkChanges,
    /// The number of blanks inside a time that the reader expected before and after, in formats where it varies.
    time_blanks: [Option<usize>; 2],
    /// The offset of the first event.
    pub(super) first_offset: u64,
    /// The error behind the events.
    pub(super) error: Option<TraceError>,
}

/// The events of a chunk. The memory is reused.
#[derive(Default)]
pub(super) struct ChunkEvents {
    pub(super) list: Vec<ParsedEvent>,
    pub(super) fields: PackedFields,
}

/// An event of a chunk.
#[derive(Clone, Copy)]
pub(super) struct ParsedEvent {
    pub(super) time: Timestamp,
    /// The name, as the reader of the chunk numbers it.
    pub(super) name: Name,
    /// The line, counted from the first line of the chunk.
    pub(super) line: u32,
    pub(super) fields: FieldRange,
}

impl ParsedChunk {
    /// Parses a chunk.
    pub(super) fn parse<P: ChunkParser>(
        reader: &mut P,
        number: usize,
        mut input: InputChunk,
        mut events: ChunkEvents,
    ) -> ParsedChunk {
        events.list.clear();
        events.fields.clear();
        let names = reader.symbols().name_count();
        let keys = reader.symbols().key_count() as u32;
        let blanks_before = reader.time_blanks();
        reader.load(std::mem::take(&mut input.bytes), (input.offset, input.line), None);
        reader.state_mut().begin_chunk();
        let (mut continued_first, mut first_offset) = (None, 0);
        let error = loop {
            match reader.advance() {
                Ok(Some(origin)) => {
                    if continued_first.is_none() {
                        continued_first = Some(reader.state().continued);
                        first_offset = reader.buffer().row_offset();
                    }
                    let want = reader.projection().selection(origin.event);
                    let fields = events.fields.push(reader.fields(), want, keys);
                    let line = (reader.location().line - input.line) as u32;
                    events.list.push(ParsedEvent { time: origin.time, name: origin.event, line, fields });
                }
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        let continued_first = continued_first.unwrap_or(reader.state().continued);
        let changes = reader.state_mut().take_changes(names, continued_first);
        input.bytes = reader.buffer_mut().load(Vec::new(), 0, None);
        let time_blanks = [blanks_before, reader.time_blanks()];
        ParsedChunk { input, reader: number, events, changes, time_blanks, first_offset, error }
    }

    /// Returns true if the main reader would have parsed the chunk as its own reader did.
    pub(super) fn fits(&self, state: &ReaderState, time_blanks: Option<usize>) -> bool {
        state.agrees(&self.changes) && self.time_blanks[0] == time_blanks
    }

    /// Returns the number of blanks inside a time that is expected after the chunk.
    pub(super) fn time_blanks_after(&self) -> Option<usize> {
        self.time_blanks[1]
    }
}
