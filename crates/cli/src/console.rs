// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two streams that a command writes to. A reader that disconnects (`gnomon ... | head`) is not an error.

use std::io::{self, Stderr, Stdout, Write};

use crate::failure::Failure;
use crate::paint::{Ink, Paint};
use crate::render::diagnostic::header;

/// Standard output for the report, standard error for everything else.
pub(crate) struct Console {
    out: Stdout,
    err: Stderr,
    /// Colours on standard output.
    pub(crate) out_paint: Paint,
    /// Colours on standard error.
    pub(crate) err_paint: Paint,
}

impl Console {
    pub(crate) fn new() -> Console {
        let (out, err) = (io::stdout(), io::stderr());
        Console { out_paint: Paint::for_stream(&out), err_paint: Paint::for_stream(&err), out, err }
    }

    /// Writes to standard output.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = self.out.lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::new("G0708", format!("the report cannot be written: {error}"))
                    .help("make room, or send standard output elsewhere"))
            }
            _ => Ok(()),
        }
    }

    /// Writes to standard error. A failure to do so is ignored: there is no other place to report it.
    pub(crate) fn eprint(&self, text: &str) {
        let _ = self.err.lock().write_all(text.as_bytes());
    }

    /// Prints a note on standard error.
    pub(crate) fn note(&self, text: &str) {
        self.eprint(&header("note", None, text, Ink::Frame, self.err_paint));
    }

    /// Prints a failure on standard error.
    pub(crate) fn print_failure(&self, failure: &Failure) {
        self.eprint(&failure.render(self.err_paint));
    }
}
