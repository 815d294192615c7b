// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon plan`: by which fields a trace may be taken apart.

use std::fmt::Write as _;

use gnomon::diagnostic::line_column;
use gnomon::ir::partition::{Key, Partition, Reason, ReasonKind, Told, Without, common};
use gnomon::report::json;

use crate::args::{Plan, PlanFormat};
use crate::console::Console;
use crate::failure::Failure;
use crate::paint::{Ink, Paint};
use crate::render::About;
use crate::render::line::sanitised;
use crate::spec::SpecFile;
use crate::status::Status;

pub(crate) fn run(arguments: &Plan, console: &Console) -> Result<Status, Failure> {
    let file = SpecFile::read(&arguments.spec)?;
    let Some(compiled) = file.compile(&arguments.properties, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    let about = About { spec_name: &file.name, compiled: &compiled };
    let partitions = compiled.partitions();
    let by = arguments.by.as_deref();
    let text = match arguments.format {
        PlanFormat::Json => json::plan::render(&about, by),
        PlanFormat::Human => Page { about, paint: console.out_paint }.draw(&partitions, by),
    };
    console.report(&text)?;
    let is_refused = by.is_some_and(|field| partitions.iter().any(|partition| partition.allows(field).is_err()));
    Ok(if is_refused { Status::Violated } else { Status::Fine })
}

struct Page<'a> {
    about: About<'a>,
    paint: Paint,
}

impl Page<'_> {
    fn draw(&self, partitions: &[Partition], by: Option<&str>) -> String {
        let mut out = String::new();
        for (index, partition) in partitions.iter().enumerate() {
            let name = self.paint.ink(Ink::Strong, &sanitised(self.about.property_name(index)));
            let _ = writeln!(out, "{name} ({})", self.about.property(index).language.word());
            match by {
                None => self.keys(&mut out, partition),
                Some(field) => self.answer(&mut out, partition, field),
            }
        }
        if by.is_none() && partitions.len() > 1 {
            let fields = common(partitions);
            let answer = if fields.is_empty() { "no field".to_owned() } else { format!("by {}", either(&fields)) };
            let _ = writeln!(out, "\nall properties: {answer}");
        }
        out.push_str("\nThis is about a trace as one trace. `gnomon check --by FIELD` asks of every case by itself.\n");
        out
    }

    fn keys(&self, out: &mut String, partition: &Partition) {
        let fields = partition.fields();
        let answer = if !fields.is_empty() {
            format!("by {}", either(&fields))
        } else if let Some(key) = partition.keys.first() {
            format!("by `{}`, which no one field has", key.variable)
        } else {
            "no".to_owned()
        };
        let _ = writeln!(out, "  as one trace: {answer}");
        for reason in &partition.reasons {
            // Where there is a key, why another variable is none is beside the point.
            if partition.keys.is_empty() || reason.kind == ReasonKind::Bound {
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

    fn reason(&self, out: &mut String, reason: &Reason) {
        let (line, column) = line_column(&self.about.compiled.source, reason.span.start as usize);
        let place = format!("{}:{line}:{column}", sanitised(self.about.spec_name));
        let _ = writeln!(out, "    {}\n    {}", sanitised(&reason.text), self.paint.ink(Ink::Frame, &place));
    }
}

/// What whoever takes the trace apart must see to.
fn remarks(out: &mut String, key: &Key) {
    let told = match key.told {
        Told { first: true, last: true } => Some("first and of its last event"),
        Told { first: true, last: false } => Some("first event"),
        Told { first: false, last: true } => Some("last event"),
        Told { first: false, last: false } => None,
    };
    if let Some(told) = told {
        let _ = writeln!(out, "    each part is to be told of the trace's {told}");
    }
    if key.without == Without::Refused {
        let events: Vec<&str> = key.carriers.iter().map(|carrier| carrier.event.as_str()).collect();
        let _ = writeln!(out, "    only if every {} has it: one without it fits every value", either(&events));
    }
}

/// `a`, `b` or `c`
fn either(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", sanitised(name))).collect();
    match quoted.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => quoted.concat(),
    }
}
