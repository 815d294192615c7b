// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that links between the documents, and paths that guides for contributors name, lead somewhere, and that the index of
//! the book lists every document once.

use std::path::Path;
use std::{fs, io};

use super::Finding;
use crate::book;

/// Documents in which a path in backquotes must exist.
const GUIDES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
/// Folders with which such a path begins.
const TOPS: [&str; 9] =
    ["bench/", "bindings/", "conformance/", "crates/", "docs/", "examples/", "fuzz/", "ui/", "xtask/"];

/// Folders whose documents are checked, besides those that the index lists.
const FOLDERS: [&str; 6] = [".", "docs", "docs/adr", "docs/contracts", "docs/errors", "crates/gnomon"];
/// Folders all of whose documents belong into the index.
const INDEXED: [&str; 3] = ["docs", "docs/contracts", "docs/languages"];

pub(super) fn check(root: &Path) -> io::Result<Vec<Finding>> {
    let listed = book::listed(root)?;
    let mut findings = check_index(root, &listed)?;
    let mut pages = listed;
    for folder in FOLDERS {
        pages.extend(documents(root, folder)?);
    }
    pages.sort();
    pages.dedup();
    for place in pages.iter().filter(|page| root.join(page).exists()) {
        let text = fs::read_to_string(root.join(place))?;
        let folder = place.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let prose = prose(&text);
        let broken = targets(&prose).filter(|target| !root.join(folder).join(target).exists());
        findings.extend(broken.map(|target| Finding::fault(place, format!("`{target}` is not there"))));
        if GUIDES.contains(&place.as_str()) {
            let broken = quoted_paths(&text).filter(|path| !root.join(path).exists());
            findings.extend(broken.map(|path| Finding::fault(place, format!("`{path}` is not there"))));
        }
    }
    Ok(findings)
}

/// The index lists pages that exist, each once, and all documents of some folders.
fn check_index(root: &Path, listed: &[String]) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (index, page) in listed.iter().enumerate() {
        if !root.join(page).exists() {
            findings.push(Finding::fault(book::SUMMARY, format!("`{page}` is not there")));
        }
        if listed[..index].contains(page) {
            findings.push(Finding::fault(book::SUMMARY, format!("`{page}` is listed twice")));
        }
    }
    for folder in INDEXED {
        let missing = documents(root, folder)?.into_iter().filter(|page| !listed.contains(page));
        findings.extend(missing.map(|page| Finding::fault(page, format!("not listed in {}", book::SUMMARY))));
    }
    Ok(findings)
}

/// The Markdown files of a folder, as paths in the repository.
fn documents(root: &Path, folder: &str) -> io::Result<Vec<String>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
            pages.push(if folder == "." { name } else { format!("{folder}/{name}") });
        }
    }
    Ok(pages)
}

/// The text without what stands in backquotes: code may look like a link.
fn prose(text: &str) -> String {
    text.split('`').step_by(2).collect()
}

/// The paths in backquotes, apart from templates such as `docs/adr/NNNN-title.md`.
fn quoted_paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|path| TOPS.iter().any(|top| path.starts_with(top)));
    paths.filter(|path| !path.contains([' ', '\n', '<', '{', '*']) && !path.contains("NNNN"))
}

/// The relative paths in `[text](path)`.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let paths = links.map(|link| link.split('#').next().unwrap_or_default());
    paths.filter(|path| !path.is_empty() && !path.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_links_are_followed() {
        let text = prose("[`a`](b.md) [c](https://x) [d](#e) [f](g/h.md#i) `count[K](f)`");
        assert_eq!(targets(&text).collect::<Vec<_>>(), ["b.md", "g/h.md"]);
    }

    #[test]
    fn quoted_paths_begin_with_a_folder_of_the_repository() {
        let text = "see `crates/a.rs`, `a/b`, `docs/adr/NNNN-title.md`, `crates/<x>.rs` and `docs`";
        assert_eq!(quoted_paths(text).collect::<Vec<_>>(), ["crates/a.rs"]);
    }
}
