// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever key the analysis finds: the classes, judged apart, together say what the whole says. And where it finds none, there
//! mostly is none.

use std::path::Path;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{Binding, DecisionPoint, End, Outcome, Simultaneous, Verdict, Violation};
use gnomon_ir::atom::{Argument, Atom, ValueLocation, VariableId};
use gnomon_ir::core::Core;
use gnomon_ir::modal::{ModalFormula, Sort, SortedVariable};
use gnomon_ir::partition::{
    Carrier, MissingKey, Partition, PartitionKey, PartitionReasonKind, RequiredBounds, partition,
};
use gnomon_ir::spec::{Body, Language, Quantifier, QuantifierKind};
use gnomon_oracle::{OracleEvent, Trace, judge_each};
use gnomon_test::build::{argument, each_atom, variable, variables};
use gnomon_test::case::Case;
use gnomon_test::compare::{Census, positions};
use gnomon_test::corpus::load;
use gnomon_test::drive::Drive;
use gnomon_test::generate;
use gnomon_test::property::{for_all_in, for_all_small_mtl, scaled};

const LANGUAGES: [Language; 6] =
    [Language::Mtl, Language::Qea, Language::Nomad, Language::Pattern, Language::Mu, Language::Mop];

fn partition_of(case: &Case) -> Result<Partition, String> {
    Ok(partition(case.property(), &case.core()?))
}

/// The value that an event has of a key.
fn value_of(key: &PartitionKey, event: &OracleEvent) -> Option<Value<'static>> {
    let carrier: &Carrier = key.carriers.iter().find(|carrier| carrier.event == event.name)?;
    match &carrier.places[0] {
        ValueLocation::Parameter(index) => event.parameters().get(*index).cloned(),
        ValueLocation::Field(path) => event.at_path(path).cloned(),
    }
}

/// The places of each class's events; `None` if the trace must not be partitioned.
fn classes(key: &PartitionKey, events: &[OracleEvent]) -> Option<Vec<Vec<usize>>> {
    let mut classes: Vec<(Value<'static>, Vec<usize>)> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let Some(value) = value_of(key, event) else {
            let is_spoken_of = key.carriers.iter().any(|carrier| carrier.event == event.name);
            if key.if_missing == MissingKey::Refused && is_spoken_of {
                return None;
            }
            continue;
        };
        match classes.iter_mut().find(|(known, _)| known.order(&value).is_eq()) {
            Some((_, own)) => own.push(index),
            None => classes.push((value, vec![index])),
        }
    }
    Some(classes.into_iter().map(|(_, own)| own).collect())
}

/// A part of a trace as a trace: the events of the whole that it has, and the first and the last of the whole as events that
/// concern nobody, where the part needs them.
struct TracePart {
    places: Vec<usize>,
    events: Vec<OracleEvent>,
}

impl TracePart {
    fn new(own: &[usize], whole: &[OracleEvent], required: RequiredBounds) -> TracePart {
        let blank = |index: usize| OracleEvent::new("nobody at all", whole[index].time);
        let mut part =
            TracePart { places: own.to_vec(), events: own.iter().map(|index| whole[*index].clone()).collect() };
        let last = whole.len() - 1;
        if required.first && own.first() != Some(&0) {
            part.places.insert(0, 0);
            part.events.insert(0, blank(0));
        }
        if required.last && part.places.last() != Some(&last) {
            part.places.push(last);
            part.events.push(blank(last));
        }
        part
    }

    fn whole(events: &[OracleEvent]) -> TracePart {
        TracePart { places: (0..events.len()).collect(), events: events.to_vec() }
    }

    fn by_oracle(&self, case: &Case, end: End) -> Result<PartResult, String> {
        let (outcome, violations) = judge_each(&case.core()?, &Trace::new(self.events.clone()), end, None);
        Ok(self.result(&outcome, &violations))
    }

