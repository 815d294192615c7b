// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated cases are worth judging: true and false about even, few trivial, every construct among them.

use gnomon_core::interval::Interval;
use gnomon_core::list::reachable;
use gnomon_core::number::Number;
use gnomon_core::value::Value;
use gnomon_core::verdict::{DecisionPoint, End, Outcome, Verdict, Violation};
use gnomon_ir::automaton::DefaultMove;
use gnomon_ir::clocks::{ClockExpression, ClockRelationKind};
use gnomon_ir::core::{
    AtomDefinition, BehaviourCore, ClockId, ClockRelationOrigin, ClocksCore, ContextDirection, Core, Creation,
    FormulaNode, LetterSource, ModalCore, PatternCore, PluginBody, PluginCore, Reporting, RuleCore, TermCore,
};
use gnomon_ir::modal::Sort;
use gnomon_ir::rule::{Matching, Modality};
use gnomon_ir::spec::{Language, QuantifierKind};
use gnomon_oracle::{OracleEvent, judge};
use gnomon_test::case::Case;
use gnomon_test::compare::Census;
use gnomon_test::generate;
use gnomon_test::property::scaled;

/// Returns the frequencies of qualities among this many generated cases; `None` if `GNOMON_CASES` leaves too few for a comparison.
fn census(language: Language, cases: u64) -> Option<Census> {
    let mut census = Census::default();
    for seed in 0..scaled(cases).min(cases) {
        let case = generate::case_in(language, seed);
        let core = case.core().expect("generated properties pass the checker");
        let whole = judge(&core, &case.trace(), End::Complete, usize::MAX);
        let half = judge(&core, &case.cut(case.events.len() / 2).trace(), End::Prefix, 0);
        let mut qualities = vec![
            format!("whole trace {}", whole.verdict),
            format!("half of it {}", half.verdict),
            format!("events {:02}-{:02}", case.events.len() / 5 * 5, case.events.len() / 5 * 5 + 4),
            format!("variables {}", core.prefix().len()),
        ];
        qualities.extend(shared_qualities(&case, &core, &whole));
        qualities.extend(match &core {
            Core::Formula(core) => formula_qualities(core),
            Core::Automaton(core) => automaton_qualities(core),
            Core::Rule(core) => rule_qualities(core, &whole),
            Core::Pattern(core) => pattern_qualities(core, &case, &whole),
            Core::Modal(core) => modal_qualities(core),
            Core::Plugin(core) => plugin_qualities(core, &whole),
            Core::Clocks(core) => clock_qualities(core, &whole),
        });
        census.add(qualities);
    }
    (scaled(cases) >= cases).then_some(census)
}

/// The names of those that are so.
fn named(qualities: &[(&str, bool)]) -> Vec<String> {
    qualities.iter().filter(|(_, is_so)| *is_so).map(|(name, _)| (*name).to_owned()).collect()
}

fn shared_qualities(case: &Case, core: &Core, whole: &Outcome) -> Vec<String> {
    let prefix = core.prefix();
    let times = || case.events.iter().map(|event| event.time);
    named(&[
        ("never activated", whole.activated == 0),
        ("several violations", whole.violated > 1),
        ("several bindings", whole.violations.windows(2).any(|pair| pair[0].binding != pair[1].binding)),
        ("equal times", times().zip(times().skip(1)).any(|(one, next)| one == next)),
        ("with exists", prefix.iter().any(|quantifier| quantifier.kind == QuantifierKind::Exists)),
        ("with number", prefix.iter().any(|quantifier| quantifier.threshold.is_some_and(|it| !it.of_all))),
        ("with percentage", prefix.iter().any(|quantifier| quantifier.threshold.is_some_and(|it| it.of_all))),
        ("alternating", prefix.windows(2).any(|pair| pair[0].kind != pair[1].kind)),
        ("with unusual number", case.events.iter().any(has_unusual_number)),
        ("with late binding", whole.violations.iter().any(|violation| is_late(case, violation))),
    ])
}

/// Returns true if the event has a number that is not a small integer: a fraction, a float, or one near a limit of 64 or 128 bits.
fn has_unusual_number(event: &OracleEvent) -> bool {
    let is_unusual = |value: &Value<'_>| match value {
        Value::Number(Number::Int(number)) => number.unsigned_abs() > 1 << 32,
        Value::Number(_) => true,
        _ => false,
    };
    event.fields.iter().any(|(_, value)| value.as_ref().is_some_and(is_unusual))
}

