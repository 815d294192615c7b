// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report as a fragment of an HTML page: a table of verdicts, a timeline of violations, and their explanations to fold
//! out. It has no script and loads nothing; every text of a spec or a trace is escaped.

use std::fmt::Write as _;

use gnomon_core::escape;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Outcome, Verdict, Violation};
use gnomon_run::offline::Report;

use crate::numbers::{TimeFormat, counted};
use crate::text::human::{self, TextOptions};
use crate::{SpecContext, display_name, overall};

const STYLE: &str = include_str!("html/fragment.css");

/// Widths of the parts of the timeline, and the height of a row.
const LABELS: usize = 180;
const LINE: usize = 560;
const ROW: usize = 22;
/// Greatest number of marks of a property on its line; more would overlap.
const MARKED: usize = 500;
/// Longer names are cut on the timeline; the table has them in full.
const MAX_LABEL: usize = 26;

/// Renders the report of one trace, with up to `drawn` violations of each property.
pub fn fragment(spec: &SpecContext<'_>, report: &Report, drawn: usize) -> String {
    let time_format = TimeFormat::for_people(report);
    let mut out = format!("<div class=\"gnomon-report\"><style>{STYLE}</style>");
    let _ = write!(
        out,
        "<p class=\"gn-head\"><strong>{}</strong> {} on <strong>{}</strong>: {}</p>",
        escape::xml(spec.spec_name),
        chip(overall(&report.outcomes)),
        escape::xml(display_name(&report.source)),
        escape::xml(&human::extent(report, time_format))
    );
    table(&mut out, spec, report);
    timeline(&mut out, spec, report, time_format);
    for index in 0..report.outcomes.len() {
        violations(&mut out, spec, report, index, drawn);
    }
    let mut remarks = String::new();
    human::remarks(&mut remarks, spec, report, TextOptions::plain(0));
    if !remarks.trim().is_empty() {
        let _ = write!(out, "<pre class=\"gn-remarks\">{}</pre>", escape::xml(remarks.trim()));
    }
    out.push_str("</div>");
    out
}

fn chip(verdict: Verdict) -> String {
    format!("<span class=\"gn-chip gn-{0}\">{0}</span>", verdict.word())
}

