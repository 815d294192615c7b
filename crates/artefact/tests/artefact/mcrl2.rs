// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes of mCRL2. Its tools are not at hand: what is tested is that the text is as it was thought out.

use gnomon_ir::pattern::{CountBound, ScopeKind};
use gnomon_ir::spec::Spec;

use crate::cells::{property, timed, untimed};
use crate::segments::{Asked, P};

fn process(text: &str) -> String {
    let (spec, diagnostics) = gnomon_lang::parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    gnomon_artefact::mcrl2(&spec, &spec.properties[0]).unwrap_or_else(|refusal| format!("refused: {refusal}"))
}

#[test]
fn a_process_follows_the_phases_of_a_pattern() {
    let expected = "\
% A monitor for `quiet`: it follows the events and does `error` when they violate the property.
% Put it in parallel with a model, synchronised on these actions, and ask whether `error` can happen.
% This text was not run through the tools of mCRL2.
act open;
    close;
    write;
    error;

% outside
proc S0 =
    open . S1
  + close . S0
  + write . S0;

% inside, nothing wrong
proc S1 =
    open . S1
  + close . S0
  + write . S2;

% inside, broken
proc S2 =
    open . S2
  + close . S3
  + write . S2;

% violated
proc S3 = error . delta;

init S0;
";
    assert_eq!(process("pattern quiet { between open and close: absence of write }"), expected);
}

#[test]
fn data_are_parameters_and_the_value_is_chosen_first() {
    let text = process(
        "pattern x { for every t: before done: pop(t, \"q 1\")[urgent = true] responds to push(\"q 1\", t, 3) }",
    );
    for line in [
        "% pop: c1 says if it is pop[urgent = true]",
        "sort Data = struct c_q_1 | d_1 | d_2;",
        "act done;\n    push: Data # Data # Int;\n    pop: Data # Data # Bool;\n    watch: Data;\n    error;",
        "proc S0(t: Data) =",
        "  + sum d1: Data, d2: Data, d3: Int. (d1 == c_q_1 && d2 == t && d3 == 3) -> push(d1, d2, d3) . S2(t)",
        "(d1 == t && d2 == c_q_1 && c1) -> pop(d1, d2, c1) . S",
        "!(d1 == t && d2 == c_q_1 && c1)) -> pop(d1, d2, c1) . S2(t)",
        "proc Start = sum t: Data. watch(t) . S0(t);\n\ninit Start;",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn names_are_such_as_mcrl2_reads() {
    let text = process("pattern x { for every d1: globally: only \"act\"(d1), \"9 lives\", d1 }");
    for part in ["act act_2: Data;", "e_9_lives;", "other;", "sum d_1: Data. (d_1 == d1)", "other . S"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn every_untimed_cell_that_can_be_violated_by_a_beginning_has_one() {
    for scope in ScopeKind::ALL {
        for asked in untimed() {
            let written = gnomon_artefact::mcrl2(&Spec::default(), &property(scope, &asked));
            let only_at_the_end = match &asked {
                Asked::Count(CountBound::AtLeast, 0, P) => true,
                Asked::Existence(..) | Asked::Response { .. } | Asked::Count(CountBound::AtLeast, ..) => {
                    !scope.closes()
                }
                _ => scope == ScopeKind::AfterLast,
            };
            assert_eq!(written.is_err(), only_at_the_end, "{scope:?} {asked:?} {written:?}");
        }
    }
    for asked in timed() {
        let refusal =
            gnomon_artefact::mcrl2(&Spec::default(), &property(ScopeKind::Until, &asked)).expect_err("no time");
        assert!(refusal.reason.contains("time"));
    }
}
