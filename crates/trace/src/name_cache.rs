// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cache from short byte strings to numbers, for the few names and keys that nearly every row repeats.
//!
//! A string is identified by its first and last eight bytes and its length; up to 16 bytes these determine it, so that
//! a lookup is a hash, a load and three comparisons. It is a cache, not a map: it may refuse to learn a string. Its
//! hash is cheap and predictable, so a search gives up after a few slots; inputs made to collide only lose the fast
//! path.

use gnomon_scan::PADDING;
use gnomon_scan::word::{first_marked, load, low_bytes, mark_equal, splat};

const PROBES: usize = 8;
const MOST_ENTRIES: usize = 1 << 14;
const LONGEST: usize = 256;

#[derive(Clone)]
pub(crate) struct NameCache {
    /// The slots: a power of two of them, at most about half full.
    slots: Vec<CacheSlot>,
    shift: u32,
    used: usize,
    texts: Vec<u8>,
}

#[derive(Clone, Copy, Default)]
struct CacheSlot {
    prefix: u64,
    suffix: u64,
    /// 0 for a free slot.
    length: u32,
    /// The offset of the bytes in `texts`.
    text: u32,
    id: u32,
}

impl CacheSlot {
    #[inline]
    fn matches(&self, prefix: u64, suffix: u64, length: usize) -> bool {
        self.prefix == prefix && self.suffix == suffix && self.length as usize == length
    }
}

impl Default for NameCache {
    fn default() -> Self {
        let slots = 256_usize;
        NameCache { slots: vec![CacheSlot::default(); slots], shift: 64 - slots.ilog2(), used: 0, texts: Vec::new() }
    }
}

impl NameCache {
    /// Returns the number learned for `bytes[at .. at + length]`. Eight bytes must exist at `at` and before the end.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8], at: usize, length: usize) -> Option<u32> {
        let (prefix, suffix) = ends(bytes, at, length);
        self.find_ends(prefix, suffix, bytes, at, length)
    }

    /// [`NameCache::find`] for a caller that has loaded both ends already.
    #[allow(clippy::inline_always)] // once for every event
    #[inline(always)]
    pub(crate) fn find_ends(&self, prefix: u64, suffix: u64, bytes: &[u8], at: usize, length: usize) -> Option<u32> {
        let start = self.slot_of(prefix, suffix, length);
        let slot = &self.slots[start];
        // Nearly always the first slot matches, and the two ends cover up to 16 bytes.
        if slot.matches(prefix, suffix, length) && length.wrapping_sub(1) < 16 {
            return Some(slot.id);
        }
        if slot.length == 0 { None } else { self.find_further(start, (prefix, suffix), &bytes[at..at + length]) }
    }

    /// Returns the number learned for the text of less than 16 bytes that begins at `at` and is followed by a comma or a newline, and
    /// its end. The text must begin in the first half of the bytes.
    #[allow(clippy::inline_always)] // once for every event
    #[inline(always)]
    pub(crate) fn find_short(&self, bytes: &[u8; PADDING], at: usize) -> Option<(u32, usize)> {
        let ends = |word| mark_equal(word, splat(b',')) | mark_equal(word, splat(b'\n'));
        let first = load(bytes, at);
        let (in_first, in_second) = (ends(first), ends(load(bytes, at + 8)));
        if in_first | in_second == 0 {
            return None;
        }
        // Selections, not branches: lengths on both sides of eight alternate at random.
        let length = if in_first == 0 { 8 + first_marked(in_second) } else { first_marked(in_first) };
        let last = load(bytes, at + length.max(8) - 8);
        let suffix = if length < 8 { 0 } else { last };
        let id = self.find_ends(low_bytes(first, length), suffix, bytes, at, length)?;
        Some((id, at + length))
    }

    #[inline(never)]
    fn find_further(&self, start: usize, (prefix, suffix): (u64, u64), text: &[u8]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let slots = (0..PROBES).map(|probe| &self.slots[(start + probe) & mask]).take_while(|slot| slot.length > 0);
        let mut alike = slots.filter(|slot| slot.matches(prefix, suffix, text.len()));
        alike.find(|slot| self.text(slot) == text).map(|slot| slot.id)
    }

    /// Learns a number for a new text; returns false if it is refused.
    #[cold]
    pub(crate) fn learn(&mut self, text: &[u8], id: u32) -> bool {
        if text.is_empty() || text.len() > LONGEST || self.used >= MOST_ENTRIES {
            return false;
        }
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let mut padded = text.to_vec();
        padded.extend([0; 8]);
        let (prefix, suffix) = ends(&padded, 0, text.len());
        let slot = CacheSlot { prefix, suffix, length: text.len() as u32, text: self.texts.len() as u32, id };
        let placed = self.place(slot);
        if placed {
            self.used += 1;
            self.texts.extend_from_slice(text);
        }
        placed
    }

    fn place(&mut self, slot: CacheSlot) -> bool {
        let start = self.slot_of(slot.prefix, slot.suffix, slot.length as usize);
        let mask = self.slots.len() - 1;
        let free = (0..PROBES).map(|probe| (start + probe) & mask).find(|&index| self.slots[index].length == 0);
        if let Some(index) = free {
            self.slots[index] = slot;
        }
        free.is_some()
    }

    fn grow(&mut self) {
        let doubled = vec![CacheSlot::default(); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, doubled);
        self.shift -= 1;
        let all_placed = old.iter().filter(|slot| slot.length > 0).all(|&slot| self.place(slot));
        if !all_placed {
            // A slot found no room: the smaller table is kept, since entries must not get lost.
            self.slots = old;
            self.shift += 1;
        }
    }

    #[inline]
    fn slot_of(&self, prefix: u64, suffix: u64, length: usize) -> usize {
        let mixed = prefix ^ suffix.rotate_left(23) ^ length as u64;
        mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_shr(self.shift) as usize
    }

    fn text(&self, slot: &CacheSlot) -> &[u8] {
        &self.texts[slot.text as usize..slot.text as usize + slot.length as usize]
    }
}