/// Returns true if a value of the violating binding occurs in no event up to the violation.
fn is_late(case: &Case, violation: &Violation) -> bool {
    let seen = &case.events[..case.events.len().min(violation.at.origin.event_index as usize + 1)];
    let occurs = |value: &Value<'_>| {
        seen.iter()
            .any(|event| event.fields.iter().any(|(_, field)| field.as_ref().is_some_and(|field| field == value)))
    };
    violation.binding.values.iter().any(|(_, value)| !occurs(value))
}

fn formula_qualities(core: &gnomon_ir::core::FormulaCore) -> Vec<String> {
    let has = |wanted: fn(&FormulaNode) -> bool| core.nodes.iter().any(wanted);
    let term = |wanted: fn(&TermCore) -> bool| core.terms.iter().any(wanted);
    named(&[
        ("read as invariants", matches!(core.reporting, Reporting::Invariants(_))),
        ("read as whole", matches!(core.reporting, Reporting::Whole(_))),
        ("constant", matches!(core.node(core.formula.node), FormulaNode::True)),
        ("with until", has(|node| matches!(node, FormulaNode::Until { .. }))),
        ("with since", has(|node| matches!(node, FormulaNode::Since { .. }))),
        ("with count", has(|node| matches!(node, FormulaNode::Count { .. }))),
        ("with maximum", has(|node| matches!(node, FormulaNode::Maximum { .. }))),
        ("with gap", has(|node| matches!(node, FormulaNode::Gap { .. }))),
        ("with fold", has(|node| matches!(node, FormulaNode::Fold { .. }))),
        ("with rate", has(|node| matches!(node, FormulaNode::Count { rate_window: Some(_), .. }))),
        ("with percentile", has(|node| matches!(node, FormulaNode::Percentile { .. }))),
        ("with distinct", has(|node| matches!(node, FormulaNode::Distinct { .. }))),
        ("with full window", has(|node| matches!(node, FormulaNode::TimeAtLeast(_)))),
        ("with compare", has(|node| matches!(node, FormulaNode::Compare { .. }))),
        ("with in future", has(|node| matches!(node, FormulaNode::InFuture { .. }))),
        ("with each", has(|node| matches!(node, FormulaNode::Each { .. }))),
        ("with start", !core.starts.is_empty()),
        ("with operation", term(|term| matches!(term, TermCore::Operation(..)))),
        ("with past", term(|term| matches!(term, TermCore::Past { .. }))),
        ("with start in the past", term(|term| matches!(term, TermCore::Past { event, .. } if event.starts))),
        ("with elapsed", term(|term| matches!(term, TermCore::Elapsed { .. }))),
        ("with counted states", term(|term| matches!(term, TermCore::Count { .. }))),
        (
            "with counted starts",
            core.nodes.iter().zip(core.waits()).any(|(node, waits)| waits && !node.terms().is_empty()),
        ),
        ("with folded values", term(|term| matches!(term, TermCore::Fold { .. }))),
    ])
}

fn automaton_qualities(core: &gnomon_ir::core::AutomatonCore) -> Vec<String> {
    let transitions = || core.states.iter().flat_map(|state| &state.transitions);
    let branches = || transitions().flat_map(|transition| &transition.branches);
    let two_ways = |state: &gnomon_ir::core::StateCore| {
        let atoms: Vec<_> = state.transitions.iter().map(|transition| transition.atom).collect();
        (1..atoms.len()).any(|at| atoms[..at].contains(&atoms[at]))
    };
    let targets = |state: usize| {
        core.states[state].transitions.iter().flat_map(|transition| &transition.branches).map(|branch| branch.target)
    };
    let is_trap = |state: usize| reachable([state], targets).into_iter().all(|state| !core.states[state].accepting);
    named(&[
        ("with where", core.condition.is_some()),
        ("with guard", branches().any(|branch| branch.guard.is_some())),
        ("with assignment", branches().any(|branch| !branch.assignments.is_empty())),
        ("with else", transitions().any(|transition| transition.branches.len() > 1)),
        ("with next", core.states.iter().any(|state| state.otherwise == DefaultMove::Die)),
        ("with two ways", core.states.iter().any(two_ways)),
        ("with trap", (0..core.states.len()).any(is_trap)),
        ("with initial trap", is_trap(0)),
    ])
}

