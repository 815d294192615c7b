// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes, in whatever format they look like, packed or not.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gnomon_fuzz::exercise::trace(None, bytes));
