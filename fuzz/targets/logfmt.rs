// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes, read as `logfmt`.

#![no_main]

use gnomon_trace::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gnomon_fuzz::exercise::trace(Some(Format::Logfmt), bytes));
