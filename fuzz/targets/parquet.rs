// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes, read as `parquet`.

#![no_main]

use std::sync::Once;

use gnomon_trace::Format;

static QUIET: Once = Once::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Panics that the reader catches are not findings; one that it does not catch ends the run.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    gnomon_fuzz::exercise::trace(Some(Format::Parquet), bytes);
});
