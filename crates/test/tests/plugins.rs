// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine and the oracle agree on random plug-ins in kernel form: bodies that no text needs to express, several letters for one event,
//! several patterns for one letter, all options together; on words, and on traces with every cut, saved and restored at every event, drained and in
//! shards.

use std::collections::BTreeSet;

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome, Violation};
use gnomon_engine::Monitor;
use gnomon_ir::Ere;
use gnomon_ir::atom::{EventPattern, Path, ValueLocation, VariableId};
use gnomon_ir::core::{
    AtomDefinition, AtomId, Category, CfgCore, Core, Creation, Edge, ForbiddenCore, FsmCore, FsmStateCore,
    GrammarSymbol, LetterCore, LetterId, LetterSource, LinearCore, LinearNode, NodeId, NonterminalCore, PluginBody,
    PluginCore, QuantifierCore,
};
use gnomon_ir::spec::QuantifierKind;
use gnomon_oracle::{OracleEvent, Trace, judge_each};
use gnomon_test::choices::Choices;
use gnomon_test::compare::{difference, positions};
use gnomon_test::drive::{ALL_VIOLATIONS, Drive};
use gnomon_test::property::scaled;

fn letter_id(choices: &mut Choices, letters: usize) -> LetterId {
    LetterId(choices.index(letters) as u32)
}

fn ere(choices: &mut Choices, depth: u32, letters: usize) -> Ere<LetterId> {
    if depth == 0 || choices.one_in(6) {
        return match choices.below(12) {
            10 => Ere::Epsilon,
            11 => Ere::Empty,
            _ => Ere::Letter(letter_id(choices, letters)),
        };
    }
    let operator = choices.below(12);
    let mut part = || Box::new(ere(choices, depth - 1, letters));
    match operator {
        0..4 => Ere::Then(part(), part()),
        4 | 5 => Ere::Or(part(), part()),
        6 => Ere::And(part(), part()),
        7 => Ere::Not(part()),
        8 => Ere::Star(part()),
        9 => Ere::Plus(part()),
        10 => Ere::Optional(part()),
        _ => Ere::Power(part(), 2),
    }
}

/// A formula of some operators, at most four of them of the future.
fn linear(choices: &mut Choices, letters: usize, operators: u64, is_past: bool) -> LinearCore {
    let letter = |number| LinearNode::Letter(LetterId(number as u32));
    let mut nodes: Vec<LinearNode> = std::iter::once(LinearNode::True).chain((0..letters).map(letter)).collect();
    let mut future = 0;
    for _ in 0..operators {
        let edge = |choices: &mut Choices| {
            // Later nodes are parts more often.
            let back = choices.index(nodes.len()).min(choices.index(nodes.len()));
            Edge { node: NodeId((nodes.len() - 1 - back) as u32), negated: choices.one_in(3) }
        };
        let node = match choices.below(6) {
            0 | 1 => LinearNode::And(vec![edge(choices), edge(choices)]),
            2 if !is_past && future < 4 => LinearNode::Next(edge(choices)),
            3 if !is_past && future < 4 => LinearNode::Until(edge(choices), edge(choices)),
            4 => LinearNode::Previous(edge(choices)),
            _ => LinearNode::Since(edge(choices), edge(choices)),
        };
        future += u64::from(matches!(node, LinearNode::Next(_) | LinearNode::Until(..)));
        nodes.push(node);
    }
    let node = NodeId(nodes.len() as u32 - 1);
    LinearCore { nodes, root: Edge { node, negated: choices.one_in(2) } }
}

fn machine(choices: &mut Choices, letters: usize) -> FsmCore {
    let count = 1 + choices.index(4);
    let state = |number: usize, choices: &mut Choices| FsmStateCore {
        name: format!("s{number}"),
        targets: (0..letters).map(|_| (!choices.one_in(4)).then(|| choices.index(count))).collect(),
    };
    FsmCore { states: (0..count).map(|number| state(number, choices)).collect() }
}

