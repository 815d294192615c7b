// SPDX-License-Identifier: MIT OR Apache-2.0
//! A row of the table: cost of checking one trace, and its result compared with the expected one.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::measure::Cost;
use crate::workload::Workload;

/// A workload at one length.
pub(crate) struct BenchRow {
    pub(crate) name: &'static str,
    pub(crate) workload: Workload,
    pub(crate) events: u64,
    /// A bare scan of the same file.
    pub(crate) bare: Duration,
    pub(crate) cost: Cost,
    /// The cost with several threads.
    pub(crate) jobs: Option<Cost>,
    /// True if several threads gave the same report.
    pub(crate) same: bool,
    /// Bytes per live binding, where there are bindings.
    pub(crate) binding_bytes: Option<u64>,
    pub(crate) answer: ReportNumbers,
    pub(crate) expected: u64,
}

pub(crate) fn write_head(out: &mut impl Write, jobs: u32) -> io::Result<()> {
    writeln!(
        out,
        "| workload | property | M events | M events/s | M events/CPU-s | of a bare scan | M events/s, {jobs} jobs | peak MB | \
         bytes/binding | violations |"
    )?;
    writeln!(out, "|---|---|---:|---:|---:|---:|---:|---:|---:|---|")
}

impl BenchRow {
    pub(crate) fn is_right(&self) -> bool {
        self.same && self.answer.events == self.events && self.answer.violations == self.expected
    }

    /// Millions of events per second of processor time, if that could be measured: a child that is gone within a clock
    /// tick was too quick.
    pub(crate) fn processor_speed(&self) -> Option<f64> {
        (!self.cost.processor.is_zero()).then(|| self.speed(self.cost.processor))
    }

    fn speed(&self, time: Duration) -> f64 {
        self.events as f64 / time.as_secs_f64() / 1e6
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let known = |figure: Option<f64>| figure.map_or("-".to_owned(), |figure| format!("{figure:.1}"));
        let peak = (self.cost.peak_bytes > 0).then(|| self.cost.peak_bytes as f64 / 1e6);
        writeln!(
            out,
            "| {} | `{}` | {} | {:.1} | {} | {:.2} | {} | {} | {} | {} |",
            self.name,
            self.workload.formula().replace('|', "\\|"),
            self.events as f64 / 1e6,
            self.speed(self.cost.wall),
            known(self.processor_speed()),
            self.bare.as_secs_f64() / self.cost.wall.as_secs_f64(),
            known(self.jobs.map(|jobs| self.speed(jobs.wall))),
            known(peak),
            self.binding_bytes.map_or("-".to_owned(), |bytes| bytes.to_string()),
            self.judgement()
        )
    }

    fn judgement(&self) -> String {
        let ReportNumbers { events, violations, .. } = self.answer;
        if self.is_right() {
            format!("{violations} ok")
        } else if self.same {
            format!("WRONG: {violations} in {events} events, not {}", self.expected)
        } else {
            "WRONG: another report with more jobs".to_owned()
        }
    }
}

/// The numbers of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ReportNumbers {
    pub(crate) events: u64,
    pub(crate) activated: u64,
    pub(crate) violations: u64,
}

impl ReportNumbers {
    pub(crate) fn read(report: &Path) -> Result<ReportNumbers, Box<dyn Error>> {
        let report: Value = serde_json::from_str(&fs::read_to_string(report)?)?;
        let trace = &report["traces"][0];
        let number =
            |of: &Value, what: &str| of[what].as_u64().ok_or_else(|| format!("the report has no number `{what}`"));
        let properties = trace["properties"].as_array().ok_or("the report has no properties")?;
        let sum = |what: &str| properties.iter().map(|property| number(property, what)).sum::<Result<u64, String>>();
        Ok(ReportNumbers {
            events: number(trace, "events")?,
            activated: sum("activated")?,
            violations: sum("violated")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::PlainWorkload;

    #[test]
    fn a_row_has_figures_and_a_judgement() {
        let cost = Cost { wall: Duration::from_secs(1), processor: Duration::ZERO, peak_bytes: 5_000_000 };
        let mut row = BenchRow {
            name: "W2",
            workload: Workload::Plain(PlainWorkload::Precedence),
            events: 2_000_000,
            bare: Duration::from_millis(500),
            cost,
            jobs: Some(Cost { wall: Duration::from_millis(800), ..cost }),
            same: true,
            binding_bytes: Some(40),
            answer: ReportNumbers { events: 2_000_000, activated: 9, violations: 3 },
            expected: 3,
        };
        let text = |row: &BenchRow| {
            let mut out = Vec::new();
            row.write(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let figures = "| W2 | `G(logon -> (!logon) S check)` | 2 | 2.0 | - | 0.50 | 2.5 | 5.0 | 40 |";
        assert_eq!(text(&row), format!("{figures} 3 ok |\n"));
        row.expected = 4;
        assert_eq!(text(&row), format!("{figures} WRONG: 3 in 2000000 events, not 4 |\n"));
        row.same = false;
        assert_eq!(text(&row), format!("{figures} WRONG: another report with more jobs |\n"));
    }
}
