// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the fuzz targets do with their bytes. `cargo test` does the same with the seeds and mutations of them.

pub mod exercise;
