// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are written as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The path that means standard output.
pub(crate) const STDOUT: &str = "-";

/// A file under construction. It stands beside its place under another name until [`Output::finish`]; if that is never
/// called, nothing is left of it.
pub(crate) struct Output {
    path: String,
    target: Target,
}

enum Target {
    Stdout,
    /// A device or a pipe: it cannot be replaced, only written to.
    Direct(File),
    Beside {
        file: File,
        temporary: PathBuf,
    },
}

impl Output {
    pub(crate) fn create(path: &str) -> Result<Output, Failure> {
        let failed = |error: io::Error| cannot_write(path, &error);
        let target = if path == STDOUT {
            Target::Stdout
        } else if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            Target::Direct(File::options().write(true).open(path).map_err(failed)?)
        } else {
            let temporary = beside(Path::new(path));
            Target::Beside { file: File::create_new(&temporary).map_err(failed)?, temporary }
        };
        Ok(Output { path: path.to_owned(), target })
    }

    /// All is written: puts the file in its place.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let done = match &self.target {
            Target::Stdout | Target::Direct(_) => self.flush(),
            Target::Beside { temporary, .. } => fs::rename(temporary, &self.path),
        };
        done.map_err(|error| cannot_write(&self.path, &error))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Stdout => io::stdout().write(bytes),
            Target::Direct(file) | Target::Beside { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Stdout => io::stdout().flush(),
            Target::Direct(file) | Target::Beside { file, .. } => file.flush(),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // After a success it has moved already, and there is nothing to remove.
        if let Target::Beside { temporary, .. } = &self.target {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A name in the same folder, so that renaming is one step.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

/// What is said of an output that cannot be written.
pub(crate) fn cannot_write(path: &str, error: &io::Error) -> Failure {
    let name = if path == STDOUT { "<stdout>" } else { path };
    Failure::new("G0811", format!("`{name}` cannot be written: {error}"))
        .help("check the folder, its permissions and the room on the disk")
}
