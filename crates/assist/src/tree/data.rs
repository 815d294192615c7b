// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which values the events carry, and what the property is called.

use super::{Answer, Ask, END, Fill, Question, Skip, When, another};

const NAME: &str = "name";

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "data",
        topic: "Data",
        text: "Does it matter which values the events carry?",
        why: "If an answer may settle somebody else's question, the rule is weaker than it looks.",
        skip: Some(Skip { unless: When::SomeEventIsPlain, leads_to: NAME }),
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "no",
                    label: "No, any such event will do",
                    example: "When a bell rings, somebody opens a door.",
                    fills: &[],
                    leads_to: NAME,
                },
                Answer {
                    id: "yes",
                    label: "Yes, some values matter",
                    example: "When your bell rings, your door is opened.",
                    fills: &[],
                    leads_to: "data-event",
                },
            ],
        },
    },
    Question {
        id: "data-event",
        topic: "Data of",
        text: "Which event carries it?",
        why: "Each event is described on its own; a value that two of them share gets a name, and the name is used in both.",
        skip: None,
        ask: Ask::Which { leads_to: "field" },
    },
    Question {
        id: "field",
        topic: "Field",
        text: "Which piece of its data?",
        why: "It is the name of a column or field in the log.",
        skip: None,
        ask: Ask::Field { leads_to: "value" },
    },
    Question {
        id: "value",
        topic: "Value",
        text: "Which value must it have?",
        why: "A fixed value narrows the rule down; a free one makes it a rule for every value on its own.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "fixed",
                    label: "A certain one, always",
                    example: "Only trains to Rome matter.",
                    fills: &[],
                    leads_to: "fixed",
                },
                Answer {
                    id: "same",
                    label: "Any one, but the same throughout, for every such value",
                    example: "Who lends a book returns that book, and so for every book.",
                    fills: &[],
                    leads_to: "variable",
                },
                Answer {
                    id: "each",
                    label: "Any one, each judged on its own",
                    example: "For every ticket machine: it was serviced.",
                    fills: &[Fill::EachValue],
                    leads_to: "data-more",
                },
            ],
        },
    },
    Question {
        id: "fixed",
        topic: "Equals",
        text: "Which value?",
        why: "Events that carry another value are passed over.",
        skip: None,
        ask: Ask::Value { leads_to: "data-more" },
    },
    Question {
        id: "variable",
        topic: "Called",
        text: "What do you call this value?",
        why: "Wherever the name stands, the same value must stand. The property is judged for every value that occurs.",
        skip: None,
        ask: Ask::Variable { leads_to: "data-more" },
    },
    Question {
        id: "data-more",
        topic: "More",
        text: "Does another value matter?",
        why: "Give the same name to the same value in every event that carries it, or they are not held together.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "no",
                    label: "No, that is all",
                    example: "The book is enough.",
                    fills: &[],
                    leads_to: NAME,
                },
                another("The book, and who lends it.", "data-event"),
            ],
        },
    },
    Question {
        id: NAME,
        topic: "Name",
        text: "What is the property called?",
        why: "Reports call it by this name.",
        skip: None,
        ask: Ask::Name { leads_to: END },
    },
];
