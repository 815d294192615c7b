// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins as written: events, states and nonterminals by name, derived operators by other definitions than those of the kernel.
// RULE L1, L6, L8, L10, L12

use gnomon_core::{End, Span};
use gnomon_ir::{
    Category, CfgCore, Creation, Edge, Ere, ForbiddenCore, Fsm, FsmCore, FsmStateCore, GrammarRule, GrammarSymbol,
    LetterCore, LetterId, LetterSource, Linear, LinearBinary, LinearCore, LinearNode, LinearUnary, Logic, NodeId,
    NonterminalCore, Plugin, PluginBody, PluginCore, PluginEvent, Property, QuantifierCore, Spec, Variable, VariableId,
};

use super::atom::atom_matches;
use crate::plugin::{Occurrence, ParameterInstance, runs};
use crate::trace::Trace;
use crate::truth::Truth;

/// Returns the truth value of a property on a trace.
pub(super) fn truth(spec: &Spec, property: &Property, plugin: &Plugin, trace: &Trace, end: End) -> Truth {
    let parameters: Vec<&Variable> = property.prefix.iter().flat_map(|quantifier| &quantifier.variables).collect();
    let core = core(plugin, &parameters);
    let is_violated =
        runs(&core, &occurrences(spec, plugin, &parameters, trace, end)).iter().any(|run| !run.violations.is_empty());
    match end {
        _ if is_violated => Truth::False,
        End::Complete => Truth::True,
        End::Prefix => Truth::Unknown,
    }
}

// RULE L1
fn occurrences(spec: &Spec, plugin: &Plugin, parameters: &[&Variable], trace: &Trace, end: End) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let letters = || (0..).map(LetterId).zip(letters_of(plugin));
    for (event, of_trace) in trace.events().iter().enumerate() {
        for (letter, declared) in letters().filter(|(_, declared)| !declared.is_end) {
            let own = plugin.events.iter().filter(|other| other.atom.name == declared.atom.name);
            let matches: Vec<_> = own.flat_map(|one| atom_matches(spec, &one.atom, of_trace)).collect();
            if let Some(first) = matches.first() {
                let values = parameters.iter().map(|parameter| first.values.get(&parameter.name).cloned());
                found.push(Occurrence { event, is_end: false, letter, instance: ParameterInstance(values.collect()) });
            }
        }
    }
    let last = letters().find(|(_, declared)| declared.is_end).zip(trace.events().len().checked_sub(1));
    if let (Some(((letter, _), event)), End::Complete) = (last, end) {
        found.push(Occurrence {
            event,
            is_end: true,
            letter,
            instance: ParameterInstance(vec![None; parameters.len()]),
        });
    }
    found
}

/// Returns the first declaration of each event.
fn letters_of(plugin: &Plugin) -> Vec<&PluginEvent> {
    let first = |(index, event): &(usize, &PluginEvent)| {
        !plugin.events[..*index].iter().any(|before| before.atom.name == event.atom.name)
    };
    plugin.events.iter().enumerate().filter(first).map(|(_, event)| event).collect()
}

fn core(plugin: &Plugin, parameters: &[&Variable]) -> PluginCore {
    let is_creation = |name: &str| plugin.creation.is_empty() || plugin.creation.iter().any(|one| one.name == name);
    let letters: Vec<LetterCore> = letters_of(plugin)
        .into_iter()
        .map(|event| {
            let arguments = event.atom.arguments.iter().flatten();
            let binds = |parameter: &Variable| {
                let is_it = |one: &gnomon_ir::Argument| matches!(one, gnomon_ir::Argument::Variable(of) if of.name == parameter.name);
                arguments.clone().any(is_it)
            };
            let bound = (0..).map(VariableId).zip(parameters).filter(|(_, parameter)| binds(parameter));
            LetterCore {
                name: event.atom.name.clone(),
                source: LetterSource::EndOfTrace,
                parameters: bound.map(|(id, _)| id).collect(),
                creates: is_creation(&event.atom.name),
            }
        })
        .collect();
    let binds_all = |letter: &LetterCore| letter.parameters.len() == parameters.len();
    // RULE L12
    let creation = match () {
        () if plugin.creation.is_empty() => Creation::Any,
        () if letters.iter().filter(|letter| letter.creates).all(binds_all) => Creation::DropBefore,
        () => Creation::MustBeFirst,
    };
    let number = |name: &Variable| {
        let found = letters.iter().position(|letter| letter.name == name.name);
        LetterId(found.expect("the property was checked") as u32)
    };
    let body = match &plugin.logic {
        Logic::Ere(ere) => PluginBody::Ere(ere.map(&mut |name| number(name))),
        Logic::Fsm(fsm) => PluginBody::Fsm(machine(fsm, &letters)),
        Logic::Cfg(rules) => PluginBody::Cfg(grammar(rules, &number)),
        Logic::Ltl(formula) => PluginBody::Ltl(linear(formula, &number)),
        Logic::PastLtl(formula) => PluginBody::PastLtl(linear(formula, &number)),
    };
    let default = plugin.logic.kind().default_category();
    let forbidden = if plugin.forbidden.is_empty() {
        vec![ForbiddenCore { category: category(plugin, default), resets: false, message: None }]
    } else {
        let forbidden = plugin.forbidden.iter().map(|one| ForbiddenCore {
            category: category(plugin, &one.name.name),
            resets: one.resets,
            message: None,
        });
        forbidden.collect()
    };
    let quantifier = |parameter: &&Variable| QuantifierCore {
        variable: parameter.name.clone(),
        kind: gnomon_ir::QuantifierKind::Forall,
        threshold: None,
    };
    PluginCore {
        name: String::new(),
        atoms: vec![],
        prefix: parameters.iter().map(quantifier).collect(),
        letters,
        body,
        creation,
        forbidden,
        suffix: plugin.suffix,
        full_binding: plugin.full_binding,
        connected: plugin.connected,
        span: Span::default(),
    }
}

