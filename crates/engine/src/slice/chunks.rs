// SPDX-License-Identifier: MIT OR Apache-2.0
//! Growing tables that never move: memory follows what is in them, not twice that.

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const BITS: u32 = 12;
const SIZE: usize = 1 << BITS;

/// Room for a new chunk. The first is let grow: most tables stay small.
fn room(is_first: bool, full: usize) -> usize {
    if is_first { full / SIZE } else { full }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
    length: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Chunks { chunks: Vec::new(), length: 0 }
    }
}

impl<T> Chunks<T> {
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, item: T) {
        if self.length == self.chunks.len() << BITS {
            self.chunks.push(Vec::with_capacity(room(self.length == 0, SIZE)));
        }
        if let Some(last) = self.chunks.last_mut() {
            last.push(item);
        }
        self.length += 1;
    }

    /// Takes everything out; the room of the first items stays.
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

    /// What it takes, in bytes, apart from what its items own.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<T>()).sum()
    }

    /// Whether a restored one is as this code builds them.
    pub(crate) fn is_sound(&self) -> bool {
        let full = self.chunks.iter().rev().skip(1).all(|chunk| chunk.len() == SIZE);
        let last = self.chunks.last().map_or(0, Vec::len);
        full && last <= SIZE && self.chunks.iter().map(Vec::len).sum::<usize>() == self.length
    }
}

/// Rows of numbers, all of one width. What is read together lies side by side.
///
/// Only the first columns are saved; the others can be made from them.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    width: usize,
    saved: usize,
    chunks: Vec<Vec<u32>>,
    length: usize,
}

impl Rows {
    pub(crate) fn new(width: usize, saved: usize) -> Self {
        Rows { width, saved, chunks: Vec::new(), length: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Adds a row of these numbers, and `fill` in the columns that are left.
    pub(crate) fn push(&mut self, first: &[u32], fill: u32) {
        if self.length == self.chunks.len() << BITS {
            self.chunks.push(Vec::with_capacity(room(self.length == 0, SIZE * self.width)));
        }
        if let Some(last) = self.chunks.last_mut() {
            let end = last.len() + self.width;
            last.extend_from_slice(first);
            last.resize(end, fill);
        }
        self.length += 1;
    }

    /// Takes everything out; the room of the first rows stays.
    pub(crate) fn clear(&mut self) {
        self.chunks.truncate(1);
        self.chunks.iter_mut().for_each(Vec::clear);
        self.length = 0;
    }

    #[inline]
    pub(crate) fn get(&self, row: u32) -> &[u32] {
        let start = (row as usize & (SIZE - 1)) * self.width;
        &self.chunks[row as usize >> BITS][start..start + self.width]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, row: u32) -> &mut [u32] {
        let start = (row as usize & (SIZE - 1)) * self.width;
        &mut self.chunks[row as usize >> BITS][start..start + self.width]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.chunks.iter().flat_map(|chunk| chunk.chunks_exact(self.width))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<u32>()).sum()
    }

    /// Gives the rows of a restored one their width back, with `fill` in the columns that were not saved; `false` if
    /// it cannot have been saved like this.
    pub(crate) fn widen(&mut self, width: usize, saved: usize, fill: u32) -> bool {
        let are_full = self.chunks.iter().rev().skip(1).all(|chunk| chunk.len() == SIZE * saved);
        let last = self.chunks.last().map_or(saved, Vec::len);
        if !are_full || !(1..=SIZE * saved).contains(&last) || !last.is_multiple_of(saved) {
            return false;
        }
        let narrow = std::mem::replace(self, Rows::new(width, saved));
        for chunk in narrow.chunks {
            for row in chunk.chunks_exact(saved) {
                self.push(row, fill);
            }
        }
        true
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut chunks = serializer.serialize_seq(Some(self.chunks.len()))?;
        for chunk in &self.chunks {
            let saved = chunk.chunks_exact(self.width).flat_map(|row| &row[..self.saved]);
            chunks.serialize_element(&saved.collect::<Vec<_>>())?;
        }
        chunks.end()
    }
}

impl<'de> Deserialize<'de> for Rows {
    /// [`Rows::widen`] makes it whole.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Rows { width: 1, saved: 1, chunks: Vec::deserialize(deserializer)?, length: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_without_what_can_be_made_again() {
        let count = SIZE as u32 + 3;
        let mut rows = Rows::new(3, 2);
        (0..count).for_each(|row| rows.push(&[row, row + 1], 7));
        rows.get_mut(count - 1)[2] = 9;
        let bytes = postcard::to_stdvec(&rows).unwrap();
        let mut back: Rows = postcard::from_bytes(&bytes).unwrap();
        assert!(back.widen(3, 2, 7));
        assert_eq!(back.len(), count as usize);
        assert_eq!(back.get(0), [0, 1, 7]);
        assert_eq!(back.get(count - 1), [count - 1, count, 7]);
        back.push(&[1, 2], 3);
        assert_eq!(back.iter().last(), Some([1, 2, 3].as_slice()));
        let mut wrong: Rows = postcard::from_bytes(&bytes).unwrap();
        assert!(!wrong.widen(4, 3, 7));
    }
}