/// A grammar; most are ambiguous, some have unproductive or unreachable nonterminals.
fn grammar(choices: &mut Choices, letters: usize) -> CfgCore {
    let count = 1 + choices.index(3);
    let symbol = |choices: &mut Choices| {
        if choices.one_in(2) {
            GrammarSymbol::Nonterminal(choices.index(count))
        } else {
            GrammarSymbol::Letter(letter_id(choices, letters))
        }
    };
    let production =
        |choices: &mut Choices| (0..choices.below(4)).map(|_| symbol(choices)).collect::<Vec<GrammarSymbol>>();
    let nonterminal = |number: usize, choices: &mut Choices| NonterminalCore {
        name: format!("N{number}"),
        productions: (0..=choices.below(3)).map(|_| production(choices)).collect(),
    };
    CfgCore { nonterminals: (0..count).map(|number| nonterminal(number, choices)).collect() }
}

/// A body of one of the five kinds, of this size.
fn body(choices: &mut Choices, letters: usize, size: u64) -> PluginBody {
    match choices.below(5) {
        0 => PluginBody::Ere(ere(choices, size as u32, letters)),
        1 => PluginBody::Fsm(machine(choices, letters)),
        2 => PluginBody::Cfg(grammar(choices, letters)),
        3 => {
            let operators = 1 + choices.below(size + 2);
            PluginBody::Ltl(linear(choices, letters, operators, false))
        }
        _ => {
            let operators = 1 + choices.below(size + 2);
            PluginBody::PastLtl(linear(choices, letters, operators, true))
        }
    }
}

fn categories(choices: &mut Choices, body: &PluginBody) -> Vec<Category> {
    let mut categories = match body {
        PluginBody::Ere(_) | PluginBody::Cfg(_) => vec![Category::Match, Category::Fail],
        PluginBody::Ltl(_) | PluginBody::PastLtl(_) => vec![Category::Violation, Category::Validation],
        PluginBody::Fsm(machine) => {
            let mut states = |name: &str| Category::States {
                name: name.to_owned(),
                states: machine.states.iter().map(|_| choices.one_in(3)).collect(),
                fail: choices.one_in(2),
            };
            vec![states("first"), states("second")]
        }
    };
    if choices.one_in(2) {
        categories.reverse();
    }
    categories
}

/// The pattern of events that bind parameters to the fields of their numbers plus `shift`.
fn pattern(event: &str, parameters: &[u32], shift: u32) -> EventPattern {
    let path = |parameter: &u32| Path { field: format!("f{}", (parameter + shift) % 3), steps: vec![] };
    let variables = parameters.iter().map(|own| (ValueLocation::Field(path(own)), VariableId(*own)));
    EventPattern {
        event: event.to_owned(),
        arity: None,
        positional: vec![],
        present: parameters.iter().map(path).collect(),
        condition: None,
        variables: variables.collect(),
    }
}