fn category(plugin: &Plugin, name: &str) -> Category {
    let Logic::Fsm(fsm) = &plugin.logic else {
        return match name.to_ascii_lowercase().as_str() {
            "match" => Category::Match,
            "fail" => Category::Fail,
            "violation" => Category::Violation,
            _ => Category::Validation,
        };
    };
    let states =
        |is_in: &dyn Fn(&str) -> bool| fsm.states.iter().map(|state| is_in(&state.name.name)).collect::<Vec<_>>();
    // A name as it is written goes before one that differs in case.
    let names = fsm.states.iter().map(|state| &state.name.name).chain(fsm.aliases.iter().map(|alias| &alias.name.name));
    let names: Vec<&str> = names.map(String::as_str).chain(["fail", "nonfail"]).collect();
    let exact = names.iter().find(|known| **known == name);
    let meant =
        exact.or_else(|| names.iter().find(|known| known.eq_ignore_ascii_case(name))).copied().unwrap_or("fail");
    let (states, fail) = match fsm.aliases.iter().find(|alias| alias.name.name == meant) {
        _ if fsm.states.iter().any(|state| state.name.name == meant) => (states(&|state| state == meant), false),
        Some(alias) => {
            let has = |state: &str| alias.states.iter().any(|one| one.name == state);
            (states(&has), has("fail"))
        }
        None if meant == "nonfail" => (states(&|_| true), false),
        None => (states(&|_| false), true),
    };
    Category::States { name: meant.to_owned(), states, fail }
}

// RULE L6
fn machine(fsm: &Fsm, letters: &[LetterCore]) -> FsmCore {
    let number = |name: &str| fsm.states.iter().position(|state| state.name.name == name);
    let target = |state: &gnomon_ir::FsmState, letter: &LetterCore| {
        let own = state.transitions.iter().find(|(event, _)| event.name == letter.name).map(|(_, target)| target);
        own.or(state.default.as_ref()).and_then(|target| number(&target.name))
    };
    let state = |state: &gnomon_ir::FsmState| FsmStateCore {
        name: state.name.name.clone(),
        targets: letters.iter().map(|letter| target(state, letter)).collect(),
    };
    FsmCore { states: fsm.states.iter().map(state).collect() }
}

/// Gives every part of a right side a nonterminal of its own. Repetitions recur to the right.
// RULE L8
fn grammar(rules: &[GrammarRule], number: &dyn Fn(&Variable) -> LetterId) -> CfgCore {
    let mut names: Vec<&str> = Vec::new();
    for rule in rules {
        if !names.contains(&rule.name.name.as_str()) {
            names.push(&rule.name.name);
        }
    }
    let mut productions: Vec<Vec<Vec<GrammarSymbol>>> = vec![vec![]; names.len()];
    for rule in rules {
        let place = names.iter().position(|name| *name == rule.name.name).expect("every rule was named");
        let right = part(&rule.right, &names, number, &mut productions);
        productions[place].push(vec![right]);
    }
    let nonterminal = |productions| NonterminalCore { name: String::new(), productions };
    CfgCore { nonterminals: productions.into_iter().map(nonterminal).collect() }
}