    /// Evaluates with the engine and expands its ranges of violations to single events, each a position.
    fn by_engine(&self, case: &Case, end: End) -> Result<PartResult<(usize, String)>, String> {
        let core = case.core()?;
        let drive = Drive::new(&core, &self.events);
        let mut monitor = drive.start();
        (0..self.events.len()).for_each(|index| drive.step(&mut monitor, index));
        let outcome = Drive::finish(monitor, end);
        let single = core.simultaneous() == Simultaneous::Sequence;
        let broken = if single { positions(&outcome.violations) } else { vec![] };
        let of_whole = |index: u64| self.places[usize::try_from(index).expect("a place in the part")];
        let mut broken: Vec<(usize, String)> =
            broken.into_iter().map(|(position, binding)| (of_whole(position), written(&binding))).collect();
        broken.sort();
        Ok((outcome.verdict, outcome.presumably, outcome.violated, broken))
    }

    /// Returns the result of a part in event numbers of the whole trace.
    fn result(&self, outcome: &Outcome, violations: &[Violation]) -> PartResult {
        let of_whole = |index: u64| self.places[usize::try_from(index).expect("a place in the part")];
        let mut reported: Vec<PartViolation> = violations
            .iter()
            .map(|violation| {
                let decided = match violation.decided {
                    DecisionPoint::Event(origin) => ("event", Some(of_whole(origin.event_index)), origin.time),
                    DecisionPoint::Deadline(time) => ("deadline", None, time),
                    DecisionPoint::End(time) => ("end", None, time),
                };
                (
                    of_whole(violation.at.origin.event_index),
                    written(&violation.binding),
                    decided,
                    violation.failed.start,
                )
            })
            .collect();
        reported.sort();
        (outcome.verdict, outcome.presumably, outcome.violated, reported)
    }
}

