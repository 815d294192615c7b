// SPDX-License-Identifier: MIT OR Apache-2.0
//! A temporary folder for tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

pub(crate) struct TestFolder(PathBuf);

impl TestFolder {
    pub(crate) fn new() -> TestFolder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gnomon-store-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = TestFolder(env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).expect("a folder can be made");
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
