// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcome of a logic plug-in: the violations of all instances.
// RULE L1, L4, L16, L17

use gnomon_core::End;
use gnomon_ir::{LetterId, LetterSource, PluginCore};

use super::counts::OutcomeCounts;
use super::{Judgement, violation_at};
use crate::atom;
use crate::decision_time::DecisionTime;
use crate::plugin::{Occurrence, ParameterInstance, runs};
use crate::trace::Trace;
use crate::truth::Truth;

pub(super) fn judge(core: &PluginCore, trace: &Trace, end: End) -> Judgement {
    let occurrences = occurrences(core, trace, end);
    let mut counts = OutcomeCounts::default();
    for run in runs(core, &occurrences) {
        counts.activated += u64::from(run.is_activated);
        counts.violated += run.violations.len() as u64;
        match end {
            _ if !run.is_activated || !run.violations.is_empty() => {}
            End::Complete => counts.satisfied += 1,
            End::Prefix => counts.pending += 1,
        }
        counts.next_binding();
        for (place, _) in &run.violations {
            let Occurrence { event, is_end, .. } = occurrences[*place];
            let decided = if is_end { DecisionTime::End } else { DecisionTime::Position(event) };
            let binding = run.instance.binding(&core.prefix);
            counts.violation(violation_at(trace, event, decided, binding, core.span));
        }
    }
    // RULE V9
    let if_complete = match end {
        End::Complete => counts.violated == 0,
        End::Prefix => {
            runs(core, &self::occurrences(core, trace, End::Complete)).iter().all(|run| run.violations.is_empty())
        }
    };
    let if_complete = Truth::from(if_complete);
    let truth = match end {
        End::Prefix if counts.violated == 0 => Truth::Unknown,
        End::Prefix | End::Complete => Truth::from(counts.violated == 0),
    };
    Judgement { truth, if_complete, positions: trace.events().len(), counts, merged_simultaneous: false }
}

/// Returns the events of the letters, in order.
// RULE L1
pub(crate) fn occurrences(core: &PluginCore, trace: &Trace, end: End) -> Vec<Occurrence> {
    let parameters = core.prefix.len();
    let mut found = Vec::new();
    for (event, of_trace) in trace.events().iter().enumerate() {
        for (letter, definition) in core.letters.iter().enumerate() {
            let LetterSource::Atom(id) = definition.source else { continue };
            let mut patterns = core.atoms[id.0 as usize].patterns.iter();
            let Some(values) = patterns.find_map(|pattern| atom::values(pattern, of_trace)) else { continue };
            let mut instance = ParameterInstance(vec![None; parameters]);
            for (id, value) in values {
                instance.0[id.0 as usize] = Some(value);
            }
            found.push(Occurrence { event, is_end: false, letter: LetterId(letter as u32), instance });
        }
    }
    let end_letter = core.letters.iter().position(|letter| letter.source == LetterSource::EndOfTrace);
    if let (End::Complete, Some(letter), Some(event)) = (end, end_letter, trace.events().len().checked_sub(1)) {
        let letter = LetterId(letter as u32);
        found.push(Occurrence { event, is_end: true, letter, instance: ParameterInstance(vec![None; parameters]) });
    }
    found
}
