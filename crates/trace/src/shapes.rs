// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shapes of rows: the text between the values of rows that were read before.
//!
//! A log is written by a few statements of a program, so that the text around the values repeats from row to row. Of the rows
//!
//! ```text
//! {"event": "pay", "time": 12, "user": {"id": 7}}
//! {"event": "tick", "time": 13}
//! ```
//!
//! the texts `{"event": `, `, "time": `, `, "user": {"id": ` and `}}` or `}` do. [`RowShapes`] keeps such texts in a trie: a node is
//! a text and what the format knows of the value behind it (`P`), such as its role. A reader follows the trie from text to text, finds
//! the end of each value, and needs neither to tokenise nor to look up a key.
//!
//! INVARIANT: a path is learned from a row that the parser of the format has accepted, and a node is reached by the texts of all its
//! ancestors. So brackets, tags and keys around a value are those of an accepted row; what the reader still has to check is the values.
//! Each text ends where a value begins, or behind the row.
//!
//! COST: one comparison of eight or sixteen bytes for each text, usually, and at most [`MOST_CHILDREN`] where shapes branch. The trie does
//! not grow beyond [`MOST_NODES`]. Rows that leave it are read by the parser; if there are many, the trie is not tried for a while, twice
//! as long each time.

use gnomon_scan::word::{load, low_bytes};

use crate::name_cache::ends;

/// Limit on the nodes: a log whose rows have no common shape must not fill the memory.
const MOST_NODES: usize = 1 << 12;
/// Limit on the continuations of one node, which are compared one after the other.
const MOST_CHILDREN: usize = 16;
/// Limit on the bytes of one text.
const LONGEST_TEXT: usize = 512;
/// The number of rows that leave the trie without a hit between them, after which the trie is not tried for a while.
const MISSES: u32 = 16;
/// Limit on the number of rows for which the trie is not tried.
const LONGEST_PAUSE: u32 = 1 << 12;

/// The shapes of rows that were read before; see the module.
pub(crate) struct RowShapes<P> {
    /// The first is the root, which has no text.
    nodes: Vec<ShapeNode<P>>,
    /// The texts, one after the other.
    texts: Vec<u8>,
    misses: u32,
    /// The number of rows until the trie is tried again, and its last value at the beginning of a pause.
    pause: u32,
    last_pause: u32,
}

struct ShapeNode<P> {
    /// The range of the text.
    start: usize,
    length: usize,
    /// Its first and last eight bytes; a shorter text is all prefix.
    prefix: u64,
    suffix: u64,
    first_child: usize,
    /// The next child of the same parent; 0 if there is none.
    sibling: usize,
    part: P,
}

/// A place in the trie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ShapeId(usize);

impl ShapeId {
    /// The beginning of a row.
    pub(crate) const ROOT: ShapeId = ShapeId(0);
}

impl<P: Default> Default for RowShapes<P> {
    fn default() -> Self {
        let root =
            ShapeNode { start: 0, length: 0, prefix: 0, suffix: 0, first_child: 0, sibling: 0, part: P::default() };
        RowShapes { nodes: vec![root], texts: Vec::new(), misses: 0, pause: 0, last_pause: 1 }
    }
}

impl<P> RowShapes<P> {
    /// Returns the child of a node whose text stands at an offset of padded bytes, and the offset behind the text.
    #[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
    #[inline(always)]
    pub(crate) fn next(&self, from: ShapeId, bytes: &[u8], at: usize) -> Option<(ShapeId, usize)> {
        let mut child = self.nodes[from.0].first_child;
        while child > 0 {
            let node = &self.nodes[child];
            if self.stands_at(node, bytes, at) {
                return Some((ShapeId(child), at + node.length));
            }
            child = node.sibling;
        }
        None
    }

    /// Compares the first and the last eight bytes, which cover most texts, then those between.
    #[expect(clippy::inline_always, reason = "see `next`")]
    #[inline(always)]
    fn stands_at(&self, node: &ShapeNode<P>, bytes: &[u8], at: usize) -> bool {
        let (word, length) = (load(bytes, at), node.length);
        if length < 8 {
            return low_bytes(word, length) == node.prefix;
        }
        word == node.prefix
            && load(bytes, at + length - 8) == node.suffix
            && (length <= 16 || self.between_stands_at(node, bytes, at))
    }

    #[inline]
    fn between_stands_at(&self, node: &ShapeNode<P>, bytes: &[u8], at: usize) -> bool {
        let text = self.texts.get(node.start + 8..node.start + node.length - 8);
        text.is_some_and(|text| bytes.get(at + 8..at + node.length - 8) == Some(text))
    }

    /// Returns what the format knows of the value behind a text.
    #[inline]
    pub(crate) fn part(&self, id: ShapeId) -> &P {
        &self.nodes[id.0].part
    }

    /// Returns true if the next row should be tried.
    #[inline]
    pub(crate) fn is_ready(&mut self) -> bool {
        let is_ready = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        is_ready && self.nodes.len() > 1
    }

    /// Notes that a row followed the trie to its end.
    #[inline]
    pub(crate) fn hit(&mut self) {
        self.misses = 0;
    }

    /// Notes that a row left the trie.
    #[cold]
    pub(crate) fn miss(&mut self) {
        self.misses += 1;
        if self.misses >= MISSES {
            self.misses = 0;
            self.last_pause = (2 * self.last_pause).min(LONGEST_PAUSE);
            self.pause = self.last_pause;
        }
    }

    /// Returns true if the row that the parser has read should be learned.
    #[inline]
    pub(crate) fn is_learning(&self) -> bool {
        self.pause == 0 && self.nodes.len() < MOST_NODES
    }

    /// Adds the shape of a row: each text, and what is known of the value behind it.
    #[cold]
    pub(crate) fn learn<'t>(&mut self, parts: impl IntoIterator<Item = (&'t [u8], P)>) {
        let mut parent = 0;
        for (text, part) in parts {
            if text.is_empty() || text.len() > LONGEST_TEXT {
                return;
            }
            let mut padded = text.to_vec();
            padded.extend([0; 8]);
            let known = self.children(parent).find(|child| {
                let node = &self.nodes[*child];
                node.length == text.len() && self.stands_at(node, &padded, 0)
            });
            let Some(child) = known.or_else(|| self.add(parent, &padded, text.len(), part)) else { return };
            parent = child;
        }
    }

    fn children(&self, parent: usize) -> impl Iterator<Item = usize> {
        let some = |id: usize| (id > 0).then_some(id);
        std::iter::successors(some(self.nodes[parent].first_child), move |child| some(self.nodes[*child].sibling))
    }

    /// Adds a child. Returns `None` if there is no room.
    fn add(&mut self, parent: usize, padded: &[u8], length: usize, part: P) -> Option<usize> {
        if self.children(parent).count() >= MOST_CHILDREN || self.nodes.len() >= MOST_NODES {
            return None;
        }
        // Longer texts first: a text with which another begins would hide it.
        let before = self.children(parent).take_while(|child| self.nodes[*child].length >= length).last();
        let (prefix, suffix) = ends(padded, 0, length);
        let start = self.texts.len();
        self.texts.extend_from_slice(&padded[..length]);
        let id = self.nodes.len();
        let link = match before {
            Some(before) => &mut self.nodes[before].sibling,
            None => &mut self.nodes[parent].first_child,
        };
        let sibling = std::mem::replace(link, id);
        self.nodes.push(ShapeNode { start, length, prefix, suffix, first_child: 0, sibling, part });
        Some(id)
    }
}

#[cfg(test)]
mod tests;
