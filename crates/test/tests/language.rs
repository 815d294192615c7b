// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated formulae survive being written and read, fully parenthesised and as the language's own printer writes them.

use gnomon_core::diagnostic::Span;
use gnomon_ir::formula::{Formula, Kind};
use gnomon_ir::spec::Body;
use gnomon_test::build::children_mut;
use gnomon_test::print;
use gnomon_test::property::for_all;

/// The formula as if it stood nowhere.
fn without_spans(formula: &Formula) -> Formula {
    let mut formula = formula.clone();
    forget(&mut formula);
    formula
}

fn forget(formula: &mut Formula) {
    formula.span = Span::default();
    match &mut formula.kind {
        Kind::Atom(atom) => (atom.span, atom.name_span) = (Span::default(), Span::default()),
        Kind::Unary { interval, .. } | Kind::Binary { interval, .. } => {
            interval.span = interval.span.map(|_| Span::default());
        }
        _ => {}
    }
    for child in children_mut(formula) {
        forget(child);
    }
}

fn read_back(text: &str, options: &str) -> Result<Formula, String> {
    let (spec, diagnostics) = gnomon_lang::parse(&format!("soloist case {options} {{ {text} }}"));
    if !diagnostics.is_empty() {
        return Err(format!("`{text}` is refused: {diagnostics:?}"));
    }
    let Body::Formula(formula) = &spec.properties[0].body;
    Ok(without_spans(formula))
}

#[test]
fn what_is_written_is_read_back() {
    for_all("written", 3_000, |case| {
        let written = without_spans(case.formula());
        let options = if print::uses_full_window(&written) { "(full-window)" } else { "" };
        for text in [print::soloist(&written), gnomon_lang::soloist::print(&written)] {
            let read = read_back(&text, options)?;
            if read != written {
                return Err(format!("`{text}` is read as `{}`", print::soloist(&read)));
            }
        }
        Ok(())
    });
}
