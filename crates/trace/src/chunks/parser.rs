// SPDX-License-Identifier: MIT OR Apache-2.0
//! Readers that can parse chunks.

use gnomon_scan::{Buffer, Fault};

use super::cutter::{InputChunk, RowEnds};
use super::parsed::{ChunkEvents, ParsedChunk};
use crate::csv::CsvReader;
use crate::logfmt::LogfmtReader;
use crate::monpoly::MonpolyReader;
use crate::ndjson::NdjsonReader;
use crate::reader::{AnyInput, AnyReader, Reader};
use crate::state::ReaderState;
use crate::text::TextReader;

/// A reader of a format whose input can be cut at the ends of rows.
pub(crate) trait ChunkParser: Reader + Sized {
    /// The ends of rows.
    const ROW_ENDS: RowEnds;

    /// True if a reader can continue at a checkpoint.
    const HAS_CHECKPOINTS: bool = true;

    /// Returns a reader with the decisions of this one, which has read an event, and without its input.
    fn fork(&self) -> Self;

    /// Returns the window on the input.
    fn buffer(&self) -> &Buffer<AnyInput<'static>>;

    /// Returns the window on the input.
    fn buffer_mut(&mut self) -> &mut Buffer<AnyInput<'static>>;

    /// Returns the state that readers of all formats share.
    fn state_mut(&mut self) -> &mut ReaderState;

    /// Returns where the part of the input begins that was not read: the offset from the start of the current row, and the line.
    fn position(&self) -> (usize, u64);

    /// Continues with bytes at this offset and line; nothing follows them but the fault.
    fn load(&mut self, bytes: Vec<u8>, place: (u64, u64), fault: Option<Fault>);

    /// Returns the number of blanks inside a time that is expected, in formats where it varies.
    fn time_blanks(&self) -> Option<usize> {
        None
    }

    /// Changes the number of blanks inside a time that is expected.
    fn set_time_blanks(&mut self, _: Option<usize>) {}
}

/// A reader of any format whose input can be cut.
pub(super) enum RowReader {
    Csv(CsvReader<AnyInput<'static>>),
    Ndjson(NdjsonReader<AnyInput<'static>>),
    Text(TextReader<AnyInput<'static>>),
    Logfmt(LogfmtReader<AnyInput<'static>>),
    Monpoly(MonpolyReader<AnyInput<'static>>),
}

/// Calls the reader inside, or its type.
macro_rules! delegate {
    ($any:expr, $reader:ident => $call:expr) => {
        match $any {
            RowReader::Csv($reader) => $call,
            RowReader::Ndjson($reader) => $call,
            RowReader::Text($reader) => $call,
            RowReader::Logfmt($reader) => $call,
            RowReader::Monpoly($reader) => $call,
        }
    };
}
pub(super) use delegate;

impl RowReader {
    /// Takes a reader apart from those whose input cannot be cut.
    pub(super) fn of(reader: AnyReader<'static>) -> Result<RowReader, Box<AnyReader<'static>>> {
        match reader {
            AnyReader::Csv(reader) => Ok(RowReader::Csv(reader)),
            AnyReader::Ndjson(reader) => Ok(RowReader::Ndjson(reader)),
            AnyReader::Text(reader) => Ok(RowReader::Text(reader)),
            AnyReader::Logfmt(reader) => Ok(RowReader::Logfmt(reader)),
            AnyReader::Monpoly(reader) => Ok(RowReader::Monpoly(reader)),
            other => Err(Box::new(other)),
        }
    }

    pub(super) fn row_ends(&self) -> RowEnds {
        fn of<P: ChunkParser>(_: &P) -> RowEnds {
            P::ROW_ENDS
        }
        delegate!(self, reader => of(reader))
    }

    pub(super) fn has_checkpoints(&self) -> bool {
        fn of<P: ChunkParser>(_: &P) -> bool {
            P::HAS_CHECKPOINTS
        }
        delegate!(self, reader => of(reader))
    }

    pub(super) fn fork(&self) -> RowReader {
        match self {
            RowReader::Csv(reader) => RowReader::Csv(reader.fork()),
            RowReader::Ndjson(reader) => RowReader::Ndjson(reader.fork()),
            RowReader::Text(reader) => RowReader::Text(reader.fork()),
            RowReader::Logfmt(reader) => RowReader::Logfmt(reader.fork()),
            RowReader::Monpoly(reader) => RowReader::Monpoly(reader.fork()),
        }
    }

    /// Parses a chunk.
    pub(super) fn parse(&mut self, number: usize, input: InputChunk, events: ChunkEvents) -> ParsedChunk {
        delegate!(self, reader => ParsedChunk::parse(reader, number, input, events))
    }

    pub(super) fn buffer_mut(&mut self) -> &mut Buffer<AnyInput<'static>> {
        delegate!(self, reader => reader.buffer_mut())
    }

    pub(super) fn state_mut(&mut self) -> &mut ReaderState {
        delegate!(self, reader => reader.state_mut())
    }

    pub(super) fn position(&self) -> (usize, u64) {
        delegate!(self, reader => reader.position())
    }

    pub(super) fn load(&mut self, bytes: Vec<u8>, place: (u64, u64), fault: Option<Fault>) {
        delegate!(self, reader => reader.load(bytes, place, fault));
    }

    pub(super) fn time_blanks(&self) -> Option<usize> {
        delegate!(self, reader => reader.time_blanks())
    }

    pub(super) fn set_time_blanks(&mut self, blanks: Option<usize>) {
        delegate!(self, reader => reader.set_time_blanks(blanks));
    }
}
