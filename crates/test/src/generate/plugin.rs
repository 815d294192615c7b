// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random logic plug-ins: bodies of every kind over a few events that share parameters.

use gnomon_core::Span;
use gnomon_core::value::Comparison;
use gnomon_ir::{
    Argument, Atom, Body, Condition, Ere, ForbiddenCategory, Fsm, FsmAlias, FsmState, GrammarRule, Language, Linear,
    LinearBinary, LinearUnary, Logic, LogicKind, Plugin, PluginEvent, Quantifier, QuantifierKind, Variable,
};

use super::data::{self, number};
use crate::build::{argument, event, path, spec_of, variable};
use crate::choices::Choices;

/// A property that the checker accepts.
pub(super) fn property(choices: &mut Choices) -> (Vec<Quantifier>, Body) {
    loop {
        let (prefix, body) = candidate(choices);
        let spec = spec_of(Language::Mop, prefix.clone(), body.clone());
        if gnomon_ir::check::check(&spec, &spec.properties[0]).0.is_some() {
            return (prefix, body);
        }
    }
}

fn candidate(choices: &mut Choices) -> (Vec<Quantifier>, Body) {
    let parameters = ["x", "y", "z"][..*choices.pick(&[0, 1, 1, 2, 2, 2, 3, 3])].to_vec();
    let events = events(choices, &parameters);
    let mut names: Vec<String> = events.iter().map(|event| event.atom.name.clone()).collect();
    names.dedup();
    let creation =
        if choices.one_in(3) { (0..choices.between(1, 2)).map(|_| pick(choices, &names)).collect() } else { vec![] };
    let mut writer = PluginGenerator { choices, names: &names };
    let logic = writer.logic();
    let forbidden = writer.forbidden(&logic);
    let plugin = Plugin {
        creation: unique(creation),
        suffix: matches!(logic, Logic::Ere(_) | Logic::Cfg(_)) && choices.one_in(4),
        full_binding: choices.one_in(5),
        connected: choices.one_in(5),
        events,
        logic,
        forbidden,
    };
    let quantifier = Quantifier {
        kind: QuantifierKind::Forall,
        threshold: None,
        variables: parameters.iter().map(|name| variable(name)).collect(),
        span: Span::default(),
    };
    (if parameters.is_empty() { vec![] } else { vec![quantifier] }, Body::Plugin(plugin))
}

fn unique(names: Vec<Variable>) -> Vec<Variable> {
    gnomon_core::list::unique(names)
}

fn pick(choices: &mut Choices, names: &[String]) -> Variable {
    variable(&names[choices.index(names.len())])
}

/// Events that bind all parameters together, most of them only some.
fn events(choices: &mut Choices, parameters: &[&str]) -> Vec<PluginEvent> {
    let mut left = vec!["p", "p", "g", "r", "r", "h", "k", "m", "d"];
    let mut events: Vec<PluginEvent> = Vec::new();
    for index in 0..choices.between(1, 4) {
        let name = left[choices.index(left.len())];
        left.retain(|other| *other != name);
        let mut atom = atom(choices, name, parameters);
        if choices.one_in(20) {
            let field = if name == "d" { "x" } else { "a" };
            let literal = number(choices.between(1, 3));
            atom.condition = Some(Condition::Compare(path(field), *choices.pick(&Comparison::ALL), literal));
        }
        events.push(PluginEvent { atom: atom.clone(), is_end: false });
        // An event with one field more is the same event with the same parameters.
        if index == 0 && name != "d" && choices.one_in(15) {
            let more = atom.arguments.map(|arguments| [arguments, vec![Argument::Any]].concat());
            events.push(PluginEvent { atom: Atom { arguments: more, ..atom }, is_end: false });
        }
    }
    if choices.one_in(5) {
        let name = if choices.one_in(2) { "endProgram" } else { "e" };
        events.push(PluginEvent { atom: data::plain(name), is_end: true });
    }
    events
}

fn atom(choices: &mut Choices, name: &str, parameters: &[&str]) -> Atom {
    let places = match name {
        "m" => 0,
        "r" | "k" => 2,
        _ => 1,
    };
    if places == 0 {
        return if choices.one_in(2) { data::plain(name) } else { event(name, vec![]) };
    }
    let first = choices.index(parameters.len().max(1));
    let arguments = (0..places).map(|place| match choices.below(10) {
        _ if parameters.is_empty() => Argument::Any,
        0 => Argument::Any,
        1 if choices.one_in(3) => Argument::Literal(data::value(choices)),
        2 => argument(choices.pick::<&str>(parameters)),
        _ => argument(parameters[(first + place) % parameters.len()]),
    });
    event(name, arguments.collect())
}

struct PluginGenerator<'a> {
    choices: &'a mut Choices,
    names: &'a [String],
}

