// SPDX-License-Identifier: MIT OR Apache-2.0
//! The question tree as data: the questions, the reason for each, the possible answers, and the next question after each.
//!
//! The questions are in `tree/questions.json`, in the form that [`QuestionTree::to_json`] writes. Only [`Question::skip`]
//! depends on the answers so far, so a page that shows the whole tree needs nothing but this file.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// The id that an answer leads to when the property is complete.
pub const END: &str = "end";

/// All questions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QuestionTree {
    /// Id of the first question.
    pub first: String,
    /// The questions, in the order in which they may come.
    pub questions: Vec<Question>,
}

/// One question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The id that replies and other questions refer to.
    pub id: String,
    /// The topic in a word or two: the head of a line of a summary.
    pub topic: String,
    /// The question. Names in braces, here and in the other texts, stand for answers so far.
    pub text: String,
    /// The reason why it is asked.
    pub why: String,
    /// The condition on which the question is skipped.
    pub skip: Option<Skip>,
    /// The possible answers.
    pub ask: AnswerFormat,
}

/// The rule for skipping a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Skip {
    /// The question is asked only under this condition.
    pub unless: AskCondition,
    /// The question that comes instead.
    pub leads_to: String,
}

/// A condition under which a question is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AskCondition {
    /// A time was typed with a unit, and the unit of the log's times is unknown.
    UnitIsUnknown,
    /// Some event restricts no data.
    SomeEventIsPlain,
    /// The last event restricts no data.
    LastEventIsPlain,
    /// Some event other than the selected one restricts no data.
    OtherEventsArePlain,
    /// A single event comes first.
    FirstEventIsOne,
    /// In a response, several events follow.
    SeveralEventsFollow,
}

/// The possible answers to a question, and the next question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AnswerFormat {
    /// The kind of answer.
    #[serde(flatten)]
    pub kind: AnswerKind,
    /// The next question; each answer of a choice has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
}

/// The kind of answer that a question takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum AnswerKind {
    /// One of several answers.
    Choice {
        /// The answers.
        answers: Vec<ChoiceAnswer>,
    },
    /// An event: its name, or an atom with parameters and conditions.
    Event {
        /// Its role in the property.
        part: EventRole,
    },
    /// One of the events so far that restrict no data.
    Which,
    /// The name of a field of the selected event.
    Field,
    /// A constant value of the selected field.
    Value,
    /// A variable: its value is the same wherever it occurs.
    Variable,
    /// The other events that carry the value of the variable.
    Carriers,
    /// The place at which a chain of events divides into those that come first and those that depend on them.
    Split,
    /// A whole number.
    Number,
    /// A number that a statistic is compared with.
    Bound,
    /// A duration.
    Time {
        /// The bound that it sets.
        bound: TimeBound,
    },
    /// A name for the property.
    Name,
}

/// One answer of a choice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChoiceAnswer {
    /// The id that a reply gives.
    pub id: String,
    /// The answer.
    pub label: String,
    /// An example from everyday life.
    pub example: String,
    /// Its effects on the property.
    pub fills: Vec<AnswerEffect>,
    /// The next question.
    pub leads_to: String,
}

/// The effect of an answer on the property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerEffect {
    /// The scope has a start event.
    Starts,
    /// The scope has an end event.
    Ends,
    /// A further start event begins the scope anew.
    LastStart,
    /// Without its end event the scope does not count.
    EndNeeded,
    /// The behaviour required within the scope.
    Behaviour(BehaviourKind),
    /// The first event must occur.
    Required,
    /// The statistic that is computed from the values of the selected field.
    Statistic(StatisticKind),
    /// The statistic has a lower limit instead of an upper one.
    LowerLimit,
    /// The unit of numeric times in the log.
    Unit(String),
    /// The selected field may have any value; each value is checked separately.
    EachValue,
}

/// The behaviour required within a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BehaviourKind {
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
    /// `G(P -> p95[d](P.field) <= n)`, in MTL
    Measured,
}

/// A statistic of the values of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StatisticKind {
    /// `p50`
    Median,
    /// `p95`
    P95,
    /// `p99`
    P99,
    /// `avg`
    Mean,
    /// `max`
    Greatest,
    /// `sum`
    Sum,
    /// `distinct`
    Distinct,
}

