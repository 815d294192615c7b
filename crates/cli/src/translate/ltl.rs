// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates properties to formulae of linear temporal logic.

use gnomon::compile::CompiledSpec;
use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::ir::ltl::{self, GrowthCause, Limits, LtlRefusal, RefusalReason};
use gnomon::ir::spec::Property;

use crate::render::numbers::counted;
use crate::spec::SpecFile;

/// Returns the formula of a property as one line.
pub(super) fn translate(
    property: &Property,
    file: &SpecFile,
    compiled: &CompiledSpec,
    max_size: u64,
) -> Result<String, Box<Diagnostic>> {
    let formula = ltl::translate(&compiled.spec, property, Limits::written(max_size))
        .map_err(|refusal| Box::new(untranslatable(refusal, max_size)))?;
    Ok(ltl::print(&formula, &|atom| atom.span.text(&file.text).to_owned()) + "\n")
}

/// Returns the diagnostic of a property that has no LTL form.
fn untranslatable(refusal: LtlRefusal, max_size: u64) -> Diagnostic {
    let LtlRefusal { span, reason } = refusal;
    match reason {
        RefusalReason::TooLarge { modality, cause, inner } => too_large(span, modality, cause, inner, max_size),
        RefusalReason::NotWhole { constant, unit } => {
            let unit = unit.map_or("the trace's unit".to_owned(), |unit| format!("`{unit}`"));
            Diagnostic::error("G0902", span, format!("`{constant}` is not a whole number of instants"))
                .label(format!("an instant is one of {unit}"))
                .help("round the constant, or declare a finer unit, for example `time t in ms`")
        }
        RefusalReason::UnknownUnit { constant } => {
            Diagnostic::error("G0902", span, format!("it is not known how many instants `{constant}` is"))
                .label("the constant has a unit, the trace's time has none")
                .help("declare what a number of the trace counts, for example `time t in s`")
        }
        RefusalReason::Values => Diagnostic::error("G0904", span, "the values of a field have no LTL form")
            .label("LTL speaks of events, not of the values in them")
            .help("choose properties that count events, with `--property`"),
        RefusalReason::Sequence => {
            Diagnostic::error("G0903", span, "with `simultaneous sequence` a property has no LTL form")
                .label("several positions may lie in one instant")
                .help("use `simultaneous merge`, where events of one time are one position")
        }
        RefusalReason::Language(language) => {
            Diagnostic::error("G0904", span, format!("{} has no LTL form here", language.a_property()))
                .label("the mapping to LTL is SOLOIST's")
                .help("write the property in `soloist`, or choose SOLOIST properties with `--property`")
        }
    }
}

fn too_large(span: Span, modality: &str, cause: GrowthCause, inner: u64, max_size: u64) -> Diagnostic {
    let copies = |times: String| format!("{times}, each with copies of parts that have {}", counted(inner, "node"));
    let (label, help) = match cause {
        GrowthCause::Walk { instants } => {
            (copies(format!("`{modality}` walks over {instants} instants")), "shorten the interval, ")
        }
        GrowthCause::Choice { take, of, steps } => {
            let ways = cause.ways().map_or("too many ways to count".to_owned(), |ways| format!("{ways} ways"));
            let steps = if steps > 1 { format!(", in each of {steps} steps") } else { String::new() };
            (copies(format!("`{modality}` has {ways} to take {take} of {of} instants{steps}")), "shorten the window, ")
        }
        GrowthCause::Pairing { instants } => (
            copies(format!("`{modality}` has up to 4^{instants} ways for starts and ends in {instants} instants")),
            "shorten the window, ",
        ),
        GrowthCause::Parts => (format!("`{modality}` has parts of {}", counted(inner, "node")), ""),
    };
    Diagnostic::error("G0901", span, format!("the formula would have more than {max_size} nodes"))
        .label(label)
        .help(format!("{help}declare a coarser unit of time, or allow more with `--max-size`"))
}
