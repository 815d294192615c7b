// SPDX-License-Identifier: MIT OR Apache-2.0
//! The properties of the spec in plain words, made once for each spec.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gnomon::artefact::english;
use gnomon::compile::Compiled;
use gnomon::ir::spec::Property;
use gnomon_live::Live;

/// Plain words by the name of a property.
type Words = Arc<BTreeMap<String, String>>;

/// The words of the spec that was asked about last.
#[derive(Debug, Default)]
pub(crate) struct WordsOfSpec(Mutex<Option<(Arc<Compiled>, Words)>>);

impl WordsOfSpec {
    pub(crate) fn of(&self, live: &Live) -> Words {
        let compiled = live.compiled();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, words)) if Arc::ptr_eq(known, &compiled) => Arc::clone(words),
            _ => {
                let said = |property: &Property| Some((property.name.clone(), english(&compiled.spec, property).ok()?));
                let words: Words = Arc::new(compiled.properties().filter_map(said).collect());
                *last = Some((compiled, Arc::clone(&words)));
                words
            }
        }
    }
}