fn rule_qualities(core: &RuleCore, whole: &Outcome) -> Vec<String> {
    let context: Vec<_> = core.actions.iter().map(|action| action.atom).collect();
    let future = core.direction == ContextDirection::Future;
    let paired = core.matching == Matching::Paired;
    let mut qualities = named(&[
        ("with paired future", paired && future),
        ("with paired past", paired && !future),
        ("with any future", !paired && future),
        ("with any past", !paired && !future),
        ("with permission", core.modality == Modality::Permission),
        ("with prohibition", core.modality == Modality::Prohibition),
        ("with lower bound", core.lower.ticks() > 0),
        ("with one moment", core.upper == Some(core.lower)),
        ("with no upper bound", core.upper.is_none()),
        ("with alternatives", core.supposition.len() > 1),
        ("with several actions", core.actions.len() > 1),
        ("with more than 64 actions", core.actions.len() > 64),
        ("with negation", core.actions.iter().any(|action| action.negated)),
        ("with shared message", core.supposition.iter().any(|atom| context.contains(atom))),
        ("with correlation", !core.correlations.is_empty()),
        ("with several sets", core.correlations.len() > 1),
        ("with strict end", core.strict_end),
        ("with declared message", core.atoms.iter().any(|atom| atom.name == "d")),
    ]);
    let decided = |kind: fn(&DecisionPoint) -> bool| whole.violations.iter().any(|violation| kind(&violation.decided));
    qualities.extend(named(&[
        ("with several instances", whole.activated > 2),
        ("with both outcomes", whole.satisfied > 0 && whole.violated > 0),
        ("with pending instances", whole.pending > 0),
        ("with passed deadline", decided(|decided| matches!(decided, DecisionPoint::Deadline(_)))),
        ("with deciding message", decided(|decided| matches!(decided, DecisionPoint::Event(_)))),
        ("with violation by end", decided(|decided| matches!(decided, DecisionPoint::End(_)))),
    ]));
    qualities
}

fn pattern_qualities(core: &PatternCore, case: &Case, whole: &Outcome) -> Vec<String> {
    let mut qualities = vec![format!("with {:?}", core.scope)];
    let (kind, timed, longest) = match &core.behaviour {
        BehaviourCore::Absence(_) => ("absence", false, 1),
        BehaviourCore::Existence { within, .. } => ("existence", *within != Interval::ANY, 1),
        BehaviourCore::Count { .. } => ("number of events", false, 1),
        BehaviourCore::Rate { .. } => ("rate", true, 1),
        BehaviourCore::Universality { .. } => ("universality", false, 1),
        BehaviourCore::Only(_) => ("only", false, 1),
        BehaviourCore::Precedence { causes, effects, within, .. } => {
            ("precedence", *within != Interval::ANY, causes.len().max(effects.len()))
        }
        BehaviourCore::Response { stimuli, responses, within, .. } => {
            ("response", *within != Interval::ANY, stimuli.len().max(responses.len()))
        }
        BehaviourCore::Recurrence { .. } => ("recurrence", true, 1),
    };
    qualities.push(format!("with {kind}"));
    qualities.push(format!("with chain of {longest}"));
    let several = |event: &OracleEvent| {
        let matches = |atom: &AtomDefinition| atom.patterns.iter().any(|pattern| pattern.event == event.name);
        core.atoms.iter().filter(|atom| matches(atom)).count() > 1
    };
    let delimits = |name: &str| {
        let delimiters = core.opens.iter().chain(&core.closes).map(|atom| &core.atoms[atom.0 as usize]);
        delimiters.filter(|atom| atom.patterns.iter().any(|pattern| pattern.event == name)).count()
    };
    let decided = |kind: fn(&DecisionPoint) -> bool| whole.violations.iter().any(|violation| kind(&violation.decided));
    qualities.extend(named(&[
        ("with bound", timed),
        ("with wildcard", core.prefix.iter().any(|quantifier| quantifier.variable.starts_with('*'))),
        ("with requirement of a part", requires(&core.behaviour)),
        ("with exception", matches!(core.behaviour, BehaviourCore::Response { without: Some(_), .. })),
        ("with events of several atoms", case.events.iter().any(several)),
        ("with events that open and close", case.events.iter().any(|event| delimits(&event.name) > 1)),
        ("with several segments", whole.activated > 1),
        ("with both outcomes", whole.satisfied > 0 && whole.violated > 0),
        ("with passed deadline", decided(|decided| matches!(decided, DecisionPoint::Deadline(_)))),
        ("with deciding event", decided(|decided| matches!(decided, DecisionPoint::Event(_)))),
        ("with violation by end", decided(|decided| matches!(decided, DecisionPoint::End(_)))),
    ]));
    qualities
}

