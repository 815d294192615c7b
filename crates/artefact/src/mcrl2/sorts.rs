// SPDX-License-Identifier: MIT OR Apache-2.0
//! The actions of a process: names and sorts that mCRL2 can read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_ir::pattern::{Argument, Atom, Condition};
use gnomon_ir::requirement::Behaviour;

use crate::cell::Cell;
use crate::refusal::Refusal;

const KEYWORDS: &[&str] = &[
    "act", "allow", "block", "comm", "cons", "delay", "delta", "div", "end", "eqn", "error", "exists", "false",
    "forall", "glob", "hide", "if", "in", "init", "lambda", "map", "mod", "mu", "nu", "nil", "pbes", "proc", "rename",
    "sort", "struct", "sum", "tau", "true", "val", "var", "watch", "whr", "yaled", "Bag", "Bool", "Int", "List", "Nat",
    "Pos", "Real", "Set", "Start",
];

/// The actions that a pattern speaks of.
pub(super) struct Actions<'c> {
    pub(super) all: Vec<Action<'c>>,
    pub(super) variables: Vec<Named>,
    /// The sorts that are not mCRL2's own, with their values.
    structs: Vec<Struct>,
    /// How a text is called.
    constants: BTreeMap<String, String>,
    /// What a reader has to know of the actions.
    comments: Vec<String>,
}

/// A sort and its values.
type Struct = (String, Vec<String>);

/// An action, and the events that it is.
pub(super) struct Action<'c> {
    /// Its name in the process.
    pub(super) name: String,
    /// An atom of these events; `None`: all events that the pattern does not name.
    pub(super) event: Option<Atom>,
    /// Its parameters: the names by which a summand calls them, and their sorts.
    pub(super) parameters: Vec<(String, String)>,
    /// The conditions that its last parameters tell of.
    conditions: Vec<&'c Condition>,
}

/// A variable.
pub(super) struct Named {
    /// Its name in the pattern.
    own: String,
    /// Its name in the process.
    pub(super) name: String,
    pub(super) sort: String,
}

/// Where a value stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Variable(String),
    Parameter(String, usize),
}

impl<'c> Actions<'c> {
    pub(super) fn of(cell: &'c Cell<'_>) -> Result<Self, Refusal> {
        let atoms = cell.atoms();
        let mut taken: BTreeSet<String> = KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
        let classes = Classes::of(&atoms);
        let (structs, constants) = classes.sorts(&atoms, &mut taken);
        let sort = |place: &Place| classes.sort(place, &atoms, &structs);
        let variables = cell.variables.iter().map(|variable| Named {
            own: variable.name.clone(),
            name: fresh(&variable.name, &mut taken),
            sort: sort(&Place::Variable(variable.name.clone())),
        });
        let variables: Vec<Named> = variables.collect();
        let (data, told) = (prefix("d", &variables), prefix("c", &variables));
        let mut actions: Vec<Action<'c>> = Vec::new();
        let mut comments = Vec::new();
        for atom in &atoms {
            if actions.iter().any(|action| action.event.as_ref().is_some_and(|event| event.name == atom.name)) {
                continue;
            }
            let of_name: Vec<&&Atom> = atoms.iter().filter(|other| other.name == atom.name).collect();
            let declared = cell.spec.event(&atom.name).and_then(|event| event.parameters.as_ref()).map(Vec::len);
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
            let mut conditions: Vec<&'c Condition> = Vec::new();
            for condition in of_name.iter().filter_map(|atom| atom.condition.as_ref()) {
                if !conditions.contains(&condition) {
                    conditions.push(condition);
                }
            }
            let mut parameters: Vec<(String, String)> = (0..arity)
                .map(|index| (format!("{data}{}", index + 1), sort(&Place::Parameter(atom.name.clone(), index))))
                .collect();
            let name = fresh(&atom.name, &mut taken);
            for (index, condition) in conditions.iter().enumerate() {
                let parameter = format!("{told}{}", index + 1);
                let named = Atom { arguments: None, condition: Some((*condition).clone()), ..(*atom).clone() };
                comments
                    .push(format!("{name}: {parameter} tells whether it is {}", gnomon_lang::print_atom(&named, &[])));
                parameters.push((parameter, "Bool".to_owned()));
            }
            if name != atom.name {
                comments.push(format!("{name}: the event {:?}", atom.name));
            }
            actions.push(Action { name, event: Some((*atom).clone()), parameters, conditions });
        }
        if matches!(cell.behaviour, Behaviour::Only(_)) {
            let name = fresh("other", &mut taken);
            comments.push(format!("{name}: every event that is not named here"));
            actions.push(Action { name, event: None, parameters: vec![], conditions: vec![] });
        }
        Ok(Actions { all: actions, variables, structs, constants, comments })
    }

