// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules that are violated only because a message serves one supposition: would they hold under `matching any`?

use gnomon_engine::plan;
use gnomon_ir::core::{Core, Direction, RuleCore};
use gnomon_ir::rule::Matching;
use gnomon_trace::Reader;

use super::{Input, Options, Report, reader};
use crate::compile::Compiled;

/// After so many events it is seen whether the answer is clear.
const LOOK_EVERY: u64 = 1 << 10;

/// The properties of the plan that are worth a second look: rules that look back with paired matching, and were violated in
/// a trace that was judged as a whole.
pub fn second_thoughts(compiled: &Compiled, report: &Report) -> Vec<usize> {
    if report.cases.is_some() {
        return vec![];
    }
    let is_paired = |core: &Core| matches!(core, Core::Rule(rule) if rule.matching == Matching::Paired && rule.direction == Direction::Past);
    let judged = compiled.plan.cores().iter().zip(&report.outcomes).enumerate();
    judged.filter(|(_, (core, outcome))| is_paired(core) && outcome.violated > 0).map(|(index, _)| index).collect()
}

/// Of these rules of the plan, those that hold on a trace if a message may serve every supposition that it fits. The trace is
/// read again, until that is clear of all of them; of a trace that cannot be read again, nothing is said.
pub fn holds_under_any(compiled: &Compiled, rules: &[usize], input: Input, options: &Options) -> Vec<usize> {
    let freer = |rule: &usize| match compiled.plan.cores().get(*rule) {
        Some(Core::Rule(rule)) => Some(Core::Rule(RuleCore { matching: Matching::Any, ..rule.clone() })),
        _ => None,
    };
    let plan = plan(rules.iter().filter_map(freer).collect());
    let mut monitor = plan.start(0);
    let compiled = Compiled { plan, ..compiled.clone() };
    let quiet = Options { sources: None, recording: None, ..options.clone() };
    let Ok((mut reader, _)) = reader(&compiled, input, &quiet) else { return vec![] };
    let mut open: Vec<usize> = (0..rules.len()).collect();
    loop {
        match reader.next() {
            Ok(Some(event)) => {
                monitor.step(&event);
                if event.index % LOOK_EVERY == 0 {
                    open.retain(|rule| monitor.violated(*rule) == 0);
                    if open.is_empty() {
                        return vec![];
                    }
                }
            }
            Ok(None) => break,
            Err(_) => return vec![],
        }
    }
    let outcomes = monitor.finish(options.end);
    rules.iter().zip(outcomes).filter(|(_, outcome)| outcome.violated == 0).map(|(rule, _)| *rule).collect()
}
