// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names such as `start_Pay`: the start of an activity, unless the trace has events of that very name.

use gnomon_trace::Reader;

use super::{Input, Options, reader};
use crate::compile::Compiled;

/// Of the names that were read as the starts of activities, those that a trace has as events: it is looked through once. Of a
/// trace that cannot be read nothing is said; whoever judges it says why.
pub fn literal_starts(compiled: &Compiled, input: Input, options: &Options) -> Vec<String> {
    let quiet = Options { sources: None, recording: None, ..options.clone() };
    let Ok((mut reader, _)) = reader(compiled, input, &quiet) else { return vec![] };
    while let Ok(Some(_)) = reader.next() {}
    let mut names = compiled.starts();
    names.retain(|name| reader.symbols().find_name(name).is_some());
    names
}
