// SPDX-License-Identifier: MIT OR Apache-2.0
//! MONA as an outside witness: the automaton of each cell's formula, made by programs of others, accepts the words that the
//! engine says satisfy the cell.
//!
//! `make ltlf` installs MONA, and `ltlf2dfa` in a folder of its own under `target/`; `GNOMON_LTLF` names another Python that
//! has it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use gnomon_core::verdict::{End, Verdict};
use gnomon_ir::formula::{Binary, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::spec::Body;
use gnomon_test::build::{and, binary, connective, inclusive, not, or, unary};
use gnomon_test::drive::Drive;

use super::cell::{UNTIMED, cells};
use super::{Witnesses, events};

/// The formula in the notation of `ltlf2dfa`, which has no past: where the formula asks for the opening of a segment by
/// looking back, this looks ahead from where a segment may open.
fn ltlf(formula: &Formula) -> String {
    if let Some(ahead) = without_past(formula) {
        return ltlf(&ahead);
    }
    match &formula.kind {
        FormulaKind::Constant(value) => value.to_string(),
        FormulaKind::Atom(atom) => {
            if atom.arguments.is_some() {
                format!("{}_like", atom.name)
            } else {
                atom.name.clone()
            }
        }
        FormulaKind::Not(of) => format!("!({})", ltlf(of)),
        FormulaKind::Connective(connective, left, right) => {
            let sign = match connective {
                Connective::And => "&",
                Connective::Or => "|",
                Connective::Implies => "->",
                Connective::Iff => "<->",
            };
            format!("(({}) {sign} ({}))", ltlf(left), ltlf(right))
        }
        FormulaKind::Unary { operator, of, .. } => {
            let letter = match operator {
                Unary::Always => "G",
                Unary::Eventually => "F",
                Unary::Next => "X",
                _ => panic!("an operator of the past in {formula:?}"),
            };
            format!("{letter}({})", ltlf(of))
        }
        FormulaKind::Binary { operator, left, right, .. } => {
            let (left, right) = (ltlf(left), ltlf(right));
            match operator {
                Binary::Until => format!("(({left}) U ({right}))"),
                Binary::Release => format!("(({left}) R ({right}))"),
                Binary::WeakUntil => format!("(({right}) R (({left}) | ({right})))"),
                Binary::Since => panic!("an operator of the past in {formula:?}"),
            }
        }
        _ => panic!("no formula of LTL: {formula:?}"),
    }
}

/// `G(q && !Y P q && a -> b)` is `!q W (q && (a -> b))`: the first `q`, if there is one. `G(q && !Y(!r S q) && a -> b)` is `f && G(r -> !X !f)`
/// with f = `(!q && !r) W (r || q && (a -> b))`: from the beginning, and from each `r`, the first `q` before the next.
fn without_past(formula: &Formula) -> Option<Formula> {
    let FormulaKind::Unary { operator: Unary::Always, interval, of, .. } = &formula.kind else { return None };
    let FormulaKind::Connective(Connective::Implies, antecedent, consequent) = &of.kind else { return None };
    let mut conjuncts = Vec::new();
    flatten(antecedent, &mut conjuncts);
    let place = conjuncts.iter().position(|part| past(part).is_some())?;
    let past = past(conjuncts.remove(place))?;
    let opens = conjuncts.remove(0).clone();
    let rest = conjuncts.into_iter().cloned().reduce(and);
    let asked = match rest {
        Some(rest) => connective(Connective::Implies, rest, consequent.as_ref().clone()),
        None => consequent.as_ref().clone(),
    };
    let asked = and(opens.clone(), asked);
    let weak_until = |left, right| inclusive(binary(Binary::WeakUntil, *interval, left, right));
    match &past.kind {
        FormulaKind::Unary { operator: Unary::Once, .. } => Some(weak_until(not(opens), asked)),
        FormulaKind::Binary { operator: Binary::Since, left, .. } => {
            let FormulaKind::Not(closes) = &left.kind else { return None };
            let closes = closes.as_ref().clone();
            let first = weak_until(and(not(opens), not(closes.clone())), or(closes.clone(), asked));
            let next = not(unary(Unary::Next, 1, *interval, not(first.clone())));
            let again = connective(Connective::Implies, closes, next);
            Some(and(first, inclusive(unary(Unary::Always, 1, *interval, again))))
        }
        _ => None,
    }
}

fn flatten<'a>(formula: &'a Formula, found: &mut Vec<&'a Formula>) {
    match &formula.kind {
        FormulaKind::Connective(Connective::And, left, right) => {
            flatten(left, found);
            flatten(right, found);
        }
        _ => found.push(formula),
    }
}

