// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parallel parsing of formats that consist of rows.
//!
//! # Chunks
//!
//! The input is cut at the ends of rows into *chunks* of about 256 KiB, each with its number, its offset and its first line. Cutting
//! is done by one thread at a time ([`cutter::ChunkCutter`]): it reads (and decompresses), looks for the end of a row and counts
//! lines. Parsing a chunk, the expensive part, needs nothing else and is done by any thread ([`ParseQueue`]). The result is a
//! [`parsed::ParsedChunk`]: names, times, lines and wanted fields of its events. [`ChunkedReader`] yields the events of the chunks in
//! order; for its caller it is a [`Reader`](crate::Reader) like any other.
//!
//! ```text
//!                 ┌─▶ reader 1: chunk 1 ─┐
//! input ─▶ cutter ┼─▶ reader 2: chunk 2 ─┼─▶ ParseQueue ─▶ ChunkedReader: events of 1, 2, 3, …
//!                 └─▶ reader 1: chunk 3 ─┘
//! ```
//!
//! # Decisions
//!
//! A reader decides a few things by the first event: its columns, its time field, the kind of its times. So the *main reader* reads
//! the beginning of the input; the readers of chunks are copies of it. What can change later is checked where chunks are put in order
//! ([`ReaderState::agrees`](crate::state::ReaderState::agrees)): the main reader either takes over the changes that a chunk makes to
//! its state, or, where it would have parsed the chunk differently, parses it itself. So the events, errors, counts and notes are always
//! those of one reader that reads from the beginning to the end.
//!
//! | State | Reader of a chunk | Check |
//! |---|---|---|
//! | index of events | counts from the beginning of the chunk | none, the index of the chunk is added |
//! | names of events | knows those of its own chunks | none, its new names are numbered when their chunk is put in order |
//! | order of day and month, blanks inside a time | those of its last chunk | equal to those of the main reader |
//! | year of a time without one | by the last time of its own | the first is at most 150 days from the time before it |
//! | hour that occurs twice | | the first time of the chunk is not in it |
//! | lines that continue an event | counts from the beginning of the chunk | not too many together |
//!
//! # Ends of rows
//!
//! A row of CSV may contain line breaks inside quotes: the cutter counts quotes. A time point of `MonPoly` may span lines: the cutter
//! looks for `@` at the beginning of a line, outside of strings, comments and commands. All other formats end a row at every line
//! break. What follows the last end of a row belongs to the main reader, and so does a fault of the input.
//!
//! # Memory
//!
//! At most [`ParseQueue::AHEAD`] chunks for each thread are between the cutter and the caller. A chunk is as long as its longest row if
//! that is longer than 256 KiB; a row has at most 64 MiB.

mod cutter;
mod parsed;
mod parser;
mod queue;
mod reader;
#[cfg(test)]
mod tests;

pub(crate) use cutter::RowEnds;
pub(crate) use parser::ChunkParser;
pub use queue::{ParseQueue, ParseWork};
pub use reader::ChunkedReader;
