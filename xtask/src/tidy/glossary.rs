// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares `docs/glossary.md` with the types of the code.
//!
//! The glossary names the type behind every noun of the architecture as `` `crate::Type` ``, and lists in its section "Roles" the names
//! that sibling modules share, such as a `Reader` per format. Two things must hold: a type that the glossary names exists in
//! that crate, and no crate defines a visible type name twice unless it is a role.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use super::{Finding, SourceFile};

const GLOSSARY: &str = "docs/glossary.md";
const ROLES: &str = "## Roles";

/// A type definition outside tests.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Definition<'a> {
    /// The folder name of the crate: `engine`.
    crate_name: &'a str,
    type_name: &'a str,
    path: &'a str,
    /// True if other modules can use the type: it is `pub`, `pub(crate)` or `pub(super)`.
    is_visible: bool,
}

pub(super) fn check(root: &Path, sources: &[SourceFile]) -> io::Result<Vec<Finding>> {
    let glossary = fs::read_to_string(root.join(GLOSSARY))?;
    let definitions: Vec<Definition<'_>> = sources.iter().flat_map(definitions).collect();
    Ok([missing_types(&glossary, &definitions), repeated_types(&glossary, &definitions)].concat())
}

/// Reports types that the glossary names and no file defines.
fn missing_types(glossary: &str, definitions: &[Definition<'_>]) -> Vec<Finding> {
    let paths = backquoted(glossary).filter_map(|path| path.split_once("::").map(|split| (path, split)));
    let missing = paths.filter(|(_, (crate_name, rest))| {
        let type_name = rest.rsplit("::").next().unwrap_or(rest);
        !definitions.iter().any(|known| known.crate_name == *crate_name && known.type_name == type_name)
    });
    missing.map(|(path, _)| Finding::fault(GLOSSARY, format!("no type `{path}` is defined"))).collect()
}

/// Reports visible type names that a crate defines twice, apart from roles.
fn repeated_types(glossary: &str, definitions: &[Definition<'_>]) -> Vec<Finding> {
    let section = glossary.split_once(ROLES).map_or("", |(_, rest)| rest.split("\n## ").next().unwrap_or(rest));
    let roles: Vec<&str> = backquoted(section).collect();
    let mut paths: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for known in definitions.iter().filter(|known| known.is_visible && !roles.contains(&known.type_name)) {
        paths.entry((known.crate_name, known.type_name)).or_default().push(known.path);
    }
    let repeated = paths.into_iter().filter(|(_, paths)| paths.len() > 1);
    repeated
        .map(|((_, name), paths)| {
            let others = paths[1..].join(", ");
            Finding::warning(
                paths[0],
                format!("`{name}` is also defined in {others}: rename one, or list the role in {GLOSSARY}"),
            )
        })
        .collect()
}

/// Returns the text between pairs of backquotes.
fn backquoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn definitions(file: &SourceFile) -> Vec<Definition<'_>> {
    let mut parts = file.path.split('/');
    let top = parts.next().unwrap_or_default();
    let crate_name = if matches!(top, "crates" | "bindings") { parts.next().unwrap_or_default() } else { top };
    if !file.path.contains("/src/") || file.path.ends_with("/tests.rs") {
        return vec![];
    }
    let lines = file.without_tests().lines().filter(|line| !line.starts_with("    type "));
    let types = lines.filter_map(|line| {
        let line = line.trim_start();
        let (is_visible, rest) = match line.strip_prefix("pub") {
            Some(rest) => (true, rest.trim_start_matches("(crate)").trim_start_matches("(super)").trim_start()),
            None => (false, line),
        };
        let rest = ["struct ", "enum ", "trait ", "type "].iter().find_map(|keyword| rest.strip_prefix(keyword))?;
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        Some(Definition { crate_name, type_name: &rest[..end], path: &file.path, is_visible })
    });
    types.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn types_of_the_glossary_exist() {
        let file = source("crates/engine/src/a.rs", "pub(crate) struct Scheduler<'a> {\nenum Private {\n");
        let found = |text: &str| missing_types(text, &definitions(&file)).len();
        assert_eq!(found("`engine::Scheduler` `engine::a::Scheduler` `engine::Private` `check`"), 0);
        assert_eq!(found("`engine::Deck`"), 1);
        assert_eq!(found("`run::Scheduler`"), 1);
    }

    #[test]
    fn visible_names_are_unique_in_a_crate() {
        let files = [
            source("crates/trace/src/csv.rs", "pub struct Reader;\npub struct Row;\nstruct Cell;\n"),
            source("crates/trace/src/xes.rs", "pub struct Reader;\npub(super) enum Row {}\nstruct Cell;\n"),
            source("crates/run/src/csv.rs", "pub struct Row;\n#[cfg(test)]\nmod tests { }\n"),
        ];
        let definitions: Vec<_> = files.iter().flat_map(definitions).collect();
        let found = repeated_types("## Roles\n- `Reader`: one per format\n", &definitions);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].to_string().contains("`Row` is also defined in crates/trace/src/xes.rs"));
        assert_eq!(repeated_types("", &definitions).len(), 2);
    }
}
