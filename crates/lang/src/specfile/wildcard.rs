// SPDX-License-Identifier: MIT OR Apache-2.0
//! The variables that `*` stands for: each has a name that nobody can write, and is printed as `*` again where it can be.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::pattern::{Argument, Atom};

use super::lexer::is_plain_word;

/// The name of the variable that a `*` stands for: they have numbers, from 1, if there are several.
pub(crate) fn name(number: usize, several: bool) -> String {
    if several { format!("*{number}") } else { "*".to_owned() }
}

/// The variables with such a name that stand at one place, so that a `*` can be written there again.
pub(crate) fn alone<'a>(atoms: &[&'a Atom]) -> BTreeSet<&'a str> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for argument in atoms.iter().filter_map(|atom| atom.arguments.as_ref()).flatten() {
        if let Argument::Variable(variable) = argument {
            *places.entry(&variable.name).or_default() += 1;
        }
    }
    let stars = places.into_iter().filter(|(name, count)| name.starts_with('*') && *count == 1);
    stars.map(|(name, _)| name).collect()
}

/// What variables are called in print, where that is not what they are called: `*` for those that can be written so, and
/// for any other with a name that cannot be written, one that can and that no other has.
pub(crate) fn names(variables: &[&str], stars: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let mut taken: BTreeSet<String> = variables.iter().map(|name| (*name).to_owned()).collect();
    let mut names = BTreeMap::new();
    for variable in variables {
        if is_plain_word(variable) || names.contains_key(*variable) {
            continue;
        }
        let shown = if stars.contains(variable) { "*".to_owned() } else { fresh(variable, &mut taken) };
        names.insert((*variable).to_owned(), shown);
    }
    names
}

/// A name that is not taken, like this one if it has letters.
fn fresh(like: &str, taken: &mut BTreeSet<String>) -> String {
    let letters: String = like.chars().filter(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    let stem = if is_plain_word(&letters) { letters } else { format!("v{letters}") };
    let mut free = stem.clone();
    let mut number = 1_u64;
    while !taken.insert(free.clone()) {
        number += 1;
        free = format!("{stem}_{number}");
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_be_written_are_replaced() {
        let names = names(&["x", "*1", "*2", "x'", "v2"], &BTreeSet::from(["*1"]));
        let pairs: Vec<(&str, &str)> = names.iter().map(|(name, shown)| (name.as_str(), shown.as_str())).collect();
        assert_eq!(pairs, [("*1", "*"), ("*2", "v2_2"), ("x'", "x_2")]);
    }
}