/// The role of an event in the property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventRole {
    /// The event that starts the scope.
    Start,
    /// The event that ends the scope.
    End,
    /// The one event of the behaviour, or one of the allowed ones.
    Event,
    /// An event that comes first: a cause, a stimulus.
    First,
    /// An event that comes after the first ones: an effect, a response.
    Then,
    /// The event that must not come in between.
    Exception,
}

/// The bound that a duration sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeBound {
    /// The smallest distance.
    Least,
    /// The greatest distance.
    Most,
    /// The window in which events are counted, or the longest gap.
    Span,
}

static QUESTIONS: LazyLock<QuestionTree> =
    LazyLock::new(|| serde_json::from_str(include_str!("tree/questions.json")).expect("a test reads the questions"));

impl QuestionTree {
    /// Returns the questions of the assistant.
    pub fn shared() -> &'static QuestionTree {
        &QUESTIONS
    }

    /// Returns the question with this id.
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// Returns the tree as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("the tree has no maps with keys that are not texts")
    }
}

impl AnswerKind {
    /// Returns the format of a typed answer; `None` if the answer is chosen.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            AnswerKind::Choice { .. } | AnswerKind::Which | AnswerKind::Split => None,
            AnswerKind::Event { .. } => Some("a name, or with its data: pay(user, 3, _)[amount > 100]"),
            AnswerKind::Field => Some("the name of a column or field; order/id for one inside another"),
            AnswerKind::Value => Some("3, 2.5, true, or a text"),
            AnswerKind::Variable => Some("a short word, such as id"),
            AnswerKind::Carriers => Some("names with commas, `event.field` where the field has another name, or none"),
            AnswerKind::Number => Some("a whole number, such as 3"),
            AnswerKind::Bound => Some("a number, such as 200 or 2.5"),
            AnswerKind::Time { .. } => Some("10s, 500ms, 2h, 1D, or a bare number in the log's own unit"),
            AnswerKind::Name => Some("a word or two"),
        }
    }
}

impl AnswerFormat {
    /// Returns the ids of all questions that may come next.
    pub fn leads_to(&self) -> Vec<&str> {
        let answers = if let AnswerKind::Choice { answers } = &self.kind { answers.as_slice() } else { &[] };
        answers.iter().map(|answer| &answer.leads_to).chain(&self.leads_to).map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_lead_has_a_question_and_every_question_a_lead() {
        let tree = QuestionTree::shared();
        let ids: BTreeSet<&str> = tree.questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(ids.len(), tree.questions.len(), "two questions have one name");
        let mut led_to: BTreeSet<&str> = BTreeSet::from([tree.first.as_str()]);
        for question in &tree.questions {
            let leads =
                question.ask.leads_to().into_iter().chain(question.skip.iter().map(|skip| skip.leads_to.as_str()));
            for lead in leads {
                assert!(lead == END || ids.contains(lead), "`{}` leads to `{lead}`", question.id);
                led_to.insert(lead);
            }
        }
        assert!(ids.iter().all(|id| led_to.contains(id)), "{:?}", ids.difference(&led_to));
    }

    #[test]
    fn every_question_says_why_and_every_answer_has_an_example() {
        for question in &QuestionTree::shared().questions {
            assert!(question.text.ends_with('?') && question.why.ends_with('.'), "{}", question.id);
            assert!(question.topic.len() <= 16, "{}", question.topic);
            let AnswerKind::Choice { answers } = &question.ask.kind else { continue };
            let ids: BTreeSet<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
            assert!(answers.len() > 1 && ids.len() == answers.len(), "{}", question.id);
            for ChoiceAnswer { label, example, .. } in answers {
                // They have to fit on a line of a small terminal.
                assert!((1..=75).contains(&label.len()) && (1..=69).contains(&example.len()), "{label} {example}");
            }
        }
    }

    #[test]
    fn a_program_can_read_it() {
        let written = include_str!("tree/questions.json");
        assert_eq!(QuestionTree::shared().to_json() + "\n", written);
        let read: serde_json::Value = serde_json::from_str(written).unwrap();
        assert_eq!(read["first"], "interval");
        assert_eq!(read["questions"][0]["ask"]["kind"], "choice");
        assert_eq!(read["questions"][0]["ask"]["answers"][0]["leads_to"], "how-many");
    }
}
