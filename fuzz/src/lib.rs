// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bodies of the fuzz targets. `cargo test` runs them on the seeds and on mutations of the seeds.

pub mod exercise;
