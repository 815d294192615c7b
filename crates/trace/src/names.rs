// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conversion of event names in the input to [`Name`]s.

use gnomon_core::symbols::{Name, Symbols};

use crate::name_cache::NameCache;

/// The symbols, and a cache from the raw bytes of names to their symbols.
#[derive(Clone)]
pub(crate) struct EventNames {
    symbols: Symbols,
    cache: NameCache,
}

impl EventNames {
    pub(crate) fn new(symbols: Symbols) -> Self {
        EventNames { symbols, cache: NameCache::default() }
    }

    pub(crate) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Returns the cache from raw bytes to names.
    #[inline]
    pub(crate) fn cache(&self) -> &NameCache {
        &self.cache
    }

    /// Returns the name that `bytes[at .. at + length]` was learned to stand for. The bytes must be padded.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8], at: usize, length: usize) -> Option<Name> {
        self.cache.find(bytes, at, length).map(Name)
    }

    /// Returns the name of a text, by the cache if it is there.
    #[inline]
    pub(crate) fn find_or_intern(&mut self, text: &str) -> Name {
        const LONGEST: usize = 56;
        let (bytes, mut padded) = (text.as_bytes(), [0; LONGEST + 8]);
        if bytes.len() > LONGEST {
            return self.symbols.name(text);
        }
        padded[..bytes.len()].copy_from_slice(bytes);
        self.find(&padded, 0, bytes.len()).unwrap_or_else(|| self.intern(text, Some(bytes)))
    }

    /// Returns the name of a text. `raw` is its notation in the input: [`EventNames::find`] finds it from now on, without decoding it.
    pub(crate) fn intern(&mut self, text: &str, raw: Option<&[u8]>) -> Name {
        let name = self.symbols.name(text);
        if let Some(raw) = raw {
            self.cache.learn(raw, name.0);
        }
        name
    }
}