fn plugin(choices: &mut Choices) -> PluginCore {
    let parameters = choices.below(4) as u32;
    let has_key = parameters > 0 && choices.one_in(4);
    let (mut atoms, mut letters): (Vec<AtomDefinition>, Vec<LetterCore>) = (vec![], vec![]);
    for number in 0..=choices.below(4) {
        let has_end = letters.iter().any(|letter| letter.source == LetterSource::EndOfTrace);
        let (name, creates) = (format!("l{number}"), true);
        if !has_end && choices.one_in(9) {
            letters.push(LetterCore { name, source: LetterSource::EndOfTrace, parameters: vec![], creates });
            continue;
        }
        let own = (0..parameters).filter(|parameter| (has_key && *parameter == 0) || choices.one_in(2));
        let own: Vec<u32> = own.collect();
        let event = if number > 0 && choices.one_in(5) { choices.below(number) } else { number };
        let mut patterns = vec![pattern(&format!("e{event}"), &own, 0)];
        if choices.one_in(5) {
            patterns.push(pattern(&format!("e{event}"), &own, 1));
        }
        if choices.one_in(9) {
            patterns.push(pattern("e9", &own, 0));
        }
        let source = LetterSource::Atom(AtomId(atoms.len() as u32));
        letters.push(LetterCore {
            name: name.clone(),
            source,
            parameters: own.into_iter().map(VariableId).collect(),
            creates,
        });
        atoms.push(AtomDefinition { name, patterns });
    }
    let body = body(choices, letters.len(), 3);
    let mut creation = Creation::Any;
    if choices.one_in(2) {
        let creating: BTreeSet<usize> = (0..letters.len())
            .filter(|place| letters[*place].source != LetterSource::EndOfTrace && choices.one_in(2))
            .collect();
        if !creating.is_empty() {
            let binds_all = |place: &usize| letters[*place].parameters.len() == parameters as usize;
            let drops = creating.iter().all(binds_all);
            creation = if drops { Creation::DropBefore } else { Creation::MustBeFirst };
            letters.iter_mut().enumerate().for_each(|(place, letter)| letter.creates = creating.contains(&place));
        }
    }
    let categories = categories(choices, &body);
    let forbidden = categories.into_iter().enumerate().filter(|(place, _)| *place == 0 || choices.one_in(3));
    let categories: Vec<Category> = forbidden.map(|(_, category)| category).collect();
    let forbidden =
        categories.into_iter().map(|category| ForbiddenCore { category, resets: choices.one_in(4), message: None });
    let forbidden = forbidden.collect();
    let parameter =
        |number| QuantifierCore { variable: format!("p{number}"), kind: QuantifierKind::Forall, threshold: None };
    PluginCore {
        name: "p".to_owned(),
        atoms,
        prefix: (0..parameters).map(parameter).collect(),
        letters,
        body,
        creation,
        forbidden,
        suffix: choices.one_in(4),
        full_binding: choices.one_in(5),
        connected: choices.one_in(5),
        span: Span::default(),
    }
}

fn events(choices: &mut Choices) -> Vec<OracleEvent> {
    let (count, values) = (choices.below(10), 1 + choices.below(3));
    let mut time = 0;
    let mut event = || {
        time += i128::from(choices.below(2));
        let number = if choices.one_in(12) { 9 } else { choices.below(4) };
        let mut event = OracleEvent::new(format!("e{number}"), Timestamp::from_ticks(time));
        for field in (0..3).filter(|_| !choices.one_in(12)).collect::<Vec<u32>>() {
            let value = match choices.below(values) {
                2 => Value::Text("longer than in place".into()),
                number => Value::Number(Number::Int(number as i64)),
            };
            event.fields.push((format!("f{field}"), Some(value)));
        }
        event
    };
    (0..count).map(|_| event()).collect()
}

fn cut(drive: &Drive, events: usize) -> Trace {
    Trace::with_symbols(drive.trace.events()[..events].to_vec(), drive.trace.symbols().clone())
}

fn agree(core: &Core, trace: &Trace, monitor: &Monitor, what: &str) -> Result<Outcome, String> {
    let outcomes = [End::Complete, End::Prefix].map(|end| {
        let found = Drive::finish(monitor.clone(), end);
        match difference(&judge_each(core, trace, end, None), &found) {
            None => Ok(found),
            Some(difference) => Err(format!("{what}, after {} events, as {end:?}\n{difference}", trace.events().len())),
        }
    });
    let [_, prefix] = outcomes;
    prefix
}

/// Compares a run on every cut, a run that is saved and restored at every event, its drains, and shards.
fn check(core: &Core, events: &[OracleEvent]) -> Result<Outcome, String> {
    let drive = Drive::new(core, events);
    let (mut plain, mut restored) = (drive.start(), drive.start());
    let mut drained: Vec<Violation> = Vec::new();
    let mut last = agree(core, &cut(&drive, 0), &plain, "plain")?;
    for event in 0..events.len() {
        drive.step(&mut plain, event);
        last = agree(core, &cut(&drive, event + 1), &plain, "plain")?;
        drive.step(&mut restored, event);
        drained.extend(restored.drain_violations(0, ALL_VIOLATIONS));
        let saved = restored.save();
        restored = drive.plan.restore(&saved).map_err(|error| format!("not restored: {error}"))?;
        if restored.save() != saved {
            return Err("saved again, it differs".to_owned());
        }
    }
    agree(core, &drive.trace, &restored, "restored")?;
    if positions(&drained) != positions(&last.violations) {
        return Err(format!("drained {drained:?}, listed {:?}", last.violations));
    }
    for of in [2, 3] {
        let shards = (0..of).map(|index| drive.share(index, of)).collect::<Vec<Monitor>>();
        let whole = Monitor::join(shards).ok_or("there are shards")?;
        agree(core, &drive.trace, &whole, &format!("in {of} shards"))?;
    }
    Ok(last)
}

