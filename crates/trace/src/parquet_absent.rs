// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaces `parquet` in a build without the feature `parquet`.

use gnomon_scan::{Buffer, ByteSource, Code, Fault, TraceError};

use crate::arrow::ArrowReader;
use crate::cancellable::CancellableFile;
use crate::reader::ReaderSetup;

/// Creates the fault that this build lacks a feature.
#[cold]
pub(crate) fn missing_feature(what: &str, feature: &str) -> Fault {
    let message = format!("this build does not read {what}: it lacks the feature `{feature}`");
    Fault::new(Code::NotText, 0, message).help(format!("build with `--features {feature}`"))
}

/// Refuses the file.
pub(crate) fn open(_: CancellableFile, name: &str, _: ReaderSetup) -> Result<ArrowReader, TraceError> {
    Err(missing_feature("Parquet", "parquet").in_text(name, ""))
}

/// Refuses the stream.
pub(crate) fn open_stream<R: ByteSource>(_: Buffer<R>, name: &str, _: ReaderSetup) -> Result<ArrowReader, TraceError> {
    Err(missing_feature("Parquet", "parquet").in_text(name, ""))
}
