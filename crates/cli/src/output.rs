// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are written completely or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The path that means standard output.
pub(crate) const STDOUT: &str = "-";

/// A file under construction. It has a temporary name in the same folder until [`OutputFile::finish`] renames it; without that
/// call it is removed.
pub(crate) struct OutputFile {
    path: String,
    writer: Box<dyn Write + Send>,
    /// The temporary name and the final one; `None` for standard output, devices and pipes, which cannot be replaced.
    temporary: Option<(PathBuf, PathBuf)>,
}

impl OutputFile {
    pub(crate) fn create(path: &str) -> Result<OutputFile, Failure> {
        let failed = |error: io::Error| cannot_write(path, &error);
        let mut temporary = None;
        let writer: Box<dyn Write + Send> = if path == STDOUT {
            Box::new(io::stdout())
        } else if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            Box::new(File::options().write(true).open(path).map_err(failed)?)
        } else {
            // A link stays: the file that it leads to is replaced.
            let target = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
            if target.is_dir() {
                return Err(failed(io::ErrorKind::IsADirectory.into()));
            }
            let beside = temporary_path(&target);
            let file = File::create_new(&beside).map_err(failed)?;
            temporary = Some((beside, target));
            Box::new(file)
        };
        Ok(OutputFile { path: path.to_owned(), writer, temporary })
    }

    /// Moves the complete file to its place.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let done = match &self.temporary {
            None => self.writer.flush(),
            Some((temporary, target)) => fs::rename(temporary, target),
        };
        done.map_err(|error| cannot_write(&self.path, &error))
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        // After `finish` the file has moved, and there is nothing to remove.
        if let Some((temporary, _)) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Returns a name in the same folder, so that the file can be renamed atomically.
fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

/// Writes a text to a file or to standard output, completely or not at all.
pub(crate) fn write_text(path: &str, text: &str) -> Result<(), Failure> {
    let mut output = OutputFile::create(path)?;
    output.write_all(text.as_bytes()).map_err(|error| cannot_write(path, &error))?;
    output.finish()
}

/// Returns the failure of an output that cannot be written.
pub(crate) fn cannot_write(path: &str, error: &io::Error) -> Failure {
    let name = if path == STDOUT { "<stdout>" } else { path };
    Failure::new("G0811", format!("`{name}` cannot be written: {error}"))
        .help("check the folder, its permissions and the free space on the disk")
}