fn requires(behaviour: &BehaviourCore) -> bool {
    matches!(
        behaviour,
        BehaviourCore::Precedence { required: true, .. } | BehaviourCore::Response { required: true, .. }
    )
}

fn modal_qualities(core: &ModalCore) -> Vec<String> {
    let text = format!("{:?}", core.body);
    let has = |word: &str| text.contains(word);
    named(&[
        ("with conjunction of formulae", has("And([")),
        ("with guard", has("Implies(")),
        ("with box in a box", text.matches("Box(").count() > 1),
        ("with choice", has("Or(")),
        ("with iteration", has("Star(")),
        ("with nothing", has("Nil")),
        ("with negation", has("Not(")),
        ("with comparison", has("Compare(")),
        ("with arithmetic", has("Arithmetic(")),
        ("with variable of an action", !core.locals.is_empty()),
        ("with forall in an action", has("Quantified(Forall")),
        ("with sort of numbers", core.sorts.iter().any(|sort| !matches!(sort, Sort::Any | Sort::Boolean))),
        ("with Bool", core.sorts.contains(&Sort::Boolean)),
    ])
}

fn is_even(census: &Census, constructs: &[&str]) {
    let share = |verdict: Verdict| census.percent(&format!("whole trace {verdict}"));
    assert!((38..=62).contains(&share(Verdict::Holds)), "{}", census.table());
    assert!(census.percent("half of it inconclusive") >= 25, "{}", census.table());
    assert!(census.percent("constant") <= 8, "{}", census.table());
    for construct in constructs.iter().chain(&["unusual number"]) {
        assert!(census.percent(&format!("with {construct}")) >= 3, "{construct}\n{}", census.table());
    }
}

#[test]
fn generated_soloist_is_even_and_seldom_trivial() {
    let Some(census) = census(Language::Soloist, 8_000) else { return };
    println!("{}", census.table());
    is_even(&census, &["until", "since", "count", "maximum", "gap", "full window", "rate", "percentile", "distinct"]);
}

#[test]
fn generated_mtl_is_even_and_seldom_trivial() {
    let Some(census) = census(Language::Mtl, 2_000) else { return };
    println!("{}", census.table());
    is_even(
        &census,
        &[
            "until",
            "since",
            "count",
            "rate",
            "fold",
            "percentile",
            "distinct",
            "exists",
            "number",
            "percentage",
            "late binding",
        ],
    );
    assert!(census.percent("several bindings") >= 10, "{}", census.table());
    assert!(census.percent("never activated") <= 25, "{}", census.table());
    assert!(census.percent("alternating") >= 4, "{}", census.table());
}

#[test]
fn generated_qea_is_even_and_seldom_trivial() {
    let Some(census) = census(Language::Qea, 3_000) else { return };
    println!("{}", census.table());
    let constructs = ["where", "guard", "assignment", "else", "next", "two ways", "exists"];
    is_even(&census, &constructs);
    is_even(&census, &["trap", "initial trap", "late binding"]);
    assert!(census.percent("several bindings") >= 8, "{}", census.table());
    assert!(census.percent("never activated") <= 25, "{}", census.table());
    assert!(census.percent("alternating") >= 4, "{}", census.table());
}