fn table(out: &mut String, spec: &SpecContext<'_>, report: &Report) {
    out.push_str("<table><thead><tr><th>verdict</th><th>property</th><th>language</th><th>what happened</th>");
    if report.cases.is_some() {
        out.push_str("<th>violating cases</th>");
    }
    out.push_str("</tr></thead><tbody>");
    for (index, outcome) in report.outcomes.iter().enumerate() {
        let property = spec.property(index);
        let title = property
            .title
            .as_deref()
            .map_or(String::new(), |title| format!("<br><small>{}</small>", escape::xml(title)));
        let _ = write!(
            out,
            "<tr><td>{}</td><td><code>{}</code>{title}</td><td>{}</td><td>{}</td>",
            chip(outcome.verdict),
            escape::xml(&property.name),
            property.language.word(),
            escape::xml(&human::describe_counts(report, outcome))
        );
        if let Some(cases) = &report.cases {
            let violating = cases.violating_each.get(index).copied().unwrap_or_default();
            let _ = write!(out, "<td>{violating} of {}</td>", cases.total);
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table>");
}

/// Draws each violation from where it began to where it was certain.
fn timeline(out: &mut String, spec: &SpecContext<'_>, report: &Report, time_format: TimeFormat) {
    let rows: Vec<(usize, &Outcome)> =
        report.outcomes.iter().enumerate().filter(|(_, outcome)| !outcome.violations.is_empty()).collect();
    let (Some(first), Some(last)) = (report.first_time, report.last_time) else { return };
    if rows.is_empty() {
        return;
    }
    let decided = rows.iter().flat_map(|(_, outcome)| &outcome.violations).map(|violation| violation.decided.time());
    let axis = TimeAxis { first, last: decided.chain([last]).max().unwrap_or(last) };
    let (width, height) = (LABELS + LINE + 20, ROW * rows.len() + 30);
    let _ = write!(
        out,
        "<svg class=\"gn-timeline\" role=\"img\" aria-label=\"violations over time\" viewBox=\"0 0 {width} {height}\" width=\"{width}\">"
    );
    for (row, (index, outcome)) in rows.iter().enumerate() {
        let y = ROW * row + ROW / 2;
        let name = spec.property_name(*index);
        let mut label: String = name.chars().take(MAX_LABEL).collect();
        if label.len() < name.len() {
            label.push('…');
        }
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><line class=\"gn-axis\" x1=\"{LABELS}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\"/>",
            LABELS - 8,
            y + 4,
            escape::xml(&label),
            LABELS + LINE
        );
        for violation in outcome.violations.iter().take(MARKED) {
            mark(out, violation, y, &axis, time_format);
        }
    }
    let y = height - 8;
    for (time, x, anchor) in [(axis.first, LABELS, "start"), (axis.last, LABELS + LINE, "end")] {
        let time = escape::xml(&time_format.time(time));
        let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{time}</text>");
    }
    out.push_str("</svg>");
}

struct TimeAxis {
    first: Timestamp,
    last: Timestamp,
}

impl TimeAxis {
    /// Returns the horizontal position of a time.
    fn x(&self, time: Timestamp) -> f64 {
        let length = (self.last - self.first).ticks().max(1) as f64;
        let share = ((time - self.first).ticks() as f64 / length).clamp(0.0, 1.0);
        LABELS as f64 + share * LINE as f64
    }
}

fn mark(out: &mut String, violation: &Violation, y: usize, axis: &TimeAxis, time_format: TimeFormat) {
    let (at, decided) = (violation.at.origin.time, violation.decided.time());
    let (from, to) = (axis.x(at), axis.x(decided));
    let binding = if violation.binding.is_empty() { String::new() } else { format!(" ({})", violation.binding) };
    let title = format!("{} at {}{binding}", violation.summary, time_format.time(at));
    let _ = write!(
        out,
        "<g class=\"gn-mark\"><title>{}</title><line x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y}\" y2=\"{y}\"/><circle cx=\"{from:.1}\" \
         cy=\"{y}\" r=\"3.5\"/></g>",
        escape::xml(&title)
    );
}

fn violations(out: &mut String, spec: &SpecContext<'_>, report: &Report, index: usize, drawn: usize) {
    let outcome = &report.outcomes[index];
    if outcome.violations.is_empty() || drawn == 0 {
        return;
    }
    let number = counted(outcome.violated, "violation");
    let _ = write!(
        out,
        "<details><summary>{number} of <code>{}</code></summary><pre>{}</pre></details>",
        escape::xml(spec.property_name(index)),
        escape::xml(human::violations(spec, report, index, TextOptions::plain(drawn)).trim())
    );
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use gnomon_run::compile::compile;
    use gnomon_run::offline::{NamedInput, Options, judge};

    use super::*;

    #[test]
    fn a_report_is_rendered_with_escaped_texts() {
        let text = "time in s\nmtl late { G (ask -> F[0,3] answer) }\nsoloist calm { G(!alarm) }\n";
        let compiled = compile(text, &[]).0.unwrap();
        let spec = SpecContext { spec_name: "<script>.rv", compiled: &compiled };
        let trace = "event,time\nask,1\n<b>,9\n";
        let input = NamedInput::stream("a&b.csv".to_owned(), Cursor::new(trace.as_bytes()));
        let report = judge(&compiled, input, &Options::default(), &mut |_: u64, _: u64| {}).unwrap();
        let page = fragment(&spec, &report, 10);
        for part in [
            "&lt;script&gt;.rv",
            "a&amp;b.csv",
            "gn-violated",
            "gn-holds",
            "1 violation of <code>late</code>",
            "<svg",
            "<title>",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(!page.contains("http"), "{page}");
    }
}
