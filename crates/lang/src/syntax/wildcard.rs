// SPDX-License-Identifier: MIT OR Apache-2.0
//! The variables that `*` stands for. Each has a name that no source can contain (`*`, `*1`), and is printed as `*`
//! again where that is possible.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::diagnostic::Span;
use gnomon_ir::{Argument, Atom, Variable};

use super::lexer::is_plain_word;

/// The variables that the `*` of a property stand for, in the order of the text.
pub(crate) struct Wildcards {
    /// True if there is more than one `*`: then they are numbered.
    several: bool,
    pub(crate) variables: Vec<Variable>,
}

impl Wildcards {
    /// Creates the list for a property with this number of `*`.
    pub(crate) fn new(count: usize) -> Self {
        Wildcards { several: count > 1, variables: Vec::new() }
    }

    /// Adds a new variable for a `*`.
    pub(crate) fn add(&mut self, span: Span) -> Variable {
        let name = if self.several { format!("*{}", self.variables.len() + 1) } else { "*".to_owned() };
        let variable = Variable { name, span };
        self.variables.push(variable.clone());
        variable
    }
}

/// Returns the variables with such a name that stand in one place only, so that a `*` can be written there again.
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

/// Printed names of variables, where they differ from the names themselves.
pub(crate) struct PrintedNames(BTreeMap<String, String>);

impl PrintedNames {
    /// Chooses names: `*` for the variables in `stars`, and a fresh name for any other whose own name cannot be
    /// written.
    pub(crate) fn of(variables: &[&str], stars: &BTreeSet<&str>) -> PrintedNames {
        let mut used: BTreeSet<String> = variables.iter().map(|name| (*name).to_owned()).collect();
        let mut names = BTreeMap::new();
        for variable in variables {
            if is_plain_word(variable) || names.contains_key(*variable) {
                continue;
            }
            let shown = if stars.contains(variable) { "*".to_owned() } else { fresh(variable, &mut used) };
            names.insert((*variable).to_owned(), shown);
        }
        PrintedNames(names)
    }

    /// Returns the printed name of a variable; `*` if it needs no quantifier.
    pub(crate) fn shown<'n>(&'n self, name: &'n str) -> &'n str {
        self.0.get(name).map_or(name, String::as_str)
    }
}

/// Returns a name that is not in use, similar to this one if it has letters, and adds it to those in use.
fn fresh(like: &str, used: &mut BTreeSet<String>) -> String {
    let letters: String = like.chars().filter(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    let stem = if is_plain_word(&letters) { letters } else { format!("v{letters}") };
    let mut free = stem.clone();
    let mut number = 1_u64;
    while !used.insert(free.clone()) {
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
        let names = PrintedNames::of(&["x", "*1", "*2", "x'", "v2"], &BTreeSet::from(["*1"]));
        let pairs: Vec<(&str, &str)> = names.0.iter().map(|(name, shown)| (name.as_str(), shown.as_str())).collect();
        assert_eq!(pairs, [("*1", "*"), ("*2", "v2_2"), ("x'", "x_2")]);
    }
}