#[test]
fn generated_nomad_is_even_and_seldom_trivial() {
    let Some(census) = census(Language::Nomad, 3_000) else { return };
    println!("{}", census.table());
    is_even(
        &census,
        &[
            "paired future",
            "paired past",
            "any future",
            "any past",
            "permission",
            "prohibition",
            "lower bound",
            "one moment",
            "no upper bound",
            "alternatives",
            "several actions",
            "negation",
            "shared message",
            "correlation",
            "several sets",
            "strict end",
            "declared message",
            "several instances",
            "both outcomes",
            "pending instances",
            "passed deadline",
            "deciding message",
            "violation by end",
        ],
    );
    assert!(census.percent("with more than 64 actions") >= 1, "{}", census.table());
    assert!(census.percent("several bindings") >= 3, "{}", census.table());
    assert!(census.percent("never activated") <= 10, "{}", census.table());
    assert!(census.percent("equal times") >= 40, "{}", census.table());
}

#[test]
fn generated_albert_is_even_and_seldom_trivial() {
    let Some(census) = census(Language::Albert, 3_000) else { return };
    println!("{}", census.table());
    is_even(
        &census,
        &[
            "until",
            "since",
            "compare",
            "in future",
            "each",
            "start",
            "operation",
            "past",
            "start in the past",
            "elapsed",
            "counted states",
            "folded values",
        ],
    );
    assert!(census.percent("never activated") <= 25, "{}", census.table());
    assert!(census.percent("several violations") >= 20, "{}", census.table());
    assert!(census.percent("equal times") >= 40, "{}", census.table());
}

#[test]
fn generated_patterns_are_even_and_seldom_trivial() {
    let Some(census) = census(Language::Pattern, 4_000) else { return };
    println!("{}", census.table());
    is_even(
        &census,
        &[
            "Globally",
            "Before",
            "Until",
            "After",
            "AfterLast",
            "Between",
            "BetweenLast",
            "AfterUntil",
            "AfterLastUntil",
            "absence",
            "existence",
            "number of events",
            "rate",
            "universality",
            "only",
            "precedence",
            "response",
            "recurrence",
            "chain of 2",
            "chain of 3",
            "bound",
            "wildcard",
            "requirement of a part",
            "exception",
            "events of several atoms",
            "events that open and close",
            "several segments",
            "both outcomes",
            "passed deadline",
            "deciding event",
            "violation by end",
            "late binding",
        ],
    );
    assert!(census.percent("several bindings") >= 5, "{}", census.table());
    assert!(census.percent("never activated") <= 15, "{}", census.table());
}

#[test]
fn generated_mu_is_even_and_seldom_trivial() {
    let Some(census) = census(Language::Mu, 2_000) else { return };
    println!("{}", census.table());
    is_even(
        &census,
        &[
            "conjunction of formulae",
            "guard",
            "box in a box",
            "choice",
            "iteration",
            "nothing",
            "negation",
            "comparison",
            "arithmetic",
            "variable of an action",
            "forall in an action",
            "sort of numbers",
            "Bool",
            "late binding",
        ],
    );
    assert!(census.percent("several bindings") >= 5, "{}", census.table());
    assert!(census.percent("never activated") <= 25, "{}", census.table());
}

fn plugin_qualities(core: &PluginCore, whole: &Outcome) -> Vec<String> {
    let bindings = || whole.violations.iter().map(|violation| violation.binding.values.len());
    named(&[
        ("with ere", matches!(core.body, PluginBody::Ere(_))),
        ("with fsm", matches!(core.body, PluginBody::Fsm(_))),
        ("with cfg", matches!(core.body, PluginBody::Cfg(_))),
        ("with ltl", matches!(core.body, PluginBody::Ltl(_))),
        ("with ptltl", matches!(core.body, PluginBody::PastLtl(_))),
        ("with dropped before creation", core.creation == Creation::DropBefore),
        ("with creation must be first", core.creation == Creation::MustBeFirst),
        ("with suffix", core.suffix),
        ("with full-binding", core.full_binding),
        ("with connected", core.connected),
        ("with reset", core.forbidden.iter().any(|one| one.resets)),
        ("with end of the trace", core.letters.iter().any(|letter| letter.source == LetterSource::EndOfTrace)),
        ("with several patterns", core.atoms.iter().any(|atom| atom.patterns.len() > 1)),
        ("with partial binding", bindings().any(|bound| bound < core.prefix.len())),
        ("with full binding of several", bindings().any(|bound| bound == core.prefix.len() && bound > 1)),
    ])
}

