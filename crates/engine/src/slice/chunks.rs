// SPDX-License-Identifier: MIT OR Apache-2.0
//! A growing table that never moves: memory follows what is in it, not twice that.

use serde::{Deserialize, Serialize};

const BITS: u32 = 12;
const SIZE: usize = 1 << BITS;

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
        if self.length & (SIZE - 1) == 0 {
            // The first is let grow: most tables stay small.
            self.chunks.push(Vec::with_capacity(if self.length == 0 { 4 } else { SIZE }));
        }
        if let Some(last) = self.chunks.last_mut() {
            last.push(item);
        }
        self.length += 1;
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

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// What it takes, in bytes, apart from what its items own.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<T>()).sum()
    }

    /// Whether a restored one is as this code builds them.
    pub(crate) fn is_sound(&self) -> bool {
        let full = self.chunks.iter().rev().skip(1).all(|chunk| chunk.len() == SIZE);
        full && self.chunks.iter().map(Vec::len).sum::<usize>() == self.length
    }
}
