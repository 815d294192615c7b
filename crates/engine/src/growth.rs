// SPDX-License-Identifier: MIT OR Apache-2.0
//! Growth of the work: against the size of a formula, its bounds, simultaneous events, variables and bindings.
//!
//! Each test counts the [steps](crate::work) for a size and for four times as much, so that the result does not depend on the machine. More
//! than n log n fails.

use gnomon_core::event::{Event, OwnedFields};
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::{TICKS_PER_BARE_UNIT, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::End;
use gnomon_ir::check::check;

/// A name, a time and parameters.
type TestEvent = (&'static str, usize, Vec<usize>);

/// Allowance for parts of the work that do not grow evenly.
const SLACK: f64 = 1.1;

/// The steps that checking a trace takes.
fn steps(property: &str, events: &[TestEvent]) -> f64 {
    let (spec, diagnostics) = gnomon_lang::parse(property);
    assert!(diagnostics.is_empty(), "{property}: {diagnostics:?}");
    let (core, _) = check(&spec, &spec.properties[0]);
    let plan = crate::plan(vec![core.expect("the property passes the checker")]);
    let mut symbols: Symbols = plan.symbols().clone();
    let mut monitor = plan.start(10);
    crate::work::take();
    for (index, (name, time, parameters)) in (0..).zip(events) {
        // The first parameter is also the field `v`.
        let keys = std::iter::once(symbols.key("v")).chain(std::iter::repeat(Key::OTHER));
        let value = |(number, key): (&usize, Key)| (key, Value::Number(Number::Int(*number as i64)));
        let fields = OwnedFields { entries: parameters.iter().zip(keys).map(value).collect() };
        let time = Timestamp::from_ticks(*time as i128 * TICKS_PER_BARE_UNIT);
        monitor.step(&Event { name: symbols.name(name), index, time, fields: &fields });
    }
    let _ = monitor.finish(End::Complete);
    crate::work::take() as f64
}

/// Checks that the work for `large` is at most n log n times that for `small`.
fn assert_near_linear(what: &str, [small, large]: [usize; 2], work: impl Fn(usize) -> f64) {
    let (few, many) = (work(small), work(large));
    let (small, large) = (small as f64, large as f64);
    let limit = large * large.log2() / (small * small.log2()) * SLACK;
    assert!(many <= few * limit, "{what}: {few} steps for {small}, {many} for {large}; at most {limit} times as many");
}

/// For each of n bindings, four events; those of different bindings alternate.
fn interleaved(bindings: usize) -> Vec<TestEvent> {
    let names = ["open", "use", "close", "use"];
    let event = |index: usize| {
        let (round, binding) = (index / bindings, index % bindings);
        (names[(round + binding) % 4], index, vec![binding])
    };
    (0..4 * bindings).map(event).collect()
}

#[test]
fn bindings_cost_their_events() {
    for formula in [
        "forall f. G(open(f) -> F[0,5] close(f))",
        "forall f. G(open(f) -> F close(f))",
        "forall f. G(use(f) -> !close(f) S open(f))",
        "forall f. G(open(f) -> !Y P open(f))",
        "forall f. G(open(f) -> Y !P open(f))",
        "forall f. G(use(f) -> Y true)",
        "forall f. G(use(f) -> Y open(f))",
        "forall f. G(use(f) -> Y Y open(f))",
        "forall f. G(use(f) -> Y[0,3] open(f))",
        "forall f. G(Y(!close(f) S open(f)) -> !open(f))",
        "forall f. G(open(f) -> !Y(!close(f) S open(f)))",
        "forall f. G(open(f) -> X use(f))",
        "forall f. G(open(f) -> X X use(f))",
        "forall f. G(use(f) -> count[10](use(f)) <= 3)",
    ] {
        let property = format!("mtl p {{ {formula} }}");
        assert_near_linear(formula, [250, 1_000], |size| steps(&property, &interleaved(size)));
    }
}

#[test]
fn pairs_that_no_event_connects_cost_nothing() {
    let trace = |size: usize| -> Vec<TestEvent> {
        let part = |index: usize| (["login", "open"][index % 2], index, vec![index / 2]);
        let accesses = (0..size).map(|index| ("access", 2 * size + index, vec![index, size - 1 - index]));
        (0..2 * size).map(part).chain(accesses).collect()
    };
    for formula in [
        "forall u, f. G(access(u, f) -> (!logout(u) S login(u)) && (!close(f) S open(f)))",
        "forall u, f. G(access(u, f) -> P[0,1000000] login(u) && !P access(u, f))",
        "forall u, f. G(access(u, f) && P open(f) -> F logout(u))",
    ] {
        let property = format!("mtl p {{ {formula} }}");
        assert_near_linear(formula, [100, 400], |size| steps(&property, &trace(size)));
    }
}

#[test]
fn instances_of_plug_ins_cost_their_events() {
    let body = "mop p { parameters c, i\n events create(c, i), modify(c), next(i)\n";
    let trace = |size: usize| -> Vec<TestEvent> {
        let round = |name: &'static str, of: fn(usize) -> Vec<usize>| (0..size).map(move |index| (name, 0, of(index)));
        let first = round("create", |index| vec![index, index]).chain(round("next", |index| vec![index]));
        first.chain(round("modify", |index| vec![index])).chain(round("next", |index| vec![index])).collect()
    };
    for options in ["", "creation create\n", "creation create\n full-binding\n connected\n"] {
        for logic in [
            "ere: create next* modify modify* next",
            "cfg: S -> create N M next, N -> N next | epsilon, M -> modify | M modify",
        ] {
            let property = format!("{body} {options} {logic}\n forbid match }}");
            assert_near_linear(&property, [250, 1_000], |size| steps(&property, &trace(size)));
        }
    }
}

#[test]
fn grammars_cost_their_letters() {
    let nested = |size: usize| -> Vec<TestEvent> {
        (0..size).map(|index| (if 2 * index < size { "lock" } else { "unlock" }, 0, vec![])).collect()
    };
    let flat =
        |size: usize| -> Vec<TestEvent> { (0..size).map(|index| (["lock", "unlock"][index % 2], 0, vec![])).collect() };
    for rules in [
        "S -> S lock S unlock | epsilon",
        "S -> lock S unlock S | epsilon",
        "S -> lock S unlock | epsilon",
        "S -> (lock S unlock)*",
        "S -> T | S T, T -> lock unlock | lock S unlock",
    ] {
        let property = format!("mop p {{ events lock, unlock\n cfg: {rules}\n forbid fail }}");
        for trace in [&nested as &dyn Fn(usize) -> Vec<TestEvent>, &flat] {
            assert_near_linear(rules, [500, 2_000], |size| steps(&property, &trace(size)));
        }
    }
}

/// The first half of a word goes down, the second half comes back: `a b c` and `d` give `a b c a b c ... d d d`.
fn nested_word(size: usize, down: &[&'static str], middle: &[&'static str], up: &[&'static str]) -> Vec<&'static str> {
    let depth = size / (down.len() + up.len());
    let mut word: Vec<&str> = (0..depth).flat_map(|_| down.iter().copied()).collect();
    word.extend(middle);
    word.extend((0..depth).flat_map(|_| up.iter().copied()));
    word
}

/// COST: amortised constant per letter for LR(1) grammars: lists that recur on the left, on the right and in the middle, brackets of several kinds,
/// optional parts, expressions with priorities.
#[test]
fn lr_grammars_cost_their_letters() {
    type Word<'a> = &'a dyn Fn(usize) -> Vec<&'static str>;
    let repeated = |size: usize, part: &[&'static str]| part.iter().copied().cycle().take(size).collect::<Vec<&str>>();
    let expression = "E -> E plus T | T, T -> T times F | F, F -> open E close | id";
    let right = "E -> T plus E | T, T -> F times T | F, F -> open E close | id";
    let unary = "E -> U | E plus U, U -> minus U | open E close | id";
    let cases: [(&str, Word<'_>); 24] = [
        ("S -> S a | epsilon", &|size| repeated(size, &["a"])),
        ("S -> a S | epsilon", &|size| repeated(size, &["a"])),
        ("S -> a S | a", &|size| repeated(size, &["a"])),
        ("S -> a b S | a c S | d", &|size| repeated(size, &["a", "b", "a", "c"])),
        ("S -> L end, L -> L comma a | a", &|size| repeated(size, &["a", "comma"])),
        ("S -> L end, L -> a comma L | a", &|size| repeated(size, &["a", "comma"])),
        ("S -> D L, D -> d semi D | epsilon, L -> s | L semi s", &|size| {
            [repeated(size / 2, &["d", "semi"]), repeated(size / 2, &["s", "semi"])].concat()
        }),
        ("S -> a S b | epsilon", &|size| nested_word(size, &["a"], &[], &["b"])),
        ("S -> a S b | a b", &|size| nested_word(size, &["a"], &[], &["b"])),
        ("S -> S a S b | epsilon", &|size| nested_word(size, &["a"], &[], &["b"])),
        ("S -> open S close S | left S right S | epsilon", &|size| {
            nested_word(size, &["open", "left"], &[], &["right", "close"])
        }),
        ("S -> open S close S | left S right S | epsilon", &|size| repeated(size, &["open", "left", "right", "close"])),
        ("S -> S B | epsilon, B -> open S close | left S right", &|size| {
            nested_word(size, &["open", "left"], &[], &["right", "close"])
        }),
        ("S -> (open S close | left S right)*", &|size| nested_word(size, &["open", "left"], &[], &["right", "close"])),
        ("S -> a B S | epsilon, B -> b | epsilon", &|size| repeated(size, &["a", "b", "a"])),
        ("S -> S a B | epsilon, B -> b | epsilon", &|size| repeated(size, &["a", "b", "a"])),
        ("S -> a S B c | epsilon, B -> b | epsilon", &|size| nested_word(size, &["a"], &[], &["b", "c"])),
        ("S -> a S B c | epsilon, B -> b | epsilon", &|size| nested_word(size, &["a"], &[], &["c"])),
        (expression, &|size| repeated(size, &["id", "plus", "id", "times"])),
        (expression, &|size| nested_word(size, &["open", "id", "plus"], &["id"], &["close"])),
        (right, &|size| repeated(size, &["id", "plus", "id", "times"])),
        (right, &|size| nested_word(size, &["id", "times", "open"], &["id"], &["close"])),
        (unary, &|size| [repeated(size / 2, &["minus"]), repeated(size / 2 + 1, &["id", "plus"])].concat()),
        ("S -> T U, T -> a T b | epsilon, U -> c U | epsilon", &|size| {
            [nested_word(size / 2, &["a"], &[], &["b"]), repeated(size / 2, &["c"])].concat()
        }),
    ];
    for (rules, word) in cases {
        let mut events = word(40);
        events.extend(rules.split(|one: char| !one.is_lowercase()).filter(|one| !["", "epsilon"].contains(one)));
        events.sort_unstable();
        events.dedup();
        for category in ["match", "fail"] {
            let property = format!("mop p {{ events {}\n cfg: {rules}\n forbid {category} }}", events.join(", "));
            let trace = |size: usize| word(size).into_iter().map(|name| (name, 0, vec![])).collect::<Vec<TestEvent>>();
            assert_near_linear(&property, [500, 2_000], |size| steps(&property, &trace(size)));
        }
    }
}

#[test]
fn variables_cost_their_partial_bindings() {
    let property = |variables: usize| {
        let names: Vec<String> = (0..variables).map(|variable| format!("x{variable}")).collect();
        let clauses: Vec<String> = names.iter().map(|name| format!("(a({name}) -> F b({name}))")).collect();
        format!("mtl p {{ forall {}. G({}) }}", names.join(", "), clauses.join(" && "))
    };
    let trace = [("a", 0, vec![1]), ("b", 1, vec![1]), ("a", 2, vec![2]), ("b", 3, vec![2])];
    // Each variable has one of two values or none.
    let work = |partial: usize| steps(&property(partial.ilog(3) as usize), &trace);
    assert_near_linear("variables", [3_usize.pow(4), 3_usize.pow(6)], work);
}

#[test]
fn simultaneous_events_cost_no_more_than_others() {
    let trace = |size: usize| -> Vec<TestEvent> {
        let together = (0..size).map(|index| (["a", "b", "c"][index % 3], 0, vec![index]));
        together.chain([("a", 1, vec![0])]).collect()
    };
    for formula in [
        "forall u. G(a(u) -> F[0,5] b(u))",
        "forall u. G(a(u) -> P[0,5] b(u))",
        "forall u. G(a(u) -> Y b(u))",
        "G(a(_) -> count[5](b(_)) < 3)",
        "forall u, v. G(c(u) -> !P[0,5] d(u, v))",
    ] {
        let property = format!("mtl p (simultaneous merge) {{ {formula} }}");
        assert_near_linear(formula, [250, 1_000], |size| steps(&property, &trace(size)));
    }
}

#[test]
fn bounds_cost_nothing() {
    let trace: Vec<TestEvent> = (0..4_000).map(|index| (["a", "b", "c"][index % 3], index, vec![])).collect();
    for formula in [
        "G(a -> F[0,BOUND] b)",
        "G(a -> P[0,BOUND] b)",
        "G(a -> (!c) S[BOUND,inf) b)",
        "G(a -> G[0,BOUND] !d)",
        "G(a -> count[BOUND](b) < 100000)",
        "G(a -> P[0,BOUND] (b && X c))",
        "G(a -> (F[0,5] c) S[0,BOUND] b)",
        "G(a -> F[0,5] (b && P[0,BOUND] c))",
    ] {
        let work =
            |bound: usize| steps(&format!("mtl p {{ {} }}", formula.replace("BOUND", &bound.to_string())), &trace);
        let (few, many) = (work(10), work(1_000));
        assert!(many <= few * 1.5, "{formula}: {few} steps for 10, {many} for 1000");
    }
}

#[test]
fn windows_of_values_cost_their_events() {
    let trace = |size: usize| -> Vec<TestEvent> {
        (0..size).map(|index| (["a", "b"][index % 2], index, vec![index * 7_919 % 1_009])).collect()
    };
    for formula in [
        "p50[BOUND](b.v) <= 500",
        "p95[BOUND](b.v) <= 950",
        "p99.9[BOUND](b.v) <= 1000",
        "distinct[BOUND](b.v) < 100",
        "rate[BOUND](b) < 3",
    ] {
        let property =
            |bound: usize| format!("time in s\nmtl p {{ G(b -> {}) }}", formula.replace("BOUND", &bound.to_string()));
        assert_near_linear(formula, [1_000, 4_000], |size| steps(&property(100_000), &trace(size)));
        let (few, many) = (steps(&property(10), &trace(4_000)), steps(&property(1_000), &trace(4_000)));
        assert!(many <= few * 1.5, "{formula}: {few} steps for 10, {many} for 1000");
    }
}

#[test]
fn formulae_cost_their_size() {
    let trace: Vec<TestEvent> = (0..300).map(|index| (["a", "b", "c"][index % 3], index, vec![])).collect();
    let chain = |operator: &'static str| {
        move |size: usize| {
            let operands: Vec<&str> = (0..size).map(|index| ["a", "b"][index % 2]).collect();
            format!("G({})", operands.join(operator))
        }
    };
    let nested = |size: usize| format!("G(a -> {}c{})", "(b S ".repeat(size), ")".repeat(size));
    let shapes: [(&str, &dyn Fn(usize) -> String); 5] = [
        ("X", &|size| format!("G(a -> X^{size} b)")),
        ("Y", &|size| format!("G(a -> Y^{size} b)")),
        ("<->", &chain(" <-> ")),
        ("&&", &|size| vec!["G(a -> F[0,3] b)"; size].join(" && ")),
        ("S", &nested),
    ];
    assert!(steps(&format!("mtl p {{ {} }}", chain(" <-> ")(64)), &trace) > 0.0, "compiled in reasonable time");
    for (what, shape) in &shapes {
        assert_near_linear(what, [8, 32], |size| steps(&format!("mtl p {{ {} }}", shape(size)), &trace));
    }
    // Not `S`, which is the last: each of 96 takes 1.6 times the steps of each of 24.
    for (what, shape) in &shapes[..4] {
        assert_near_linear(what, [24, 96], |size| steps(&format!("mtl p {{ {} }}", shape(size)), &trace));
    }
}