fn clock_qualities(core: &ClocksCore, whole: &Outcome) -> Vec<String> {
    let expression =
        |wanted: fn(&ClockExpression<ClockId>) -> bool| core.defined.iter().any(|clock| wanted(&clock.expression));
    let relation = |wanted: fn(ClockRelationKind) -> bool| {
        let written = core.relations.iter().filter(|one| one.origin == ClockRelationOrigin::Written);
        written.into_iter().any(|one| wanted(one.relation.kind))
    };
    named(&[
        ("with union", expression(|of| matches!(of, ClockExpression::Union(..)))),
        ("with intersection", expression(|of| matches!(of, ClockExpression::Intersection(..)))),
        ("with difference", expression(|of| matches!(of, ClockExpression::Difference(..)))),
        ("with delay", expression(|of| matches!(of, ClockExpression::Delay(..)))),
        ("with delay on", expression(|of| matches!(of, ClockExpression::DelayOn { .. }))),
        ("with every", expression(|of| matches!(of, ClockExpression::Every { .. }))),
        (
            "with finite filter",
            expression(|of| matches!(of, ClockExpression::Filter(_, word) if word.period.is_empty())),
        ),
        (
            "with periodic filter",
            expression(|of| matches!(of, ClockExpression::Filter(_, word) if !word.period.is_empty())),
        ),
        ("with sampled", expression(|of| matches!(of, ClockExpression::Sampled { strictly: false, .. }))),
        ("with strictly sampled", expression(|of| matches!(of, ClockExpression::Sampled { strictly: true, .. }))),
        ("with upto", expression(|of| matches!(of, ClockExpression::UpTo(..)))),
        ("with wait", expression(|of| matches!(of, ClockExpression::Wait(..)))),
        ("with then", expression(|of| matches!(of, ClockExpression::Then(..)))),
        ("with inf", expression(|of| matches!(of, ClockExpression::Infimum(..)))),
        ("with sup", expression(|of| matches!(of, ClockExpression::Supremum(..)))),
        ("with subclock", relation(|kind| kind == ClockRelationKind::Subclock)),
        ("with coincidence", relation(|kind| kind == ClockRelationKind::Coincides)),
        ("with exclusion", relation(|kind| kind == ClockRelationKind::Excludes)),
        ("with precedence", relation(|kind| kind == ClockRelationKind::Precedes)),
        ("with bounded precedence", relation(|kind| matches!(kind, ClockRelationKind::PrecedesWithin(_)))),
        ("with causality", relation(|kind| kind == ClockRelationKind::Causes)),
        ("with alternation", relation(|kind| kind == ClockRelationKind::Alternates)),
        ("with declared clock", core.relations.iter().any(|one| one.origin == ClockRelationOrigin::DeclaredEvent)),
        ("with unserved ticks", whole.pending > 0),
        ("with violated range", whole.violations.iter().any(|violation| violation.until_position.is_some())),
    ])
}

#[test]
fn generated_ccsl_is_even_and_seldom_trivial() {
    let Some(census) = census(Language::Ccsl, 2_000) else { return };
    println!("{}", census.table());
    is_even(
        &census,
        &[
            "union",
            "intersection",
            "difference",
            "delay",
            "delay on",
            "every",
            "finite filter",
            "periodic filter",
            "sampled",
            "strictly sampled",
            "upto",
            "wait",
            "then",
            "inf",
            "sup",
            "subclock",
            "coincidence",
            "exclusion",
            "precedence",
            "bounded precedence",
            "causality",
            "alternation",
            "declared clock",
            "unserved ticks",
            "violated range",
        ],
    );
    assert!(census.percent("never activated") <= 10, "{}", census.table());
}

#[test]
fn generated_mop_is_even_and_seldom_trivial() {
    let Some(census) = census(Language::Mop, 2_000) else { return };
    println!("{}", census.table());
    is_even(
        &census,
        &[
            "ere",
            "fsm",
            "cfg",
            "ltl",
            "ptltl",
            "dropped before creation",
            "creation must be first",
            "suffix",
            "full-binding",
            "connected",
            "reset",
            "end of the trace",
            "several patterns",
            "partial binding",
            "full binding of several",
        ],
    );
    assert!(census.percent("several bindings") >= 5, "{}", census.table());
    assert!(census.percent("never activated") <= 30, "{}", census.table());
}
