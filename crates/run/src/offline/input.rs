// SPDX-License-Identifier: MIT OR Apache-2.0
//! A named trace in any form: file, bytes, events, columns.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use gnomon_trace::{CancelCheck, CancellableBytes, CancellableFile, RecordBatchReader, Reopen, TraceInput};

/// An open trace.
#[derive(Debug)]
pub struct NamedInput {
    /// The name in messages. Its extension may determine the format.
    pub name: String,
    /// The data.
    pub content: TraceInput,
}

impl NamedInput {
    /// Bytes that can be read once, in order.
    pub fn stream(name: String, bytes: impl Read + Send + 'static) -> NamedInput {
        NamedInput { name, content: TraceInput::Stream(Box::new(bytes)) }
    }

    /// A file. Some formats need random access.
    pub fn file(name: String, file: File) -> NamedInput {
        NamedInput { name, content: TraceInput::File(file.into()) }
    }

    /// A file whose reads can be cancelled.
    pub fn guarded(name: String, file: File, guard: CancelCheck) -> NamedInput {
        NamedInput { name, content: TraceInput::File(CancellableFile::new(file, guard)) }
    }

    /// Bytes in memory whose reads can be cancelled.
    pub fn memory(name: String, bytes: Arc<[u8]>, guard: CancelCheck) -> NamedInput {
        NamedInput { name, content: TraceInput::Memory(CancellableBytes::new(bytes, guard)) }
    }

    /// Adds a function that opens an input of another program again.
    #[must_use]
    pub fn repeatable(self, reopen: Reopen) -> NamedInput {
        NamedInput { content: self.content.repeatable(reopen), ..self }
    }

    /// Reopens the input at its beginning, to be read after this one. Returns `None` if it can be read only once.
    pub fn again(&self) -> Option<NamedInput> {
        Some(NamedInput { name: self.name.clone(), content: self.content.again()? })
    }

    /// Arrow batches of another program.
    pub fn batches(name: String, batches: Box<dyn RecordBatchReader + Send>) -> NamedInput {
        NamedInput { name, content: TraceInput::Batches(batches) }
    }
}
