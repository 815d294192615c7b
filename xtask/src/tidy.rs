// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the repository agrees with ARCHITECTURE.md and the other documents.
//!
//! Each check is one function from the repository to findings; `run` lists them all.

mod codes;
mod dependencies;
mod files;
mod glossary;
mod links;
mod purity;
mod records;

use std::fmt;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A difference between the documents and the files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Finding {
    fault: bool,
    place: String,
    message: String,
}

impl Finding {
    fn fault(place: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding { fault: true, place: place.into(), message: message.into() }
    }

    fn warning(place: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding { fault: false, ..Finding::fault(place, message) }
    }

    /// Returns true if the finding fails the check; warnings do not.
    pub(crate) fn is_fault(&self) -> bool {
        self.fault
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", if self.fault { "fault" } else { "warning" }, self.place, self.message)
    }
}

/// A Rust file of the repository: its path from the root, and its text.
pub(crate) struct SourceFile {
    path: String,
    text: String,
}

impl SourceFile {
    /// The lines before the file's unit tests.
    fn without_tests(&self) -> &str {
        self.text.find("\n#[cfg(test)]\nmod tests").map_or(&self.text, |at| &self.text[..at])
    }
}

/// Runs every check.
pub(crate) fn run(root: &Path) -> io::Result<Vec<Finding>> {
    let sources = rust_files(root)?;
    let mut findings = Vec::new();
    findings.extend(dependencies::check(root)?);
    findings.extend(files::check(&sources));
    findings.extend(purity::check(&sources));
    findings.extend(codes::check_pages(root, &sources)?);
    findings.extend(codes::check_rules(root, &sources)?);
    findings.extend(records::check_decisions(root)?);
    findings.extend(records::check_contracts(root, &sources)?);
    findings.extend(links::check(root)?);
    findings.extend(glossary::check(root, &sources)?);
    Ok(findings)
}

fn rust_files(root: &Path) -> io::Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["crates", "bindings", "xtask", "bench"].iter().map(|name| root.join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let relative = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                files.push(SourceFile { path: relative.replace('\\', "/"), text: fs::read_to_string(&path)? });
            }
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}
