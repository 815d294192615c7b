// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event names as they stand in the input, turned into [`Name`]s.

use gnomon_core::symbols::{Name, Symbols};

use crate::lookup::Lookup;

/// The symbols, and a short cut from raw bytes to names that were met before.
pub(crate) struct Names {
    symbols: Symbols,
    raw: Lookup,
}

impl Names {
    pub(crate) fn new(symbols: Symbols) -> Self {
        Names { symbols, raw: Lookup::default() }
    }

    pub(crate) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The short cut.
    #[inline]
    pub(crate) fn raw(&self) -> &Lookup {
        &self.raw
    }

    /// The name of this text, found at sight if it was met before.
    #[inline]
    pub(crate) fn find_or_intern(&mut self, text: &str) -> Name {
        const LONGEST: usize = 56;
        let (bytes, mut padded) = (text.as_bytes(), [0; LONGEST + 8]);
        if bytes.len() > LONGEST {
            return self.symbols.name(text);
        }
        padded[..bytes.len()].copy_from_slice(bytes);
        match self.raw.find(&padded, 0, bytes.len()) {
            Some(id) => Name(id),
            None => self.intern(text, Some(bytes)),
        }
    }

    /// The name of this text. `raw`, if given, is how the input writes it: the next time it is known at sight, without
    /// a second look at its encoding.
    pub(crate) fn intern(&mut self, text: &str, raw: Option<&[u8]>) -> Name {
        let name = self.symbols.name(text);
        if let Some(raw) = raw {
            self.raw.learn(raw, name.0);
        }
        name
    }
}
