// SPDX-License-Identifier: MIT OR Apache-2.0
//! Growing tables in chunks of fixed size. Items never move, and growing needs no memory for a second copy.

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const BITS: u32 = 12;
const SIZE: usize = 1 << BITS;

/// A vector in chunks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ChunkedVec<T> {
    chunks: Vec<Vec<T>>,
    length: usize,
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> Self {
        ChunkedVec { chunks: Vec::new(), length: 0 }
    }
}

impl<T> ChunkedVec<T> {
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, item: T) {
        self.grow(1).push(item);
    }

    /// Counts one more item. Returns the chunk that it belongs into, which has room for items of `width` elements.
    #[inline]
    fn grow(&mut self, width: usize) -> &mut Vec<T> {
        if self.length == self.chunks.len() << BITS {
            // The first chunk grows on demand: most tables stay small.
            let room = if self.length == 0 { 1 } else { SIZE };
            self.chunks.push(Vec::with_capacity(room * width));
        }
        self.length += 1;
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }

    /// Removes everything. The memory of the first chunk is kept.
    pub(crate) fn clear(&mut self) {
        self.chunks.truncate(1);
        self.chunks.iter_mut().for_each(Vec::clear);
        self.length = 0;
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &T {
        let index = index as usize;
        &self.chunks[index >> BITS][index & (SIZE - 1)]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> &mut T {
        let index = index as usize;
        &mut self.chunks[index >> BITS][index & (SIZE - 1)]
    }

    /// Returns the allocated bytes, apart from those that items own.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<T>()).sum()
    }

    /// Returns true if a restored vector is as this code builds them.
    pub(crate) fn is_sound(&self) -> bool {
        self.has_full_chunks(1) && self.chunks.iter().map(Vec::len).sum::<usize>() == self.length
    }

    /// Returns true if all chunks but the last are full of items of `width` elements, and the last has whole items.
    fn has_full_chunks(&self, width: usize) -> bool {
        let are_full = self.chunks.iter().rev().skip(1).all(|chunk| chunk.len() == SIZE * width);
        are_full && self.chunks.last().is_none_or(|last| last.len() <= SIZE * width && last.len().is_multiple_of(width))
    }
}

/// The number in a column that nothing was written to.
pub(crate) const BLANK: u32 = u32::MAX;

/// Rows of numbers, all of one width. Columns that are read together lie side by side.
///
/// Only the first columns are saved in snapshots; the others can be rebuilt from them.
#[derive(Clone, Debug)]
pub(crate) struct ChunkedRows {
    width: usize,
    saved: usize,
    /// A new row: every column is [`BLANK`].
    blank: Box<[u32]>,
    /// The columns of all rows; its length is the number of rows.
    columns: ChunkedVec<u32>,
}

impl ChunkedRows {
    /// Rows of this width, of which the first `saved` columns are saved.
    pub(crate) fn new(width: usize, saved: usize) -> Self {
        ChunkedRows { width, saved, blank: vec![BLANK; width].into(), columns: ChunkedVec::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Adds a row. Its columns are [`BLANK`].
    #[inline]
    pub(crate) fn push(&mut self) {
        self.columns.grow(self.width).extend_from_slice(&self.blank);
    }

    /// Removes everything. The memory of the first chunk is kept.
    pub(crate) fn clear(&mut self) {
        self.columns.clear();
    }

    #[inline]
    pub(crate) fn get(&self, row: u32) -> &[u32] {
        let start = (row as usize & (SIZE - 1)) * self.width;
        &self.columns.chunks[row as usize >> BITS][start..start + self.width]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, row: u32) -> &mut [u32] {
        let start = (row as usize & (SIZE - 1)) * self.width;
        &mut self.columns.chunks[row as usize >> BITS][start..start + self.width]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.columns.chunks.iter().flat_map(|chunk| chunk.chunks_exact(self.width))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.columns.bytes()
    }

    /// Gives the rows of a restored one their width back, with [`BLANK`] in the columns that were not saved. Returns `false`
    /// if it cannot have been saved like this.
    pub(crate) fn widen(&mut self, width: usize, saved: usize) -> bool {
        if !self.columns.has_full_chunks(saved) || self.columns.chunks.last().is_some_and(Vec::is_empty) {
            return false;
        }
        let narrow = std::mem::replace(self, ChunkedRows::new(width, saved));
        for chunk in narrow.columns.chunks {
            for row in chunk.chunks_exact(saved) {
                self.push();
                self.get_mut(self.len() as u32 - 1)[..saved].copy_from_slice(row);
            }
        }
        true
    }
}

impl Serialize for ChunkedRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut chunks = serializer.serialize_seq(Some(self.columns.chunks.len()))?;
        for chunk in &self.columns.chunks {
            let saved = chunk.chunks_exact(self.width).flat_map(|row| &row[..self.saved]);
            chunks.serialize_element(&saved.collect::<Vec<_>>())?;
        }
        chunks.end()
    }
}

impl<'de> Deserialize<'de> for ChunkedRows {
    /// [`ChunkedRows::widen`] completes the rows.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let columns = ChunkedVec { chunks: Vec::deserialize(deserializer)?, length: 0 };
        Ok(ChunkedRows { columns, ..ChunkedRows::new(1, 1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_without_what_can_be_made_again() {
        let count = SIZE as u32 + 3;
        let mut rows = ChunkedRows::new(3, 2);
        for row in 0..count {
            rows.push();
            rows.get_mut(row)[..2].copy_from_slice(&[row, row + 1]);
        }
        rows.get_mut(count - 1)[2] = 9;
        let bytes = postcard::to_stdvec(&rows).unwrap();
        let mut back: ChunkedRows = postcard::from_bytes(&bytes).unwrap();
        assert!(back.widen(3, 2));
        assert_eq!(back.len(), count as usize);
        assert_eq!(back.get(0), [0, 1, BLANK]);
        assert_eq!(back.get(count - 1), [count - 1, count, BLANK]);
        back.push();
        assert_eq!(back.iter().last(), Some([BLANK; 3].as_slice()));
        let mut wrong: ChunkedRows = postcard::from_bytes(&bytes).unwrap();
        assert!(!wrong.widen(4, 3));
    }
}
