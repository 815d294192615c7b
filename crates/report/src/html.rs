// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report as a piece of a page: a table of verdicts, a timeline of violations, and their stories to fold out. It asks nobody for
//! anything, has no script, and whatever a spec or a trace says stands in it as text.

use std::fmt::Write as _;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Outcome, Verdict, Violation};
use gnomon_run::offline::Report;

use crate::numbers::{Dial, counted};
use crate::text::human::{self, Look};
use crate::text::paint::Paint;
use crate::{About, display_name, overall};

const STYLE: &str = include_str!("html/fragment.css");

/// The widths of the timeline's parts, and the height of one of its rows.
const LABELS: usize = 180;
const LINE: usize = 560;
const ROW: usize = 22;
/// So many violations of a property are marked on its line; more could not be told apart.
const MARKED: usize = 500;
/// Longer names are cut on the timeline; the table has them whole.
const LONGEST_LABEL: usize = 26;

/// The report of one trace. `drawn`: so many violations of each property are told.
pub fn fragment(about: &About<'_>, report: &Report, drawn: usize) -> String {
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let mut out = format!("<div class=\"gnomon-report\"><style>{STYLE}</style>");
    let _ = write!(
        out,
        "<p class=\"gn-head\"><strong>{}</strong> {} on <strong>{}</strong>: {}</p>",
        escaped(about.spec_name),
        chip(overall(&report.outcomes)),
        escaped(display_name(&report.source)),
        escaped(&human::extent(report, dial))
    );
    table(&mut out, about, report);
    timeline(&mut out, about, report, dial);
    for index in 0..report.outcomes.len() {
        violations(&mut out, about, report, index, drawn);
    }
    let mut remarks = String::new();
    human::remarks(&mut remarks, about, report, Paint::PLAIN);
    if !remarks.trim().is_empty() {
        let _ = write!(out, "<pre class=\"gn-remarks\">{}</pre>", escaped(remarks.trim()));
    }
    out.push_str("</div>");
    out
}

fn chip(verdict: Verdict) -> String {
    format!("<span class=\"gn-chip gn-{0}\">{0}</span>", verdict.word())
}

fn table(out: &mut String, about: &About<'_>, report: &Report) {
    out.push_str("<table><thead><tr><th>verdict</th><th>property</th><th>language</th><th>what happened</th>");
    if report.cases.is_some() {
        out.push_str("<th>violating cases</th>");
    }
    out.push_str("</tr></thead><tbody>");
    for (index, outcome) in report.outcomes.iter().enumerate() {
        let property = about.property(index);
        let title =
            property.title.as_deref().map_or(String::new(), |title| format!("<br><small>{}</small>", escaped(title)));
        let _ = write!(
            out,
            "<tr><td>{}</td><td><code>{}</code>{title}</td><td>{}</td><td>{}</td>",
            chip(outcome.verdict),
            escaped(&property.name),
            property.language.word(),
            escaped(&human::counts(report, outcome))
        );
        if let Some(cases) = &report.cases {
            let violating = cases.violating_each.get(index).copied().unwrap_or_default();
            let _ = write!(out, "<td>{violating} of {}</td>", cases.total);
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table>");
}

/// When what was violated: from where it began to where it was certain.
fn timeline(out: &mut String, about: &About<'_>, report: &Report, dial: Dial) {
    let rows: Vec<(usize, &Outcome)> =
        report.outcomes.iter().enumerate().filter(|(_, outcome)| !outcome.violations.is_empty()).collect();
    let (Some(first), Some(last)) = (report.first_time, report.last_time) else { return };
    if rows.is_empty() {
        return;
    }
    let decided = rows.iter().flat_map(|(_, outcome)| &outcome.violations).map(|violation| violation.decided.time());
    let axis = Axis { first, last: decided.chain([last]).max().unwrap_or(last) };
    let (width, height) = (LABELS + LINE + 20, ROW * rows.len() + 30);
    let _ = write!(
        out,
        "<svg class=\"gn-timeline\" role=\"img\" aria-label=\"violations over time\" viewBox=\"0 0 {width} {height}\" width=\"{width}\">"
    );
    for (row, (index, outcome)) in rows.iter().enumerate() {
        let y = ROW * row + ROW / 2;
        let name = about.property_name(*index);
        let mut label: String = name.chars().take(LONGEST_LABEL).collect();
        if label.len() < name.len() {
            label.push('…');
        }
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><line class=\"gn-axis\" x1=\"{LABELS}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\"/>",
            LABELS - 8,
            y + 4,
            escaped(&label),
            LABELS + LINE
        );
        for violation in outcome.violations.iter().take(MARKED) {
            mark(out, violation, y, &axis, dial);
        }
    }
    let y = height - 8;
    for (time, x, anchor) in [(axis.first, LABELS, "start"), (axis.last, LABELS + LINE, "end")] {
        let time = escaped(&dial.time(time));
        let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{time}</text>");
    }
    out.push_str("</svg>");
}

struct Axis {
    first: Timestamp,
    last: Timestamp,
}

impl Axis {
    /// Where a time is on the line.
    fn x(&self, time: Timestamp) -> f64 {
        let length = (self.last - self.first).ticks().max(1) as f64;
        let share = ((time - self.first).ticks() as f64 / length).clamp(0.0, 1.0);
        LABELS as f64 + share * LINE as f64
    }
}

fn mark(out: &mut String, violation: &Violation, y: usize, axis: &Axis, dial: Dial) {
    let (at, decided) = (violation.at.origin.time, violation.decided.time());
    let (from, to) = (axis.x(at), axis.x(decided));
    let binding = if violation.binding.is_empty() { String::new() } else { format!(" ({})", violation.binding) };
    let title = format!("{} at {}{binding}", violation.summary, dial.time(at));
    let _ = write!(
        out,
        "<g class=\"gn-mark\"><title>{}</title><line x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y}\" y2=\"{y}\"/><circle cx=\"{from:.1}\" \
         cy=\"{y}\" r=\"3.5\"/></g>",
        escaped(&title)
    );
}

fn violations(out: &mut String, about: &About<'_>, report: &Report, index: usize, drawn: usize) {
    let outcome = &report.outcomes[index];
    if outcome.violations.is_empty() || drawn == 0 {
        return;
    }
    let number = counted(outcome.violated, "violation");
    let _ = write!(
        out,
        "<details><summary>{number} of <code>{}</code></summary><pre>{}</pre></details>",
        escaped(about.property_name(index)),
        escaped(human::violations(about, report, index, Look { paint: Paint::PLAIN, drawn }).trim())
    );
}

/// A text that is nothing but text in a page, or in XML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use gnomon_run::compile::compile;
    use gnomon_run::offline::{Input, Options, judge};

    use super::*;

    #[test]
    fn a_report_draws_itself_and_trusts_nobody() {
        let spec = "time in s\nmtl late { G (ask -> F[0,3] answer) }\nsoloist calm { G(!alarm) }\n";
        let compiled = compile(spec, &[]).0.unwrap();
        let about = About { spec_name: "<script>.rv", compiled: &compiled };
        let trace = "event,time\nask,1\n<b>,9\n";
        let input = Input::stream("a&b.csv".to_owned(), Cursor::new(trace.as_bytes()));
        let report = judge(&compiled, input, &Options::default(), &mut |_: u64, _: u64| {}).unwrap();
        let page = fragment(&about, &report, 10);
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