/// Returns the first and the last eight bytes; a shorter text is all prefix.
#[inline]
pub(crate) fn ends(bytes: &[u8], at: usize, length: usize) -> (u64, u64) {
    let prefix = load(bytes, at);
    if length < 8 { (low_bytes(prefix, length), 0) } else { (prefix, load(bytes, at + length - 8)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(cache: &NameCache, text: &str) -> Option<u32> {
        let mut padded = text.as_bytes().to_vec();
        padded.extend([b','; 8]);
        cache.find(&padded, 0, text.len())
    }

    #[test]
    fn learned_names_are_found() {
        let mut cache = NameCache::default();
        let texts: Vec<String> = (0..1000).map(|number| "n".repeat(number % 40) + &number.to_string()).collect();
        let mut learned = 0;
        for (id, text) in texts.iter().enumerate() {
            assert_eq!(find(&cache, text), None);
            learned += usize::from(cache.learn(text.as_bytes(), id as u32));
        }
        let found = texts.iter().enumerate().filter(|(id, text)| {
            let found = find(&cache, text);
            assert!(found.is_none() || found == Some(*id as u32));
            found.is_some()
        });
        assert_eq!(found.count(), learned);
        assert!(learned > 900);
    }

    #[test]
    fn short_names_are_found_with_their_end() {
        let mut cache = NameCache::default();
        let texts: Vec<String> = (1..20).map(|length| "abcdefghijklmnopqrstuvwxyz"[..length].to_owned()).collect();
        for (id, text) in (0..).zip(&texts) {
            assert!(cache.learn(text.as_bytes(), id));
        }
        for (id, text) in (0..).zip(&texts) {
            for (before, after) in [("", ","), ("123, ", "\n"), ("", ",,\n,"), ("12345678901234567,", ",1\n")] {
                let mut row = [0; PADDING];
                let line = format!("{before}{text}{after}");
                row[..line.len()].copy_from_slice(line.as_bytes());
                // A text of 16 bytes ends behind the bytes that are searched.
                let expected = (text.len() < 16).then_some((id, before.len() + text.len()));
                assert_eq!(cache.find_short(&row, before.len()), expected, "{line:?}");
            }
        }
        for line in ["xyz,", ",", "\n", "no end"] {
            let mut row = [0; PADDING];
            row[..line.len()].copy_from_slice(line.as_bytes());
            assert_eq!(cache.find_short(&row, 0), None, "{line:?}");
        }
    }

    #[test]
    fn alike_is_not_equal() {
        let mut cache = NameCache::default();
        cache.learn(b"abcdefgh-middle-abcdefgh", 1);
        cache.learn(b"a", 2);
        assert_eq!(find(&cache, "abcdefgh-middle-abcdefgh"), Some(1));
        assert_eq!(find(&cache, "abcdefgh-muddle-abcdefgh"), None);
        assert_eq!((find(&cache, "a"), find(&cache, "a\0"), find(&cache, "")), (Some(2), None, None));
    }
}