type PartViolation = (usize, String, (&'static str, Option<usize>, Timestamp), u32);
/// Verdict, presumable verdict, number of violations, violations.
type PartResult<T = PartViolation> = (Verdict, Option<bool>, u64, Vec<T>);

/// A binding as text.
fn written(binding: &Binding) -> String {
    let one = |(name, value): &(String, Value<'static>)| format!("{name} = {value} ");
    binding.values.iter().map(one).collect::<Vec<_>>().concat()
}

/// Combines the results of several parts.
fn together<T: Ord>(parts: Vec<PartResult<T>>) -> PartResult<T> {
    let mut sum = (Verdict::Holds, None, 0, Vec::new());
    for (verdict, presumably, violated, broken) in parts {
        let any = |wanted| sum.0 == wanted || verdict == wanted;
        (sum.0, sum.1) = if any(Verdict::Violated) {
            (Verdict::Violated, None)
        } else if any(Verdict::Inconclusive) {
            (Verdict::Inconclusive, Some(sum.1 != Some(false) && presumably != Some(false)))
        } else {
            (Verdict::Holds, None)
        };
        sum.2 += violated;
        sum.3.extend(broken);
    }
    sum.3.sort();
    sum
}

/// Checks that partitioning by each key changes no result.
fn agrees(case: &Case, keys: &[PartitionKey]) -> Result<(), String> {
    if case.events.is_empty() {
        return Ok(());
    }
    let whole = TracePart::whole(&case.events);
    for key in keys {
        let Some(classes) = classes(key, &case.events).filter(|classes| !classes.is_empty()) else { continue };
        // Each class on its own, and all but the first as one part.
        let mut ways = vec![classes.clone()];
        if let [first, rest @ ..] = classes.as_slice()
            && rest.len() > 1
        {
            let mut rest = rest.concat();
            rest.sort_unstable();
            ways.push(vec![first.clone(), rest]);
        }
        for way in ways {
            let parts: Vec<TracePart> =
                way.iter().map(|own| TracePart::new(own, &case.events, key.required_bounds)).collect();
            for end in [End::Complete, End::Prefix] {
                let apart = parts.iter().map(|part| part.by_oracle(case, end)).collect::<Result<Vec<_>, _>>()?;
                let (wanted, found) = (whole.by_oracle(case, end)?, together(apart));
                if wanted != found {
                    let variable = &key.variable;
                    return Err(format!("oracle, by {variable}, {end:?}:\nwhole {wanted:?}\nparts {found:?}"));
                }
                let apart = parts.iter().map(|part| part.by_engine(case, end)).collect::<Result<Vec<_>, _>>()?;
                let (wanted, found) = (whole.by_engine(case, end)?, together(apart));
                if wanted != found {
                    return Err(format!("engine, by {}, {end:?}:\nwhole {wanted:?}\nparts {found:?}", key.variable));
                }
            }
        }
    }
    Ok(())
}

/// The case with a variable of its own in the first place of every atom, for which it is asked; `None` if that cannot be.
fn keyed(case: &Case) -> Option<Case> {
    const OWN: &str = "own";
    let mut keyed = case.clone();
    let property = &mut keyed.spec.properties[0];
    let change = &mut |atom: &mut Atom| {
        let arguments = atom.arguments.get_or_insert_default();
        match arguments.first_mut() {
            Some(first) => *first = argument(OWN),
            None => arguments.push(argument(OWN)),
        }
        if ["r", "k", "w"].contains(&atom.name.as_str()) && arguments.len() == 1 {
            arguments.push(Argument::Any);
        }
    };
    each_atom(&mut property.body, change);
    match &mut property.body {
        Body::Rule(_) => return None,
        Body::Modal(modal) => {
            let own = SortedVariable { variable: variable(OWN), sort: Sort::Any, sort_name: "D".to_owned() };
            *modal = ModalFormula::Forall(own, Box::new(modal.clone()));
        }
        _ => {
            let used = variables(&property.body);
            for quantifier in &mut property.prefix {
                (quantifier.kind, quantifier.threshold) = (QuantifierKind::Forall, None);
                quantifier.variables.retain(|variable| used.contains(&variable.name));
            }
            property.prefix.retain(|quantifier| !quantifier.variables.is_empty());
            let (kind, variables) = (QuantifierKind::Forall, vec![variable(OWN)]);
            property.prefix.push(Quantifier { kind, threshold: None, variables, span: Span::default() });
        }
    }
    keyed.core().is_ok().then_some(keyed)
}

fn agrees_in(language: Language, count: u64) {
    for_all_in(language, "partition", count, |case| agrees(case, &partition_of(case)?.keys));
    for_all_in(language, "partition with a key", count, |case| match keyed(case) {
        Some(case) => agrees(&case, &partition_of(&case)?.keys),
        None => Ok(()),
    });
}

#[test]
fn mtl_is_the_same_in_parts() {
    agrees_in(Language::Mtl, 3_000);
}

#[test]
fn automata_are_the_same_in_parts() {
    agrees_in(Language::Qea, 2_000);
}

#[test]
fn rules_are_the_same_in_parts() {
    agrees_in(Language::Nomad, 3_000);
}

#[test]
fn patterns_are_the_same_in_parts() {
    agrees_in(Language::Pattern, 2_000);
}

#[test]
fn words_are_the_same_in_parts() {
    agrees_in(Language::Mu, 1_000);
}

#[test]
fn plug_ins_are_the_same_in_parts() {
    agrees_in(Language::Mop, 2_000);
}

#[test]
fn what_has_no_variables_has_no_key() {
    for language in [Language::Albert, Language::Soloist] {
        for_all_in(language, "partition", 300, |case| {
            let found = partition_of(case)?;
            let kinds: Vec<PartitionReasonKind> = found.reasons.iter().map(|reason| reason.kind).collect();
            if found.keys.is_empty() && kinds == [PartitionReasonKind::NoVariables] {
                Ok(())
            } else {
                Err(format!("{found:?}"))
            }
        });
    }
}

#[test]
fn every_small_formula_is_the_same_in_parts() {
    for_all_small_mtl(|case| agrees(case, &partition_of(case)?.keys));
}

#[test]
fn the_corpus_is_the_same_in_parts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let suites = load(&folder).expect("the corpus is well formed");
    let (mut keys, mut wrong) = (0, Vec::new());
    for case in suites.iter().flat_map(|suite| &suite.cases) {
        let found = partition_of(&case.case).expect("the corpus passes the checker").keys;
        keys += usize::from(!found.is_empty());
        if let Err(difference) = agrees(&case.case, &found) {
            wrong.push(format!("{}: {difference}", case.place));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(keys >= 50, "only {keys} properties of the corpus have a key");
}

/// The key that a refused property would have, if it is refused for what it says and not for where its variable stands.
fn suspect(case: &Case, found: &Partition) -> Option<PartitionKey> {
    let refutable = [
        PartitionReasonKind::CountsPositions,
        PartitionReasonKind::Unseen,
        PartitionReasonKind::Simultaneous,
        PartitionReasonKind::EveryEvent,
    ];
    let reason = found.reasons.first().filter(|_| found.keys.is_empty())?;
    let core = case.core().ok()?;
    if !refutable.contains(&reason.kind) || core.prefix().len() != 1 {
        return None;
    }
    let mut carriers: Vec<Carrier> = Vec::new();
    for pattern in core.atoms().iter().flat_map(|atom| &atom.patterns) {
        let place = pattern.variables.iter().find(|(_, id)| *id == VariableId(0)).map(|(place, _)| place.clone())?;
        match carriers.iter().find(|carrier| carrier.event == pattern.event) {
            Some(known) if known.places != [place.clone()] => return None,
            Some(_) => {}
            None => carriers.push(Carrier { event: pattern.event.clone(), places: vec![place] }),
        }
    }
    let both = RequiredBounds { first: true, last: true };
    Some(PartitionKey {
        variable: "suspect".to_owned(),
        carriers,
        fields: vec![],
        required_bounds: both,
        if_missing: MissingKey::Ignored,
    })
}

/// Returns true if a trace shows that the partition changes a result.
fn is_distinguished(case: &Case, key: &PartitionKey, language: Language) -> bool {
    let others = (0..25).map(|seed| generate::case_in(language, seed).events);
    std::iter::once(case.events.clone()).chain(others).any(|events| {
        let other = Case { events, ..case.clone() };
        agrees(&other, std::slice::from_ref(key)).is_err()
    })
}

/// Counts the properties of each language that have a key, and the rejected ones that would have one as far as traces
/// can show.
#[test]
fn keys_are_found_often_and_refused_seldom_without_need() {
    for language in LANGUAGES {
        let (mut census, mut refused, mut shown) = (Census::default(), 0, 0);
        // The shares below are meaningless on fewer cases.
        for seed in 0..scaled(300).max(300) {
            let case = generate::case_in(language, seed);
            let Some(case) = keyed(&case).or((language == Language::Nomad).then_some(case)) else { continue };
            let found = partition_of(&case).expect("it passes the checker");
            let mut kinds = vec![if found.keys.is_empty() { "refused" } else { "key" }.to_owned()];
            kinds.extend(found.reasons.iter().map(|reason| reason.kind.word().to_owned()));
            census.add(kinds);
            if let Some(key) = suspect(&case, &found).filter(|_| refused < 40) {
                refused += 1;
                shown += u32::from(is_distinguished(&case, &key, language));
            }
        }
        println!("{language:?}\n{}{shown} of {refused} refused are distinguished by a trace\n", census.table());
        assert!(census.percent("key") >= 10, "{language:?}: too few keys\n{}", census.table());
        // Many of the rest ask nothing that could be answered, or begin with `X`.
        assert!(shown * 10 >= refused * 3, "{language:?}: {shown} of {refused} refused for a reason");
    }
}

/// A core that the analysis was not made for is not asked about.
#[test]
fn a_rule_without_correlation_has_no_key() {
    for_all_in(Language::Nomad, "no sets", 300, |case| {
        let Core::Rule(core) = case.core()? else { return Err("no rule".to_owned()) };
        let found = partition_of(case)?;
        if core.correlations.is_empty() && !found.keys.is_empty() { Err(format!("{found:?}")) } else { Ok(()) }
    });
}
