// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon plan`: shows the fields by which a trace can be partitioned without changing a verdict.

use std::fmt::Write as _;

use gnomon::diagnostic::line_column;
use gnomon::ir::core::{ClocksCore, Core};
use gnomon::ir::partition::{
    MissingKey, Partition, PartitionKey, PartitionReason, PartitionReasonKind, RequiredBounds, common,
};
use gnomon::report::json;

use crate::args::{ListFormat, PlanArguments};
use crate::console::Console;
use crate::outcome::{CommandResult, ExitStatus};
use crate::paint::{Ink, Paint};
use crate::render::SpecContext;
use crate::render::line::{sanitised, wrap_lines};
use crate::spec::SpecFile;

pub(crate) fn run(arguments: &PlanArguments, console: &Console) -> CommandResult {
    let file = SpecFile::read(&arguments.spec)?;
    let compiled = file.compile(&arguments.properties, console)?;
    let about = SpecContext { spec_name: &file.name, compiled: &compiled };
    let partitions = compiled.partitions();
    let by = arguments.by.as_deref();
    let text = match arguments.report {
        ListFormat::Json => json::plan::render(&about, by),
        ListFormat::Human => {
            let text = PlanPrinter { about, paint: console.out_paint }.draw(&partitions, by);
            console.width.map_or_else(|| text.clone(), |width| wrap_lines(&text, width))
        }
    };
    console.print(&text)?;
    let is_refused = by.is_some_and(|field| partitions.iter().any(|partition| partition.allows(field).is_err()));
    Ok(if is_refused { ExitStatus::Violated } else { ExitStatus::Success })
}

struct PlanPrinter<'a> {
    about: SpecContext<'a>,
    paint: Paint,
}

impl PlanPrinter<'_> {
    fn draw(&self, partitions: &[Partition], by: Option<&str>) -> String {
        let mut out = String::new();
        for (index, partition) in partitions.iter().enumerate() {
            let name = self.paint.ink(Ink::Strong, &sanitised(self.about.property_name(index)));
            let _ = writeln!(out, "{name} ({})", self.about.property(index).language.word());
            match by {
                None => {
                    self.keys(&mut out, partition);
                    if let Core::Clocks(core) = &self.about.compiled.plan.cores()[index] {
                        unbounded(&mut out, core);
                    }
                }
                Some(field) => self.answer(&mut out, partition, field),
            }
        }
        if by.is_none() && partitions.len() > 1 {
            let fields = common(partitions);
            let answer = if fields.is_empty() { "no field".to_owned() } else { format!("by {}", either(&fields)) };
            let _ = writeln!(out, "\nall properties: {answer}");
        }
        out.push_str("\nThis is about a trace as one trace. `gnomon check --by FIELD` checks every case separately.\n");
        out
    }

    fn keys(&self, out: &mut String, partition: &Partition) {
        let fields = partition.fields();
        let answer = if !fields.is_empty() {
            format!("by {}", either(&fields))
        } else if let Some(key) = partition.keys.first() {
            format!("by `{}`, for which there is no single field", key.variable)
        } else {
            "no".to_owned()
        };
        let _ = writeln!(out, "  as one trace: {answer}");
        for reason in &partition.reasons {
            // If there is a key, the reasons why other variables are not keys do not matter.
            if partition.keys.is_empty() || reason.kind == PartitionReasonKind::Bound {
                self.reason(out, reason);
            }
        }
        for key in &partition.keys {
            remarks(out, key);
        }
        if !partition.keys.is_empty()
            && fields.is_empty()
            && let Err(reason) = partition.allows("FIELD")
        {
            self.reason(out, &reason);
        }
    }

    fn answer(&self, out: &mut String, partition: &Partition, field: &str) {
        let shown = sanitised(field);
        match partition.allows(field) {
            Ok(key) => {
                let _ = writeln!(out, "  as one trace: by `{shown}`");
                remarks(out, key);
            }
            Err(reason) => {
                let _ = writeln!(out, "  as one trace: not by `{shown}`");
                self.reason(out, &reason);
            }
        }
    }

    fn reason(&self, out: &mut String, reason: &PartitionReason) {
        let (line, column) = line_column(&self.about.compiled.source, reason.span.start as usize);
        let place = format!("{}:{line}:{column}", sanitised(self.about.spec_name));
        let _ = writeln!(out, "    {}\n    {}", sanitised(&reason.text), self.paint.ink(Ink::Frame, &place));
    }
}

/// Prints the clocks that may be any number of ticks ahead of others.
fn unbounded(out: &mut String, core: &ClocksCore) {
    for of in core.unbounded() {
        let [ahead, behind] = [of.relation.left, of.relation.right].map(|clock| sanitised(core.clock_name(clock)));
        let relation = sanitised(&core.relation_text(of));
        let _ = writeln!(
            out,
            "  without bound: `{relation}` lets `{ahead}` run ahead of `{behind}` by any number of ticks"
        );
    }
}

/// Prints the conditions on partitioning by a key.
fn remarks(out: &mut String, key: &PartitionKey) {
    let bounds = match key.required_bounds {
        RequiredBounds { first: true, last: true } => Some("first and the last event"),
        RequiredBounds { first: true, last: false } => Some("first event"),
        RequiredBounds { first: false, last: true } => Some("last event"),
        RequiredBounds { first: false, last: false } => None,
    };
    if let Some(bounds) = bounds {
        let _ = writeln!(out, "    each part must know the {bounds} of the whole trace");
    }
    if key.if_missing == MissingKey::Refused {
        let events: Vec<&str> = key.carriers.iter().map(|carrier| carrier.event.as_str()).collect();
        let _ = writeln!(out, "    only if every {} has it: one without it fits every value", either(&events));
    }
}

/// Returns names as a list: `a`, `b` or `c`.
fn either(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", sanitised(name))).collect();
    match quoted.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => quoted.concat(),
    }
}
