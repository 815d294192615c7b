// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report of joined parts warns of what the report of the whole trace warns of.

use gnomon_run::compile::compile;
use gnomon_run::offline::part::{PartKey, PartReport, judge_part};
use gnomon_run::offline::{DivideBy, FieldMismatch, Listener, NamedInput, Options, UnmetExpectation, judge};

const SPEC: &str = "\
event login(user)
mtl absent { forall u. G(login(u) -> F[0,5] logout) }
mtl misspelt { G(!pay[amout > 3]) }
mtl somewhere { G(!pay[limit > 3]) }
mtl kind { G(!pay[code = 7]) }
mtl arity { G(ship(_, _) -> F stop) }
mtl never { G(!alarm) }
albert state { $limit = 2 || $limt > 3 || $amount < 2 }
mtl empty { forall i, j. G(pay[limit = 1] -> !none(i)) && G(!none(j)) }
";

/// `limit` occurs in the second case only, and `login` in neither with a user.
const TRACE: &str = r#"{"event":"login","time":1,"k":1}
{"event":"pay","time":2,"k":1,"amount":1,"code":"x"}
{"event":"ship","time":3,"k":1}
{"event":"pay","time":4,"k":2,"amount":1,"code":"y","limit":2}
{"event":"logout","time":5,"k":2}
"#;

struct Silent;
impl Listener for Silent {}

fn input(text: &str) -> NamedInput {
    NamedInput::stream("trace".into(), std::io::Cursor::new(text.to_owned()))
}

/// Leaves out the fields that are listed for a variable of the state. The first event of each name has them, and each part has a first.
fn suggested(mut unmet: Vec<UnmetExpectation>) -> Vec<UnmetExpectation> {
    for expectation in &mut unmet {
        if let (None, FieldMismatch::Absent { fields, .. }) = (&expectation.event, &mut expectation.mismatch) {
            assert!(fields.contains(&"amount".to_owned()), "{fields:?}");
            fields.clear();
        }
    }
    unmet
}

#[test]
fn joined_parts_warn_as_the_whole_does() {
    let (compiled, diagnostics) = compile(SPEC, &[]);
    let compiled = compiled.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let options = Options { by: DivideBy::Field("k".to_owned()), ..Options::default() };
    let whole = judge(&compiled, input(TRACE), &options, &mut Silent).expect("the trace can be checked");
    assert!(whole.unmet.len() >= 4 && !whole.unseen.is_empty() && !whole.empty_ranges.is_empty(), "{whole:?}");
    let key = PartKey { field: "k".to_owned(), index: None, kept: 1000 };
    let part = |case: &str| {
        let own: String = TRACE.split_inclusive('\n').filter(|line| line.contains(&format!("\"k\":{case}"))).collect();
        let part = judge_part(&compiled, input(&own), &key, &options, &mut Silent).expect("the part can be checked");
        PartReport::restore(&part.save()).expect("the part is restored")
    };
    let joined = PartReport::join(&compiled, vec![part("1"), part("2"), part("3")], "parts", 1000).expect("they fit");
    assert_eq!(
        (joined.unseen, suggested(joined.unmet), joined.empty_ranges, joined.skipped),
        (whole.unseen, suggested(whole.unmet), whole.empty_ranges, whole.skipped)
    );
}
