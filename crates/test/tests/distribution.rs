// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated cases are worth judging: true and false about even, few trivial, every operator among them.

use gnomon_core::verdict::{End, Verdict};
use gnomon_ir::core::Node;
use gnomon_ir::core::Reading;
use gnomon_oracle::judge;
use gnomon_test::compare::Census;
use gnomon_test::generate;

#[test]
fn generated_cases_are_even_and_seldom_trivial() {
    let mut census = Census::default();
    for seed in 0..3_000 {
        let case = generate::case(seed);
        let core = case.core().expect("generated formulae pass the checker");
        let whole = judge(&core, &case.trace(), End::Complete, 0);
        let half = judge(&core, &case.cut(case.events.len() / 2).trace(), End::Prefix, 0);
        let reading = match core.reading {
            Reading::Invariants(_) => "invariants",
            Reading::Whole(_) => "whole",
        };
        let mut qualities = vec![
            format!("whole trace {}", whole.verdict),
            format!("half of it {}", half.verdict),
            format!("read as {reading}"),
            format!("events {:02}-{:02}", case.events.len() / 5 * 5, case.events.len() / 5 * 5 + 4),
        ];
        let mut quality = |name: &str, is_so: bool| {
            if is_so {
                qualities.push(name.to_owned());
            }
        };
        quality("never activated", whole.activated == 0);
        quality("constant", matches!(core.node(core.formula.node), Node::True));
        let has = |wanted: fn(&Node) -> bool| core.nodes.iter().any(wanted);
        quality("with until", has(|node| matches!(node, Node::Until { .. })));
        quality("with since", has(|node| matches!(node, Node::Since { .. })));
        quality("with count", has(|node| matches!(node, Node::Count { .. })));
        quality("with maximum", has(|node| matches!(node, Node::Maximum { .. })));
        quality("with gap", has(|node| matches!(node, Node::Gap { .. })));
        quality("with full window", has(|node| matches!(node, Node::TimeAtLeast(_))));
        quality("several violations", whole.violated > 1);
        census.add(qualities);
    }
    println!("{}", census.table());
    let share = |verdict: Verdict| census.percent(&format!("whole trace {verdict}"));
    assert!((38..=62).contains(&share(Verdict::Holds)), "{}", census.table());
    assert!(census.percent("half of it inconclusive") >= 25, "{}", census.table());
    assert!(census.percent("constant") <= 8, "{}", census.table());
    for kernel in ["until", "since", "count", "maximum", "gap", "full window"] {
        assert!(census.percent(&format!("with {kernel}")) >= 3, "{}", census.table());
    }
}
