// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files and folders that survive a power failure: written under a temporary name, made durable, then renamed.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{StoreError, failed};

/// A folder whose entries can be made durable: files that were created, renamed or removed stay so. It is held open,
/// so that a sync needs no further file handle when handles are scarce.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) path: PathBuf,
    handle: Option<File>,
}

impl Directory {
    /// Opens or creates the folder, without access for others: it contains events and secrets.
    pub(crate) fn open(path: &Path) -> Result<Directory, StoreError> {
        private().create(path).map_err(failed(path, "be made"))?;
        // Not every system can open a folder as a file; those that cannot make names durable themselves.
        let handle = if cfg!(unix) { Some(File::open(path).map_err(failed(path, "be opened"))?) } else { None };
        Ok(Directory { path: path.to_owned(), handle })
    }

    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.handle.as_ref().map_or(Ok(()), File::sync_all).map_err(failed(&self.path, "be made durable"))
    }

    /// Creates a numbered file with this content atomically: under its name there is all of it or nothing. Returns it
    /// open, positioned at its end. The name is durable after [`Directory::sync`].
    pub(crate) fn place(&self, number: u64, extension: &str, parts: &[&[u8]], sync: bool) -> Result<File, StoreError> {
        let (temporary, path) = (self.numbered(number, UNFINISHED), self.numbered(number, extension));
        let placed = write_temporary(&temporary, parts, sync).and_then(|file| {
            fs::rename(&temporary, &path).map_err(failed(&path, "be given its name"))?;
            Ok(file)
        });
        if placed.is_err() {
            // The error to return says more than one about cleaning up; the next start removes the rest.
            let _ = fs::remove_file(&temporary);
        }
        placed
    }

    /// Returns the path for a number: 20 digits, so that names sort like numbers.
    pub(crate) fn numbered(&self, number: u64, extension: &str) -> PathBuf {
        self.path.join(format!("{number:020}.{extension}"))
    }

    /// Returns the numbers of the files with this extension in order. Removes unfinished files of a crash.
    pub(crate) fn numbers(&self, extension: &str) -> Result<Vec<u64>, StoreError> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed(&self.path, "be listed"))? {
            let path = entry.map_err(failed(&self.path, "be listed"))?.path();
            let Some(number) = number_of(&path) else { continue };
            match path.extension().and_then(|found| found.to_str()) {
                Some(UNFINISHED) => fs::remove_file(&path).map_err(failed(&path, "be removed"))?,
                Some(found_extension) if found_extension == extension => found.push(number),
                _ => {}
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}

fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// A large file is made durable in parts of this size, because a sync of another file may wait for everything that is not written yet.
const SYNC_BYTES: usize = 4 << 20;

/// Extension of a file that is not finished.
const UNFINISHED: &str = "new";

fn write_temporary(temporary: &Path, parts: &[&[u8]], sync: bool) -> Result<File, StoreError> {
    // The rest of an earlier failure must not be appended to.
    fs::remove_file(temporary).or_else(absent_is_fine).map_err(failed(temporary, "be removed"))?;
    let options = File::options().read(true).append(true).create_new(true).open(temporary);
    let mut file = options.map_err(failed(temporary, "be made"))?;
    for piece in parts.iter().flat_map(|part| part.chunks(SYNC_BYTES)) {
        file.write_all(piece).map_err(failed(temporary, "be written"))?;
        if sync && piece.len() == SYNC_BYTES {
            file.sync_data().map_err(failed(temporary, "be made durable"))?;
        }
    }
    if sync {
        file.sync_all().map_err(failed(temporary, "be made durable"))?;
    }
    Ok(file)
}

/// Treats a missing file as removed.
pub(crate) fn absent_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn number_of(path: &Path) -> Option<u64> {
    let stem = path.file_stem()?.to_str()?;
    if stem.len() == 20 && stem.bytes().all(|byte| byte.is_ascii_digit()) { stem.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::TestFolder;

    #[test]
    fn numbered_files_are_found_in_order_and_leftovers_are_removed() {
        let folder = TestFolder::new();
        let directory = Directory::open(folder.path()).unwrap();
        for (number, extension) in [(10, "gnj"), (9, "gnj"), (11, "new"), (3, "gns")] {
            fs::write(directory.numbered(number, extension), b"").unwrap();
        }
        fs::write(folder.path().join("12.gnj"), b"").unwrap();
        assert_eq!(directory.numbers("gnj").unwrap(), [9, 10]);
        assert!(!directory.numbered(11, "new").exists());
        assert!(folder.path().join("12.gnj").exists(), "not ours: left alone");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_looks_into_a_folder_that_is_made_here() {
        use std::os::unix::fs::PermissionsExt;
        let folder = TestFolder::new();
        let inner = folder.path().join("store").join("journal");
        Directory::open(&inner).unwrap();
        assert_eq!(fs::metadata(&inner).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = TestFolder::new();
        let directory = Directory::open(folder.path()).unwrap();
        fs::write(directory.numbered(1, UNFINISHED), b"left by a crash").unwrap();
        let mut file = directory.place(1, "gns", &[b"one", b"two"], true).unwrap();
        file.write_all(b"three").unwrap();
        directory.sync().unwrap();
        assert_eq!(fs::read(directory.numbered(1, "gns")).unwrap(), b"onetwothree");

        let large = vec![7; SYNC_BYTES + 1];
        directory.place(3, "gns", &[&large, b"end"], true).unwrap();
        assert_eq!(fs::read(directory.numbered(3, "gns")).unwrap(), [&large[..], b"end"].concat());

        fs::create_dir(directory.numbered(2, "gns")).unwrap();
        fs::write(directory.numbered(2, "gns").join("in the way"), b"").unwrap();
        assert!(directory.place(2, "gns", &[b"one"], true).is_err());
        assert!(!directory.numbered(2, UNFINISHED).exists());
    }
}