/// f of `!Y f`.
fn past(formula: &Formula) -> Option<&Formula> {
    let FormulaKind::Not(of) = &formula.kind else { return None };
    let FormulaKind::Unary { operator: Unary::Previous, of, .. } = &of.kind else { return None };
    Some(of)
}

/// A line of JSON for a cell: no name in it needs escaping.
fn line(witnesses: &Witnesses, longest: usize) -> String {
    let letters = witnesses.cell.letters();
    let formula = witnesses.formula.as_ref().expect("every cell has a formula");
    let Body::Formula(formula) = &formula.body else { panic!("it is a formula") };
    let mut said = String::new();
    let mut words: Vec<Vec<char>> = vec![vec![]];
    for _ in 0..longest {
        words = words.iter().flat_map(|word| letters.iter().map(|letter| [&word[..], &[*letter]].concat())).collect();
        said.extend(words.iter().map(|word| if satisfies(witnesses, word) { '1' } else { '0' }));
    }
    let propositions = |letter: &char| match letter {
        'p' => r#""p": ["p", "p_like"]"#.to_owned(),
        'x' => r#""x": ["p"]"#.to_owned(),
        letter => format!(r#""{letter}": ["{letter}"]"#),
    };
    let quoted: Vec<String> = letters.iter().map(|letter| format!(r#""{letter}""#)).collect();
    let propositions: Vec<String> = letters.iter().map(propositions).collect();
    format!(
        r#"{{"name": "{}", "formula": "{}", "letters": [{}], "propositions": {{{}}}, "longest": {longest}, "said": "{said}"}}"#,
        witnesses.cell.text(),
        ltlf(formula),
        quoted.join(", "),
        propositions.join(", "),
    )
}

fn satisfies(witnesses: &Witnesses, word: &[char]) -> bool {
    let letters: Vec<_> = word.iter().zip(0..).map(|(letter, time)| (*letter, time)).collect();
    let drive = Drive::new(&witnesses.core, &events(&letters));
    let mut monitor = drive.start();
    (0..word.len()).for_each(|index| drive.step(&mut monitor, index));
    Drive::finish(monitor, End::Complete).verdict == Verdict::Holds
}

#[test]
fn automata_of_mona_accept_what_the_engine_accepts() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let python =
        std::env::var_os("GNOMON_LTLF").map_or_else(|| folder.join("../../target/ltlf/bin/python"), PathBuf::from);
    let lines: Vec<String> = cells(&UNTIMED)
        .map(|cell| {
            let witnesses = Witnesses::new(cell);
            let longest = if cell.letters().len() > 5 { 3 } else { 4 };
            line(&witnesses, longest)
        })
        .collect();
    let mut child = Command::new(&python)
        .arg(folder.join("tests/patterns/ltlf.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{} cannot be run ({error}): `make ltlf` installs it, GNOMON_LTLF names another", python.display())
        });
    let mut input = child.stdin.take().expect("the input is piped");
    // What is wrong with a script that ends early, it says itself.
    let _ = input.write_all(lines.join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("the script ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let said = text(&output.stdout);
    let formulae = format!("{} formulae, ", lines.len());
    assert!(said.starts_with(&formulae), "{said}");
}
