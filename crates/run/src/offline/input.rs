// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is judged.

use std::fs::File;
use std::io::Read;

use gnomon_trace::{Content, Guard, GuardedFile, RecordBatchReader};

/// An open trace.
#[derive(Debug)]
pub struct Input {
    /// What it is called in messages; its extension may tell the format.
    pub name: String,
    /// What it is.
    pub content: Content,
}

impl Input {
    /// Bytes as they come.
    pub fn stream(name: String, bytes: impl Read + Send + 'static) -> Input {
        Input { name, content: Content::Stream(Box::new(bytes)) }
    }

    /// A file that can be read at any place, which some formats need.
    pub fn file(name: String, file: File) -> Input {
        Input { name, content: Content::File(file.into()) }
    }

    /// The same, as long as someone lets it be read.
    pub fn guarded(name: String, file: File, guard: Guard) -> Input {
        Input { name, content: Content::File(GuardedFile::new(file, guard)) }
    }

    /// The columns of another program.
    pub fn batches(name: String, batches: Box<dyn RecordBatchReader + Send>) -> Input {
        Input { name, content: Content::Batches(batches) }
    }
}
