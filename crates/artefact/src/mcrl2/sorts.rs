// SPDX-License-Identifier: MIT OR Apache-2.0
//! The actions of a process, with names and sorts of mCRL2.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gnomon_core::Value;
use gnomon_core::list::unique;
use gnomon_ir::{Argument, Atom, Behaviour, Condition};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;

const KEYWORDS: &[&str] = &[
    "act", "allow", "block", "comm", "cons", "delay", "delta", "div", "end", "eqn", "error", "exists", "false",
    "forall", "glob", "hide", "if", "in", "init", "lambda", "map", "mod", "mu", "nu", "nil", "pbes", "proc", "rename",
    "sort", "struct", "sum", "tau", "true", "val", "var", "watch", "whr", "yaled", "Bag", "Bool", "Int", "List", "Nat",
    "Pos", "Real", "Set", "Start",
];

/// The actions of a pattern's process.
pub(super) struct Actions<'c> {
    pub(super) all: Vec<ProcessAction<'c>>,
    pub(super) variables: Vec<ProcessVariable>,
    /// The sorts that are declared, with their values.
    structs: Vec<Struct>,
    /// The name of the constant for each text.
    constants: BTreeMap<String, String>,
    /// Remarks for the reader.
    comments: Vec<String>,
}

/// A sort and its values.
type Struct = (String, Vec<String>);

/// An action, and the events that it represents.
pub(super) struct ProcessAction<'c> {
    /// The name in the process.
    pub(super) name: String,
    /// An atom of these events; `None` for all events that the pattern does not mention.
    pub(super) event: Option<Atom>,
    /// The names and sorts of its parameters in a summand.
    pub(super) parameters: Vec<(String, String)>,
    /// The conditions that its last parameters represent.
    conditions: Vec<&'c Condition>,
}

/// A variable of the pattern.
pub(super) struct ProcessVariable {
    /// The name in the pattern.
    own: String,
    /// Its name in the process.
    pub(super) name: String,
    pub(super) sort: String,
}

/// The place of a value: a variable, or a parameter of an event.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ValuePlace {
    Variable(String),
    Parameter(String, usize),
}

impl<'c> Actions<'c> {
    pub(super) fn of(prepared: &'c PreparedPattern<'_>) -> Result<Self, Refusal> {
        let atoms = prepared.atoms();
        let mut taken: BTreeSet<String> = KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
        let classes = Classes::of(&atoms);
        let (structs, constants) = classes.sorts(&atoms, &mut taken);
        let sort = |place: &ValuePlace| classes.sort(place, &atoms, &structs);
        let variables = prepared.variables.iter().map(|variable| ProcessVariable {
            own: variable.name.clone(),
            name: fresh(&variable.name, &mut taken),
            sort: sort(&ValuePlace::Variable(variable.name.clone())),
        });
        let variables: Vec<ProcessVariable> = variables.collect();
        let (data, holds) = (prefix("d", &variables), prefix("c", &variables));
        let mut actions: Vec<ProcessAction<'c>> = Vec::new();
        let mut comments = Vec::new();
        for atom in &atoms {
            if actions.iter().any(|action| action.event.as_ref().is_some_and(|event| event.name == atom.name)) {
                continue;
            }
            let of_name: Vec<&&Atom> = atoms.iter().filter(|other| other.name == atom.name).collect();
            let declared = prepared.spec.event(&atom.name).and_then(|event| event.parameters.as_ref()).map(Vec::len);
            let mut arities: Vec<usize> =
                of_name.iter().filter_map(|atom| atom.arguments.as_ref().map(Vec::len)).chain(declared).collect();
            arities.sort_unstable();
            arities.dedup();
            if arities.len() > 1 {
                return Err(Refusal::new(format!(
                    "`{}` is named with different numbers of parameters, and an action has one",
                    atom.name
                )));
            }
            let arity = arities.first().copied().unwrap_or(0);
            let conditions: Vec<&'c Condition> = unique(of_name.iter().filter_map(|atom| atom.condition.as_ref()));
            let mut parameters: Vec<(String, String)> = (0..arity)
                .map(|index| (format!("{data}{}", index + 1), sort(&ValuePlace::Parameter(atom.name.clone(), index))))
                .collect();
            let name = fresh(&atom.name, &mut taken);
            for (index, condition) in conditions.iter().enumerate() {
                let parameter = format!("{holds}{}", index + 1);
                let named = Atom { arguments: None, condition: Some((*condition).clone()), ..(*atom).clone() };
                comments.push(format!("{name}: {parameter} says if it is {}", gnomon_lang::print_atom(&named, &[])));
                parameters.push((parameter, "Bool".to_owned()));
            }
            if name != atom.name {
                comments.push(format!("{name}: the event {:?}", atom.name));
            }
            actions.push(ProcessAction { name, event: Some((*atom).clone()), parameters, conditions });
        }
        if matches!(prepared.behaviour, Behaviour::Only(_)) {
            let name = fresh("other", &mut taken);
            comments.push(format!("{name}: every event that is not named here"));
            actions.push(ProcessAction { name, event: None, parameters: vec![], conditions: vec![] });
        }
        Ok(Actions { all: actions, variables, structs, constants, comments })
    }

