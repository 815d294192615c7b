// SPDX-License-Identifier: MIT OR Apache-2.0
//! The question tree as data: what is asked, why, what may be answered, and where each answer leads.
//!
//! Nothing here is a function of the answers given so far but [`Question::skip`]: a page that shows the whole tree needs no
//! more than this.

mod behaviour;
mod chain;
mod data;
mod scope;
mod time;

use serde::Serialize;

/// Where an answer leads when the property is whole.
pub const END: &str = "end";

/// All questions.
#[derive(Clone, Debug, Serialize)]
pub struct Tree {
    /// The question to begin with.
    pub first: &'static str,
    /// The questions, in the order in which they may come.
    pub questions: Vec<Question>,
}

/// One question.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Question {
    /// What answers and other questions call it.
    pub id: &'static str,
    /// What it is about, in a word or two: the head of a line of a summary.
    pub topic: &'static str,
    /// The question.
    pub text: &'static str,
    /// Why it is asked.
    pub why: &'static str,
    /// What is left out, and when.
    pub skip: Option<Skip>,
    /// What may be answered.
    pub ask: Ask,
}

/// A question that need not be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Skip {
    /// It is asked only then.
    pub unless: When,
    /// What comes instead.
    pub leads_to: &'static str,
}

/// When a question has a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// A time was given in a unit, and nobody knows in what the log counts.
    UnitIsUnknown,
    /// Some event was named without saying which data it carries.
    SomeEventIsPlain,
    /// The event named last is such a one.
    LastEventIsPlain,
}

/// What may be answered.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Ask {
    /// One of these.
    Choice {
        /// The answers.
        answers: &'static [Answer],
    },
    /// An event: its name, or an atom with parameters and conditions.
    Event {
        /// What it is to the property.
        part: Part,
        /// The next question.
        leads_to: &'static str,
    },
    /// One of the events named so far that carry no data yet.
    Which {
        /// The next question.
        leads_to: &'static str,
    },
    /// The name of a piece of data that the event carries.
    Field {
        /// The next question.
        leads_to: &'static str,
    },
    /// A fixed value of that piece of data.
    Value {
        /// The next question.
        leads_to: &'static str,
    },
    /// A name for a value that is the same wherever the name stands.
    Variable {
        /// The next question.
        leads_to: &'static str,
    },
    /// A whole number.
    Number {
        /// The next question.
        leads_to: &'static str,
    },
    /// An amount of time.
    Time {
        /// What it bounds.
        bound: Bound,
        /// The next question.
        leads_to: &'static str,
    },
    /// A name for the property.
    Name {
        /// The next question.
        leads_to: &'static str,
    },
}

/// One answer to choose.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Answer {
    /// What a reply calls it.
    pub id: &'static str,
    /// The answer.
    pub label: &'static str,
    /// The same from everyday life.
    pub example: &'static str,
    /// What it says about the property.
    pub fills: &'static [Fill],
    /// The next question.
    pub leads_to: &'static str,
}

/// What an answer says about the property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fill {
    /// An event starts the rule.
    Starts,
    /// An event ends it.
    Ends,
    /// A further start begins anew.
    LastStart,
    /// Without its end the rule was never in force.
    EndNeeded,
    /// What is asked while it is in force.
    Behaviour(Shape),
    /// The first event must happen at all.
    Required,
    /// What numbers in the log count.
    Unit(&'static str),
    /// The data may have any value, each judged on its own.
    EachValue,
}

/// What is asked while a rule is in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// `absence of P`
    Absence,
    /// `existence of P`
    Existence,
    /// `at most n P`
    AtMost,
    /// `at least n P`
    AtLeast,
    /// `exactly n P`
    Exactly,
    /// `at most n P in d`
    Rate,
    /// `P recurs every d`
    Recurrence,
    /// `universality of p(v)`
    Universality,
    /// `only P, Q`
    Only,
    /// `P precedes S`, and chains of it
    Precedence,
    /// `S responds to P`, and chains of it
    Response,
}

