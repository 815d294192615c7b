// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaces `compression` in a build without the feature `compression`.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use crate::compressing_writer::EndedOutput;
use crate::decompressed_input::Codec;

/// Refuses the input.
pub(crate) fn decoder<'a>(_: Codec, _: impl BufRead + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    Err(missing_feature())
}

/// Refuses the output.
pub(crate) fn encoder<'a>(_: Codec, _: impl Write + Send + 'a) -> io::Result<Box<dyn EndedOutput + 'a>> {
    Err(missing_feature())
}

fn missing_feature() -> io::Error {
    let message = "this build does not read or write compressed files: it lacks the feature `compression`";
    io::Error::new(ErrorKind::Unsupported, message)
}
