// SPDX-License-Identifier: MIT OR Apache-2.0
//! Forbidden dependencies inside crates: evaluation does no IO and reads no clock, and no language imports another.

use super::{Finding, SourceFile};

/// Crates that evaluate properties: no IO, no threads, no clock.
const PURE: [&str; 4] = ["core", "ir", "oracle", "engine"];
const WORLD: [&str; 8] =
    ["std::fs", "std::net", "std::thread", "std::process", "std::env", "SystemTime", "Instant::now", "std::io"];
const LANGUAGES: [&str; 8] = ["soloist", "mtl", "qea", "nomad", "albert", "mu", "pattern", "mop"];

pub(super) fn check(sources: &[SourceFile]) -> Vec<Finding> {
    sources.iter().flat_map(|file| world(file).into_iter().chain(other_languages(file))).collect()
}

fn world(file: &SourceFile) -> Vec<Finding> {
    let pure = PURE.iter().any(|name| file.path.starts_with(&format!("crates/{name}/src/")));
    if !pure {
        return vec![];
    }
    let used = WORLD.iter().filter(|word| file.without_tests().contains(**word));
    used.map(|word| Finding::fault(&file.path, format!("`{word}`: this crate does no IO and reads no clock"))).collect()
}

fn other_languages(file: &SourceFile) -> Vec<Finding> {
    let Some(rest) = file.path.strip_prefix("crates/lang/src/") else { return vec![] };
    let own = rest.split(['/', '.']).next().unwrap_or_default();
    if !LANGUAGES.contains(&own) {
        return vec![];
    }
    let others = LANGUAGES.iter().filter(|language| **language != own);
    let imported = others.filter(|language| {
        ["crate", "super"].iter().any(|path| names_module(file.without_tests(), &format!("{path}::{language}")))
    });
    imported.map(|language| Finding::fault(&file.path, format!("`{own}` must not know `{language}`"))).collect()
}

/// Returns true if the text contains the path as a whole word: `crate::mu` but not `crate::music`.
fn names_module(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let next = text[at + path.len()..].chars().next();
        !next.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> usize {
        check(&[SourceFile { path: path.to_owned(), text: text.to_owned() }]).len()
    }

    #[test]
    fn evaluating_crates_do_no_io() {
        assert_eq!(findings("crates/engine/src/plan.rs", "use std::fs;"), 1);
        assert_eq!(findings("crates/trace/src/csv.rs", "use std::fs;"), 0);
        assert_eq!(findings("crates/core/src/a.rs", "x\n#[cfg(test)]\nmod tests { use std::fs; }"), 0);
    }

    #[test]
    fn languages_stay_apart() {
        assert_eq!(findings("crates/lang/src/mtl/parse.rs", "use crate::soloist::parse;"), 1);
        assert_eq!(findings("crates/lang/src/mtl.rs", "use super::mu;"), 1);
        assert_eq!(findings("crates/lang/src/mtl/parse.rs", "use crate::music; use crate::mtl::x;"), 0);
        assert_eq!(findings("crates/lang/src/specfile/parse.rs", "use crate::soloist;"), 0);
    }
}
