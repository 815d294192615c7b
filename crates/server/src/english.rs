// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties in English, generated once per spec.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gnomon::artefact::english;
use gnomon::compile::CompiledSpec;
use gnomon::ir::spec::Property;
use gnomon_live::Live;

/// English texts by name of the property.
type EnglishTexts = Arc<BTreeMap<String, String>>;

/// Cache of the texts of the last spec.
#[derive(Debug, Default)]
pub(crate) struct EnglishCache(Mutex<Option<(Arc<CompiledSpec>, EnglishTexts)>>);

impl EnglishCache {
    pub(crate) fn of(&self, live: &Live) -> EnglishTexts {
        let compiled = live.compiled();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, words)) if Arc::ptr_eq(known, &compiled) => Arc::clone(words),
            _ => {
                let said = |property: &Property| Some((property.name.clone(), english(&compiled.spec, property).ok()?));
                let words: EnglishTexts = Arc::new(compiled.properties().filter_map(said).collect());
                *last = Some((compiled, Arc::clone(&words)));
                words
            }
        }
    }
}