    /// Returns the declarations of sorts and actions.
    pub(super) fn declared(&self) -> String {
        let mut out = String::new();
        for comment in &self.comments {
            let _ = writeln!(out, "% {}", comment.replace(char::is_control, " "));
        }
        for (name, values) in &self.structs {
            let _ = writeln!(out, "sort {name} = struct {};", values.join(" | "));
        }
        out.push_str("act ");
        for action in &self.all {
            let sorts: Vec<&str> = action.parameters.iter().map(|(_, sort)| sort.as_str()).collect();
            let sorts = if sorts.is_empty() { String::new() } else { format!(": {}", sorts.join(" # ")) };
            let _ = write!(out, "{}{sorts};\n    ", action.name);
        }
        if !self.variables.is_empty() {
            let sorts: Vec<&str> = self.variables.iter().map(|variable| variable.sort.as_str()).collect();
            let _ = write!(out, "watch: {};\n    ", sorts.join(" # "));
        }
        out.push_str("error;\n");
        out
    }

    /// Returns the tests that an action of the atom's name must pass to match the atom.
    pub(super) fn tests(&self, atom: &Atom, parameters: &[(String, String)]) -> Vec<String> {
        let mut tests = Vec::new();
        for (argument, (name, _)) in atom.arguments.iter().flatten().zip(parameters) {
            match argument {
                Argument::Any => {}
                Argument::Literal(value) => tests.push(format!("{name} == {}", literal(value, &self.constants))),
                Argument::Variable(variable) => {
                    let known = self.variables.iter().find(|known| known.own == variable.name);
                    tests.extend(known.map(|known| format!("{name} == {}", known.name)));
                }
            }
        }
        if let Some(condition) = &atom.condition {
            let action =
                self.all.iter().find(|action| action.event.as_ref().is_some_and(|event| event.name == atom.name));
            let place = action.and_then(|action| action.conditions.iter().position(|known| *known == condition));
            // The last parameters represent the conditions.
            let own = atom_parameters(action, parameters);
            tests.extend(place.and_then(|place| own.get(place)).map(|(name, _)| name.clone()));
        }
        tests
    }
}

/// Classes of places that must have the same sort.
struct Classes(BTreeMap<ValuePlace, usize>);

impl Classes {
    fn of(atoms: &[&Atom]) -> Self {
        let mut classes: BTreeMap<ValuePlace, usize> = BTreeMap::new();
        for atom in atoms {
            for (index, argument) in atom.arguments.iter().flatten().enumerate() {
                let next = classes.len();
                let own = *classes.entry(ValuePlace::Parameter(atom.name.clone(), index)).or_insert(next);
                if let Argument::Variable(variable) = argument {
                    let other = *classes.entry(ValuePlace::Variable(variable.name.clone())).or_insert(own);
                    classes.values_mut().filter(|class| **class == other).for_each(|class| *class = own);
                }
            }
        }
        Classes(classes)
    }