impl PluginGenerator<'_> {
    fn name(&mut self) -> Variable {
        pick(self.choices, self.names)
    }

    fn logic(&mut self) -> Logic {
        match *self.choices.pick(&[
            LogicKind::Ere,
            LogicKind::Ere,
            LogicKind::Ere,
            LogicKind::Fsm,
            LogicKind::Fsm,
            LogicKind::Cfg,
            LogicKind::Cfg,
            LogicKind::Ltl,
            LogicKind::Ltl,
            LogicKind::PastLtl,
        ]) {
            LogicKind::Ere => Logic::Ere(self.ere(4)),
            LogicKind::Fsm => Logic::Fsm(self.machine()),
            LogicKind::Cfg => Logic::Cfg(self.grammar()),
            LogicKind::Ltl => Logic::Ltl(self.linear(3, false)),
            LogicKind::PastLtl => Logic::PastLtl(self.linear(3, true)),
        }
    }

    fn ere(&mut self, depth: usize) -> Ere {
        let boxed = |generator: &mut Self| Box::new(generator.ere(depth - 1));
        match self.choices.below(if depth == 0 { 5 } else { 16 }) {
            0 if self.choices.one_in(4) => Ere::Epsilon,
            1 if self.choices.one_in(8) => Ere::Empty,
            0..=4 => Ere::Letter(self.name()),
            5 | 6 => Ere::Or(boxed(self), boxed(self)),
            7 => Ere::And(boxed(self), boxed(self)),
            8..=11 => Ere::Then(boxed(self), boxed(self)),
            12 => Ere::Not(boxed(self)),
            13 => Ere::Star(boxed(self)),
            14 => Ere::Plus(boxed(self)),
            _ if self.choices.one_in(2) => Ere::Optional(boxed(self)),
            _ => Ere::Power(boxed(self), self.choices.between(0, 3) as u32),
        }
    }

    fn machine(&mut self) -> Fsm {
        let count = self.choices.between(1, 4) as usize;
        let state = |choices: &mut Choices| variable(&format!("s{}", choices.index(count)));
        let states = (0..count).map(|number| {
            let mut transitions: Vec<(Variable, Variable)> = Vec::new();
            for name in self.names {
                if !self.choices.one_in(3) {
                    transitions.push((variable(name), state(self.choices)));
                }
            }
            let default = self.choices.one_in(4).then(|| state(self.choices));
            FsmState { name: variable(&format!("s{number}")), transitions, default }
        });
        let states = states.collect();
        let mut aliases = Vec::new();
        if self.choices.one_in(3) {
            let mut named: Vec<Variable> = (0..self.choices.between(1, 2)).map(|_| state(self.choices)).collect();
            if self.choices.one_in(3) {
                named.push(variable("fail"));
            }
            aliases.push(FsmAlias { name: variable("either"), states: unique(named) });
        }
        Fsm { states, aliases }
    }

    fn grammar(&mut self) -> Vec<GrammarRule> {
        let nonterminals = ["S", "A", "B"][..*self.choices.pick(&[1, 1, 2, 2, 3])].to_vec();
        let rule = |name: &&str| GrammarRule { name: variable(name), right: self.right(3, &nonterminals) };
        nonterminals.iter().map(rule).collect()
    }

    fn right(&mut self, depth: usize, nonterminals: &[&str]) -> Ere {
        let boxed = |generator: &mut Self| Box::new(generator.right(depth - 1, nonterminals));
        match self.choices.below(if depth == 0 { 7 } else { 15 }) {
            0 => Ere::Epsilon,
            1 | 2 => Ere::Letter(variable(self.choices.pick::<&str>(nonterminals))),
            3..=6 => Ere::Letter(self.name()),
            7 | 8 => Ere::Or(boxed(self), boxed(self)),
            9..=12 => Ere::Then(boxed(self), boxed(self)),
            13 => Ere::Star(boxed(self)),
            _ => Ere::Plus(boxed(self)),
        }
    }

    fn linear(&mut self, depth: usize, past_only: bool) -> Linear {
        let boxed = |generator: &mut Self| Box::new(generator.linear(depth - 1, past_only));
        match self.choices.below(if depth == 0 { 4 } else { 12 }) {
            0 if self.choices.one_in(6) => Linear::Constant(self.choices.one_in(2)),
            0..=3 => Linear::Event(self.name()),
            4 => Linear::Not(boxed(self)),
            5..=7 => {
                let operator = *self.choices.pick(&LinearUnary::ALL);
                if past_only && operator.is_future() {
                    return Linear::Not(boxed(self));
                }
                Linear::Unary(operator, boxed(self))
            }
            _ => {
                let operator = *self.choices.pick(&LinearBinary::ALL);
                let operator = if past_only && operator.is_future() { LinearBinary::Since } else { operator };
                Linear::Binary(operator, boxed(self), boxed(self))
            }
        }
    }

    fn forbidden(&mut self, logic: &Logic) -> Vec<ForbiddenCategory> {
        if self.choices.one_in(3) {
            return vec![];
        }
        let known: Vec<String> = match logic {
            Logic::Ere(_) | Logic::Cfg(_) => vec!["match".to_owned(), "fail".to_owned()],
            Logic::Ltl(_) | Logic::PastLtl(_) => vec!["violation".to_owned(), "validation".to_owned()],
            Logic::Fsm(fsm) => {
                let states = fsm.states.iter().map(|state| state.name.name.clone());
                let aliases = fsm.aliases.iter().map(|alias| alias.name.name.clone());
                states.chain(aliases).chain(["fail".to_owned(), "nonfail".to_owned()]).collect()
            }
        };
        let names = (0..self.choices.between(1, 2)).map(|_| pick(self.choices, &known)).collect();
        let forbidden = unique(names).into_iter().map(|name| ForbiddenCategory {
            name,
            message: self.choices.one_in(4).then(|| "it happened".to_owned()),
            resets: self.choices.one_in(4),
        });
        forbidden.collect()
    }
}
