// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses `verdict` blocks: the verdict, and one line for each further expectation.

use gnomon_core::time::{Clock, Duration, Timestamp};
use gnomon_core::verdict::{DecisionPoint, Outcome, Verdict};

/// The expected outcome. Parts that the block omits are not compared.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The verdict.
    pub verdict: Verdict,
    presumably: Option<bool>,
    counts: Vec<(CountName, u64)>,
    /// `violations: 3, 5-7`
    violations: Option<Vec<(u64, u64)>>,
    /// `decided: 13 deadline, 15 event`: of the listed violations, in order.
    decided: Option<Vec<(Timestamp, DecisionKind)>>,
    /// `bindings: x = 1, y = 2; x = 3, y = 4`: of the listed violations, in order.
    bindings: Option<Vec<String>>,
    /// `duration: 2 to 5`
    duration: Option<(Duration, Duration)>,
    exercised: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CountName {
    Activated,
    Satisfied,
    Violated,
    OpenAtEnd,
    Pending,
    Positions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DecisionKind {
    Event,
    Deadline,
    End,
}

impl Expectation {
    /// Reads a block: the verdict's word, then `key: value` lines. `#` begins a comment.
    pub fn parse(text: &str, clock: Clock) -> Result<Expectation, String> {
        let mut lines =
            text.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|line| !line.is_empty());
        let word = lines.next().ok_or("an empty verdict")?;
        let verdicts = [Verdict::Holds, Verdict::Violated, Verdict::Inconclusive];
        let verdict = verdicts.into_iter().find(|verdict| verdict.word() == word);
        let mut expectation = Expectation {
            verdict: verdict.ok_or(format!("`{word}` is not a verdict"))?,
            presumably: None,
            counts: vec![],
            violations: None,
            decided: None,
            bindings: None,
            duration: None,
            exercised: None,
        };
        for line in lines {
            let (key, value) = line.split_once(':').ok_or(format!("`{line}` is not a `key: value`"))?;
            expectation.line(key.trim(), value.trim(), clock).ok_or(format!("`{line}` is not understood"))?;
        }
        Ok(expectation)
    }

    fn line(&mut self, key: &str, value: &str, clock: Clock) -> Option<()> {
        let time = |text: &str| clock.parse_number(text.trim()).ok();
        match key {
            "presumably" => self.presumably = Some(value.parse().ok()?),
            "exercised" => self.exercised = Some(value.parse().ok()?),
            "activated" => self.counts.push((CountName::Activated, value.parse().ok()?)),
            "satisfied" => self.counts.push((CountName::Satisfied, value.parse().ok()?)),
            "violated" => self.counts.push((CountName::Violated, value.parse().ok()?)),
            "open at end" => self.counts.push((CountName::OpenAtEnd, value.parse().ok()?)),
            "pending" => self.counts.push((CountName::Pending, value.parse().ok()?)),
            "positions" => self.counts.push((CountName::Positions, value.parse().ok()?)),
            "violations" => {
                let range = |text: &str| {
                    let (from, to) = text.split_once('-').unwrap_or((text, text));
                    Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
                };
                let none = value == "none";
                self.violations =
                    Some(if none { vec![] } else { value.split(',').map(range).collect::<Option<_>>()? });
            }
            "decided" => {
                let time = |text: &str| {
                    let (at, kind) = text.trim().split_once(' ')?;
                    let kind = match kind.trim() {
                        "event" => DecisionKind::Event,
                        "deadline" => DecisionKind::Deadline,
                        "end" => DecisionKind::End,
                        _ => return None,
                    };
                    Some((time(at)?, kind))
                };
                self.decided = Some(value.split(',').map(time).collect::<Option<_>>()?);
            }
            "bindings" => self.bindings = Some(value.split(';').map(|binding| binding.trim().to_owned()).collect()),
            "duration" => {
                let (min, max) = value.split_once(" to ").unwrap_or((value, value));
                let zero = Timestamp::from_ticks(0);
                self.duration = Some((time(min)? - zero, time(max)? - zero));
            }
            _ => return None,
        }
        Some(())
    }

    /// Describes the differences between an outcome and the expectation.
    pub fn difference(&self, outcome: &Outcome) -> Option<String> {
        let mut wrong = Vec::new();
        let mut compare = |what: &str, expected: String, found: String| {
            if expected != found {
                wrong.push(format!("{what}: {expected} wanted, {found} found"));
            }
        };
        compare("verdict", self.verdict.to_string(), outcome.verdict.to_string());
        if let Some(presumably) = self.presumably {
            compare("presumably", format!("{:?}", Some(presumably)), format!("{:?}", outcome.presumably));
        }
        if let Some(exercised) = self.exercised {
            compare("exercised", exercised.to_string(), (outcome.activated > 0).to_string());
        }
        for (count, expected) in &self.counts {
            let found = match count {
                CountName::Activated => outcome.activated,
                CountName::Satisfied => outcome.satisfied,
                CountName::Violated => outcome.violated,
                CountName::OpenAtEnd => outcome.open_at_end,
                CountName::Pending => outcome.pending,
                CountName::Positions => outcome.positions,
            };
            compare(&format!("{count:?}"), expected.to_string(), found.to_string());
        }
        if let Some(expected) = &self.violations {
            let found: Vec<(u64, u64)> = outcome
                .violations
                .iter()
                .map(|violation| (violation.at.position, violation.until_position.unwrap_or(violation.at.position)))
                .collect();
            compare("violations", format!("{expected:?}"), format!("{found:?}"));
        }
        if let Some(expected) = &self.decided {
            let found: Vec<(Timestamp, DecisionKind)> = outcome
                .violations
                .iter()
                .map(|violation| (violation.decided.time(), kind(violation.decided)))
                .collect();
            compare("decided", format!("{expected:?}"), format!("{found:?}"));
        }
        if let Some(expected) = &self.bindings {
            let found = outcome.violations.iter().map(|violation| violation.binding.to_string());
            compare("bindings", expected.join("; "), found.collect::<Vec<_>>().join("; "));
        }
        if let Some(expected) = self.duration {
            let found = outcome.durations.map(|durations| (durations.min, durations.max));
            compare("duration", format!("{:?}", Some(expected)), format!("{found:?}"));
        }
        (!wrong.is_empty()).then(|| wrong.join("; "))
    }
}

fn kind(decided: DecisionPoint) -> DecisionKind {
    match decided {
        DecisionPoint::Event(_) => DecisionKind::Event,
        DecisionPoint::Deadline(_) => DecisionKind::Deadline,
        DecisionPoint::End(_) => DecisionKind::End,
    }
}
