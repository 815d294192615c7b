// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that links between the documents, and paths that guides for contributors name, lead somewhere.

use std::path::Path;
use std::{fs, io};

use super::Finding;

/// Documents in which a path in backquotes must exist.
const GUIDES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
/// Folders with which such a path begins.
const TOPS: [&str; 9] =
    ["bench/", "bindings/", "conformance/", "crates/", "docs/", "examples/", "fuzz/", "ui/", "xtask/"];

const FOLDERS: [&str; 6] = [".", "docs", "docs/adr", "docs/contracts", "docs/errors", "crates/gnomon"];

pub(super) fn check(root: &Path) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for folder in FOLDERS {
        let mut pages: Vec<_> = fs::read_dir(root.join(folder))?.collect::<Result<_, _>>()?;
        pages.sort_by_key(fs::DirEntry::path);
        for page in pages.iter().map(fs::DirEntry::path) {
            if page.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            let text = fs::read_to_string(&page)?;
            let place = page.strip_prefix(root).unwrap_or(&page).display().to_string();
            let prose = prose(&text);
            let broken = targets(&prose).filter(|target| !root.join(folder).join(target).exists());
            findings.extend(broken.map(|target| Finding::fault(&place, format!("`{target}` is not there"))));
            if GUIDES.contains(&place.as_str()) {
                let broken = quoted_paths(&text).filter(|path| !root.join(path).exists());
                findings.extend(broken.map(|path| Finding::fault(&place, format!("`{path}` is not there"))));
            }
        }
    }
    Ok(findings)
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
