// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is where in the folder.

use std::path::{Path, PathBuf};

/// The folder of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout(PathBuf);

impl Layout {
    /// The store in this folder, which need not be there yet.
    pub fn new(folder: &Path) -> Layout {
        Layout(folder.to_owned())
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// For [`crate::Journal::open`].
    pub fn journal(&self) -> PathBuf {
        self.0.join("journal")
    }

    /// For [`crate::Snapshots::open`].
    pub fn snapshots(&self) -> PathBuf {
        self.0.join("snapshots")
    }

    /// For [`crate::History::open`].
    pub fn history(&self) -> PathBuf {
        self.0.join("history.sqlite")
    }
}