fn part(
    right: &Ere,
    names: &[&str],
    number: &dyn Fn(&Variable) -> LetterId,
    productions: &mut Vec<Vec<Vec<GrammarSymbol>>>,
) -> GrammarSymbol {
    let mut of = |inner: &Ere| part(inner, names, number, productions);
    let own = match right {
        Ere::Letter(name) => {
            return match names.iter().position(|known| *known == name.name) {
                Some(place) => GrammarSymbol::Nonterminal(place),
                None => GrammarSymbol::Letter(number(name)),
            };
        }
        Ere::Epsilon => vec![vec![]],
        Ere::Or(left, right) => vec![vec![of(left)], vec![of(right)]],
        Ere::Then(left, right) => vec![vec![of(left), of(right)]],
        Ere::Optional(inner) => vec![vec![], vec![of(inner)]],
        Ere::Star(inner) | Ere::Plus(inner) => {
            let round = of(inner);
            let again = GrammarSymbol::Nonterminal(productions.len());
            let last = if matches!(right, Ere::Star(_)) { vec![] } else { vec![round] };
            vec![last, vec![round, again]]
        }
        Ere::Empty | Ere::And(..) | Ere::Not(_) | Ere::Power(..) => vec![],
    };
    productions.push(own);
    GrammarSymbol::Nonterminal(productions.len() - 1)
}

fn linear(formula: &Linear, number: &dyn Fn(&Variable) -> LetterId) -> LinearCore {
    let mut nodes = vec![LinearNode::True];
    let root = lowered(formula, number, &mut nodes);
    LinearCore { nodes, root }
}

/// Adds the nodes of a formula.
// RULE L10
fn lowered(formula: &Linear, number: &dyn Fn(&Variable) -> LetterId, nodes: &mut Vec<LinearNode>) -> Edge {
    let (yes, no) = (Edge::TRUE, !Edge::TRUE);
    match formula {
        Linear::Constant(value) => Edge { negated: !value, ..yes },
        Linear::Event(name) => add(nodes, LinearNode::Letter(number(name))),
        Linear::Not(of) => !lowered(of, number, nodes),
        Linear::Unary(operator, of) => {
            let of = lowered(of, number, nodes);
            match operator {
                LinearUnary::Eventually => add(nodes, LinearNode::Until(yes, of)),
                LinearUnary::Always => !add(nodes, LinearNode::Until(yes, !of)),
                LinearUnary::Once => add(nodes, LinearNode::Since(yes, of)),
                LinearUnary::Historically => !add(nodes, LinearNode::Since(yes, !of)),
                LinearUnary::Next | LinearUnary::WeakNext => add(nodes, LinearNode::Next(of)),
                LinearUnary::Previous => add(nodes, LinearNode::Previous(of)),
                LinearUnary::WeakPrevious => {
                    let is_first = !add(nodes, LinearNode::Previous(yes));
                    let before = add(nodes, LinearNode::Previous(of));
                    or(nodes, is_first, before)
                }
            }
        }
        Linear::Binary(operator, left, right) => {
            let (left, right) = (lowered(left, number, nodes), lowered(right, number, nodes));
            match operator {
                LinearBinary::And => add(nodes, LinearNode::And(vec![left, right])),
                LinearBinary::Or => or(nodes, left, right),
                LinearBinary::Implies => or(nodes, !left, right),
                LinearBinary::Iff => {
                    let (there, back) = (or(nodes, !left, right), or(nodes, left, !right));
                    add(nodes, LinearNode::And(vec![there, back]))
                }
                LinearBinary::Xor => {
                    let (one, other) = (or(nodes, left, right), or(nodes, !left, !right));
                    add(nodes, LinearNode::And(vec![one, other]))
                }
                LinearBinary::Until => add(nodes, LinearNode::Until(left, right)),
                LinearBinary::Release | LinearBinary::DualUntil => release(nodes, left, right),
                LinearBinary::WeakUntil => {
                    let until = add(nodes, LinearNode::Until(left, right));
                    let always = release(nodes, no, left);
                    or(nodes, until, always)
                }
                LinearBinary::Since => add(nodes, LinearNode::Since(left, right)),
                LinearBinary::DualSince => {
                    // The second since the first was true with it, or always.
                    let both = add(nodes, LinearNode::And(vec![left, right]));
                    let since = add(nodes, LinearNode::Since(right, both));
                    let always = !add(nodes, LinearNode::Since(yes, !right));
                    or(nodes, since, always)
                }
            }
        }
    }
}

/// `left R right`: the second until both hold, or always.
fn release(nodes: &mut Vec<LinearNode>, left: Edge, right: Edge) -> Edge {
    let both = add(nodes, LinearNode::And(vec![left, right]));
    let until = add(nodes, LinearNode::Until(right, both));
    let always = !add(nodes, LinearNode::Until(Edge::TRUE, !right));
    or(nodes, until, always)
}

fn or(nodes: &mut Vec<LinearNode>, left: Edge, right: Edge) -> Edge {
    !add(nodes, LinearNode::And(vec![!left, !right]))
}

fn add(nodes: &mut Vec<LinearNode>, node: LinearNode) -> Edge {
    // Equal parts are one node, so that their values are guessed once.
    let place = gnomon_core::list::index_of(nodes, node);
    Edge { node: NodeId(place as u32), negated: false }
}