    /// The declarations of sorts and actions.
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

    /// When an action is such an event, of one of its name.
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
            // The conditions are told by the last parameters.
            let own = atom_parameters(action, parameters);
            tests.extend(place.and_then(|place| own.get(place)).map(|(name, _)| name.clone()));
        }
        tests
    }
}

/// Places that must have the same sort.
struct Classes(BTreeMap<Place, usize>);

impl Classes {
    fn of(atoms: &[&Atom]) -> Self {
        let mut classes: BTreeMap<Place, usize> = BTreeMap::new();
        for atom in atoms {
            for (index, argument) in atom.arguments.iter().flatten().enumerate() {
                let next = classes.len();
                let own = *classes.entry(Place::Parameter(atom.name.clone(), index)).or_insert(next);
                if let Argument::Variable(variable) = argument {
                    let other = *classes.entry(Place::Variable(variable.name.clone())).or_insert(own);
                    classes.values_mut().filter(|class| **class == other).for_each(|class| *class = own);
                }
            }
        }
        Classes(classes)
    }

    /// The literals of a class.
    fn literals<'a>(&self, class: usize, atoms: &[&'a Atom]) -> Vec<&'a Value<'static>> {
        let mut found = Vec::new();
        for atom in atoms {
            for (index, argument) in atom.arguments.iter().flatten().enumerate() {
                let place = Place::Parameter(atom.name.clone(), index);
                if let Argument::Literal(value) = argument
                    && self.0.get(&place) == Some(&class)
                {
                    found.push(value);
                }
            }
        }
        found
    }

    /// The sort of mCRL2's own that a class has, if it has one.
    fn builtin(&self, class: usize, atoms: &[&Atom]) -> Option<&'static str> {
        let literals = self.literals(class, atoms);
        let all = |is: fn(&Value<'static>) -> bool| !literals.is_empty() && literals.iter().all(|value| is(value));
        if all(|value| matches!(value, Value::Bool(_))) {
            Some("Bool")
        } else if all(|value| matches!(value, Value::Number(Number::Int(_)))) {
            Some("Int")
        } else {
            None
        }
    }

    /// The sorts that have to be declared, with their values, and how texts are called.
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
        // Two more, so that a value and another one can be told apart.
        values.extend([fresh("d_1", taken), fresh("d_2", taken)]);
        (vec![(fresh(crate::mu::SORT, taken), values)], constants)
    }

    fn sort(&self, place: &Place, atoms: &[&Atom], structs: &[Struct]) -> String {
        let own = self.0.get(place).and_then(|class| self.builtin(*class, atoms));
        own.unwrap_or_else(|| structs.first().map_or("Nat", |(name, _)| name.as_str())).to_owned()
    }
}

fn literal(value: &Value<'static>, constants: &BTreeMap<String, String>) -> String {
    let key = value.to_string();
    constants.get(&key).cloned().unwrap_or(key)
}

/// The parameters of an action that tell of conditions.
fn atom_parameters<'p>(action: Option<&Action<'_>>, parameters: &'p [(String, String)]) -> &'p [(String, String)] {
    let number = action.map_or(0, |action| action.conditions.len());
    &parameters[parameters.len().saturating_sub(number)..]
}

/// What the names of parameters begin with, so that none is a variable's.
fn prefix(letter: &str, variables: &[Named]) -> String {
    let mut prefix = letter.to_owned();
    while variables.iter().any(|variable| variable.name.starts_with(&prefix)) {
        prefix.push('_');
    }
    prefix
}

/// A name that mCRL2 reads as one, and that nothing else has.
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
