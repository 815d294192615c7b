// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automaton of the words after which an instance is violated, as data for translations.

use std::collections::BTreeMap;

use gnomon_ir::core::{LetterSource, PluginCore};

use super::PluginPlan;
use super::body::Body;
use super::runs::INITIAL;
use super::table::{NO_CATEGORY, Table};

/// The most pairs of a state and the parameters of the letters before that are visited.
const MOST_PAIRS: usize = 20_000;

/// Output of the state that a violation leads to.
const VIOLATED: u16 = 0;

/// Output of a state in which the end of the trace is a violation.
const VIOLATED_AT_END: u16 = 1;

/// The words of letters without and with a violation: the smallest automaton, whose states are numbered in the order in which words reach them.
/// State 0 is initial. Body, creation events, `suffix`, `full-binding` and `connected` are taken into account. After the first violation
/// nothing is distinguished.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportAutomaton {
    /// For each state and letter, the next state; `None`: a violation. The letter of the end of the trace leads nowhere.
    pub targets: Vec<Vec<Option<usize>>>,
    /// For each state, true if the end of a complete trace is a violation.
    pub violated_at_end: Vec<bool>,
    /// True if there is a violation of an instance that leaves a parameter open.
    pub reports_partial: bool,
}

/// Returns the automaton of a property; `None` if its body is a grammar, or if there are too many states.
pub fn report_automaton(core: &PluginCore) -> Option<ReportAutomaton> {
    let machine = PluginPlan::new(core).machine?;
    let rules = &machine.rules;
    if matches!(rules.body, Body::Grammar { .. }) {
        return None;
    }
    let mut states = machine.first.clone();
    let count = core.letters.len();
    let (mut next, mut outputs) = (Vec::new(), vec![]);
    let mut reports_partial = false;
    let mut pairs = vec![(INITIAL, 0)];
    let mut numbers = BTreeMap::from([((INITIAL, 0), 0)]);
    while let Some(&(state, mask)) = pairs.get(outputs.len()) {
        let own = outputs.len() as u32;
        let mut output = NO_CATEGORY;
        for (letter, rule) in rules.letters.iter().enumerate() {
            let joined = mask | rule.mask;
            let from = states.with_mask(rules, state, joined);
            let step = states.step(rules, from, letter);
            reports_partial |= step.reports() && joined != rules.full;
            let is_end = core.letters[letter].source == LetterSource::EndOfTrace;
            next.push(match (is_end, step.reports()) {
                (true, reports) => {
                    output = if reports { VIOLATED_AT_END } else { output };
                    own
                }
                // The state of the violation comes after all others.
                (false, true) => u32::MAX,
                (false, false) => *numbers.entry((step.target(), joined)).or_insert_with(|| {
                    pairs.push((step.target(), joined));
                    pairs.len() as u32 - 1
                }),
            });
        }
        if pairs.len() > MOST_PAIRS {
            return None;
        }
        outputs.push(output);
    }
    let violated = outputs.len() as u32;
    next.iter_mut().filter(|target| **target == u32::MAX).for_each(|target| *target = violated);
    next.extend(std::iter::repeat_n(violated, count));
    outputs.push(VIOLATED);
    let table = Table::new(count, &next, &outputs);
    let kept: Vec<u32> = (0..table.state_count() as u32).filter(|state| table.output(*state) != VIOLATED).collect();
    let place = |state: u32| kept.iter().position(|kept| *kept == state);
    let targets = |state: &u32| (0..count).map(|letter| place(table.next(*state, letter))).collect();
    Some(ReportAutomaton {
        targets: kept.iter().map(targets).collect(),
        violated_at_end: kept.iter().map(|state| table.output(*state) == VIOLATED_AT_END).collect(),
        reports_partial,
    })
}