/// Returns the fewest of the events with which a check still fails, and the message.
fn shrunk(core: &Core, mut events: Vec<OracleEvent>) -> (Vec<OracleEvent>, String) {
    let mut message = check(core, &events).err().unwrap_or_default();
    let mut at = 0;
    while at < events.len() {
        let mut fewer = events.clone();
        fewer.remove(at);
        match check(core, &fewer) {
            Err(own) => (events, message, at) = (fewer, own, 0),
            Ok(_) => at += 1,
        }
    }
    (events, message)
}

#[test]
fn random_plug_ins_on_random_traces() {
    let (mut activated, mut violated, mut pairs) = (0, 0, 0);
    let count = scaled(4_000);
    for seed in 0..count {
        let mut choices = Choices::new(seed);
        let core = Core::Plugin(plugin(&mut choices));
        let events = events(&mut choices);
        let Ok(outcome) = check(&core, &events) else {
            let (events, message) = shrunk(&core, events);
            panic!("seed {seed}: {message}\n{core:?}\n{events:?}");
        };
        activated += u64::from(outcome.activated > 0);
        violated += u64::from(outcome.violated > 0);
        pairs += u64::from(outcome.violations.iter().any(|one| one.binding.values.len() > 1));
    }
    let shares = [activated, violated, pairs].map(|number| number * 100 / count);
    assert!(count < 500 || (shares[0] > 30 && shares[1] > 20 && shares[2] > 3), "few cases matter: {shares:?} %");
}

/// All words up to six letters, by those of six: a run reports at each prefix.
#[test]
fn categories_of_all_words_of_random_bodies() {
    const LENGTH: usize = 6;
    let (mut reports, mut silent) = (0, 0);
    for seed in 0..scaled(250) {
        let mut choices = Choices::new(seed);
        let letters = 2;
        let size = 1 + choices.below(6);
        let body = body(&mut choices, letters, size);
        for category in categories(&mut choices, &body) {
            let letter = |number: usize| LetterCore {
                name: format!("e{number}"),
                source: LetterSource::Atom(AtomId(number as u32)),
                parameters: vec![],
                creates: true,
            };
            let atom = |number: usize| {
                let name = format!("e{number}");
                AtomDefinition { patterns: vec![pattern(&name, &[], 0)], name }
            };
            let core = Core::Plugin(PluginCore {
                name: "p".to_owned(),
                atoms: (0..letters).map(atom).collect(),
                prefix: vec![],
                letters: (0..letters).map(letter).collect(),
                body: body.clone(),
                creation: Creation::Any,
                forbidden: vec![ForbiddenCore { category, resets: false, message: None }],
                suffix: false,
                full_binding: false,
                connected: false,
                span: Span::default(),
            });
            for word in 0..1 << LENGTH {
                let event = |at: usize| OracleEvent::new(format!("e{}", word >> at & 1), Timestamp::from_ticks(0));
                let drive = Drive::new(&core, &(0..LENGTH).map(event).collect::<Vec<OracleEvent>>());
                let mut monitor = drive.start();
                (0..LENGTH).for_each(|event| drive.step(&mut monitor, event));
                let found = Drive::finish(monitor, End::Complete);
                let expected = judge_each(&core, &drive.trace, End::Complete, None);
                if let Some(difference) = difference(&expected, &found) {
                    panic!("seed {seed}, word {word:06b} from the right: {difference}\n{core:?}");
                }
                reports += found.violated;
                silent += u64::from(found.violated == 0);
            }
        }
    }
    assert!(reports > 1_000 && silent > 1_000, "{reports} {silent}");
}