    /// Returns the literals of a class.
    fn literals<'a>(&self, class: usize, atoms: &[&'a Atom]) -> Vec<&'a Value<'static>> {
        let mut found = Vec::new();
        for atom in atoms {
            for (index, argument) in atom.arguments.iter().flatten().enumerate() {
                let place = ValuePlace::Parameter(atom.name.clone(), index);
                if let Argument::Literal(value) = argument
                    && self.0.get(&place) == Some(&class)
                {
                    found.push(value);
                }
            }
        }
        found
    }

    /// Returns the built-in sort of a class, if it has one.
    fn builtin(&self, class: usize, atoms: &[&Atom]) -> Option<&'static str> {
        let literals = self.literals(class, atoms);
        let all = |is: fn(&Value<'static>) -> bool| !literals.is_empty() && literals.iter().all(|value| is(value));
        if all(|value| matches!(value, Value::Bool(_))) {
            Some("Bool")
        } else if all(|value| matches!(value, Value::Number(number) if number.is_whole())) {
            Some("Int")
        } else {
            None
        }
    }

    /// Returns the sorts that must be declared, with their values, and the constants for texts.
    fn sorts(&self, atoms: &[&Atom], taken: &mut BTreeSet<String>) -> (Vec<Struct>, BTreeMap<String, String>) {
        let mut constants: BTreeMap<String, String> = BTreeMap::new();
        let mut values: Vec<String> = Vec::new();
        let classes: BTreeSet<usize> = self.0.values().copied().collect();
        let unknown: Vec<usize> = classes.into_iter().filter(|class| self.builtin(*class, atoms).is_none()).collect();
        if unknown.is_empty() {
            return (vec![], constants);
        }
        for class in unknown {
            for value in self.literals(class, atoms) {
                constants.entry(value.to_string()).or_insert_with_key(|key| {
                    let text = if let Value::Text(text) = value { text.as_ref() } else { key.as_str() };
                    let name = fresh(&format!("c_{text}"), taken);
                    values.push(name.clone());
                    name
                });
            }
        }
        // Two more values, so that different values exist.
        values.extend([fresh("d_1", taken), fresh("d_2", taken)]);
        (vec![(fresh(crate::mu::SORT, taken), values)], constants)
    }

    fn sort(&self, place: &ValuePlace, atoms: &[&Atom], structs: &[Struct]) -> String {
        let own = self.0.get(place).and_then(|class| self.builtin(*class, atoms));
        own.unwrap_or_else(|| structs.first().map_or("Nat", |(name, _)| name.as_str())).to_owned()
    }
}

fn literal(value: &Value<'static>, constants: &BTreeMap<String, String>) -> String {
    let key = value.to_string();
    constants.get(&key).cloned().unwrap_or(key)
}

/// Returns the parameters of an action that represent conditions.
fn atom_parameters<'p>(
    action: Option<&ProcessAction<'_>>,
    parameters: &'p [(String, String)],
) -> &'p [(String, String)] {
    let number = action.map_or(0, |action| action.conditions.len());
    &parameters[parameters.len().saturating_sub(number)..]
}

/// Returns a prefix for names of parameters that no variable has.
fn prefix(letter: &str, variables: &[ProcessVariable]) -> String {
    let mut prefix = letter.to_owned();
    while variables.iter().any(|variable| variable.name.starts_with(&prefix)) {
        prefix.push('_');
    }
    prefix
}

/// Returns a valid and unused name of mCRL2.
fn fresh(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut word: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '_' }).collect();
    if !word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_') {
        word.insert_str(0, "e_");
    }
    let mut candidate = word.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{word}_{number}");
        number += 1;
    }
    candidate
}