/// What an event is to the property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// It starts the rule.
    Start,
    /// It ends the rule.
    End,
    /// The one event that the rule is about, or one of those allowed.
    Event,
    /// It comes first: a cause, a stimulus.
    First,
    /// It comes after that: an effect, a response.
    Then,
    /// It must not come in between.
    Exception,
}

/// What an amount of time bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The smallest distance.
    Least,
    /// The greatest distance.
    Most,
    /// The stretch of time in which events are counted, or the longest without one.
    Span,
}

/// A question for an event.
const fn event(
    id: &'static str,
    topic: &'static str,
    text: &'static str,
    why: &'static str,
    part: Part,
    leads_to: &'static str,
) -> Question {
    Question { id, topic, text, why, skip: None, ask: Ask::Event { part, leads_to } }
}

/// A chain or list ends here.
const fn last(example: &'static str, leads_to: &'static str) -> Answer {
    Answer { id: "no", label: "No, that was the last", example, fills: &[], leads_to }
}

/// A chain or list goes on.
const fn another(example: &'static str, leads_to: &'static str) -> Answer {
    Answer { id: "yes", label: "Yes, one more", example, fills: &[], leads_to }
}

impl Tree {
    /// The questions of the assistant.
    pub fn new() -> Tree {
        let sections = [scope::QUESTIONS, behaviour::QUESTIONS, chain::QUESTIONS, time::QUESTIONS, data::QUESTIONS];
        Tree { first: scope::QUESTIONS[0].id, questions: sections.concat() }
    }

    /// The question of this name.
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// The tree for programs.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("the tree has no maps with keys that are no texts")
    }
}

impl Default for Tree {
    fn default() -> Self {
        Tree::new()
    }
}

impl Ask {
    /// Every question that may come next.
    pub fn leads_to(&self) -> Vec<&'static str> {
        match self {
            Ask::Choice { answers } => answers.iter().map(|answer| answer.leads_to).collect(),
            Ask::Event { leads_to, .. }
            | Ask::Which { leads_to }
            | Ask::Field { leads_to }
            | Ask::Value { leads_to }
            | Ask::Variable { leads_to }
            | Ask::Number { leads_to }
            | Ask::Time { leads_to, .. }
            | Ask::Name { leads_to } => vec![leads_to],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_lead_has_a_question_and_every_question_a_lead() {
        let tree = Tree::new();
        let ids: BTreeSet<&str> = tree.questions.iter().map(|question| question.id).collect();
        assert_eq!(ids.len(), tree.questions.len(), "two questions have one name");
        let mut led_to: BTreeSet<&str> = BTreeSet::from([tree.first]);
        for question in &tree.questions {
            let leads = question.ask.leads_to().into_iter().chain(question.skip.map(|skip| skip.leads_to));
            for lead in leads {
                assert!(lead == END || ids.contains(lead), "`{}` leads to `{lead}`", question.id);
                led_to.insert(lead);
            }
        }
        assert!(ids.iter().all(|id| led_to.contains(id)), "{:?}", ids.difference(&led_to));
    }

    #[test]
    fn every_question_says_why_and_every_answer_has_an_example() {
        for question in &Tree::new().questions {
            assert!(question.text.ends_with('?') && question.why.ends_with('.'), "{}", question.id);
            assert!(question.topic.len() <= 16, "{}", question.topic);
            let Ask::Choice { answers } = question.ask else { continue };
            let ids: BTreeSet<&str> = answers.iter().map(|answer| answer.id).collect();
            assert!(answers.len() > 1 && ids.len() == answers.len(), "{}", question.id);
            for Answer { label, example, .. } in answers {
                // They have to fit on a line of a small terminal.
                assert!((1..=75).contains(&label.len()) && (1..=69).contains(&example.len()), "{label} {example}");
            }
        }
    }

    #[test]
    fn a_program_can_read_it() {
        let read: serde_json::Value = serde_json::from_str(&Tree::new().to_json()).unwrap();
        assert_eq!(read["first"], "interval");
        assert_eq!(read["questions"][0]["ask"]["kind"], "choice");
        assert_eq!(read["questions"][0]["ask"]["answers"][0]["leads_to"], "how-many");
    }
}
