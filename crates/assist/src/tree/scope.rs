// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the rule is in force.

use super::{Answer, Ask, Fill, Part, Question, event};

const BEHAVIOUR: &str = "how-many";

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "interval",
        topic: "When",
        text: "Is the rule always in force, or only during a part of each run?",
        why: "A rule that is asked for at the wrong time is either broken by innocent runs or never tested at all.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "always",
                    label: "Always, from the first event to the last",
                    example: "Nobody smokes in this building.",
                    fills: &[],
                    leads_to: BEHAVIOUR,
                },
                Answer {
                    id: "end",
                    label: "From the beginning, but only up to some event",
                    example: "Until the doors open, the hall stays empty.",
                    fills: &[Fill::Ends],
                    leads_to: "end-needed",
                },
                Answer {
                    id: "start",
                    label: "Only from some event on",
                    example: "Once you are of age, you may vote.",
                    fills: &[Fill::Starts],
                    leads_to: "which-start",
                },
                Answer {
                    id: "both",
                    label: "Only between two events, each time anew",
                    example: "Between take-off and landing, the doors stay shut.",
                    fills: &[Fill::Starts, Fill::Ends],
                    leads_to: "which-start-of-two",
                },
            ],
        },
    },
    Question {
        id: "end-needed",
        topic: "The end",
        text: "If the event that ends it never comes, was the rule in force all the same?",
        why: "A run may stop half-way. Either everything up to there counts, or nothing does.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "needed",
                    label: "No: without the end, nothing was asked",
                    example: "Before the exam you learn; if there is no exam, nobody minds.",
                    fills: &[Fill::EndNeeded],
                    leads_to: "end-event",
                },
                Answer {
                    id: "optional",
                    label: "Yes: then it was in force for the whole run",
                    example: "Until the signal turns green you wait, even if it never does.",
                    fills: &[],
                    leads_to: "end-event",
                },
            ],
        },
    },
    event(
        "end-event",
        "Ends with",
        "Which event ends it?",
        "The first such event ends the rule for good. It does not count as happening under the rule.",
        Part::End,
        BEHAVIOUR,
    ),
    Question {
        id: "which-start",
        topic: "The start",
        text: "If the event that starts it comes more than once, which one counts?",
        why: "With the last one, each further start wipes out what happened before it, good or bad.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "first",
                    label: "The first: later ones change nothing",
                    example: "From your first day at work you pay contributions.",
                    fills: &[],
                    leads_to: "start-event",
                },
                Answer {
                    id: "last",
                    label: "The last: each one begins anew",
                    example: "Since you last sharpened the knife, it cuts.",
                    fills: &[Fill::LastStart],
                    leads_to: "start-event",
                },
            ],
        },
    },
    event(
        "start-event",
        "Starts with",
        "Which event starts it?",
        "What happens before this event is free. The event itself does not count as happening under the rule.",
        Part::Start,
        BEHAVIOUR,
    ),
    Question {
        id: "which-start-of-two",
        topic: "The start",
        text: "If the start comes again before the end, which one counts?",
        why: "With the last one, only what lies between the end and the start nearest to it is looked at.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "first",
                    label: "The first: a further start changes nothing",
                    example: "From the first ring to hanging up, it is one call.",
                    fills: &[],
                    leads_to: "end-needed-of-two",
                },
                Answer {
                    id: "last",
                    label: "The last: each one begins anew",
                    example: "From the last coat of paint to moving in, nobody touches the wall.",
                    fills: &[Fill::LastStart],
                    leads_to: "end-needed-of-two",
                },
            ],
        },
    },
    Question {
        id: "end-needed-of-two",
        topic: "The end",
        text: "If the end never comes after a start, was the rule in force all the same?",
        why: "A run may stop between the two. Either what came after the start counts, or it does not.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "needed",
                    label: "No: without the end, nothing was asked",
                    example: "Between boarding and landing there is a meal, on flights that land.",
                    fills: &[Fill::EndNeeded],
                    leads_to: "start-event-of-two",
                },
                Answer {
                    id: "optional",
                    label: "Yes: then it was in force up to the end of the run",
                    example: "From lighting the oven until it is off, somebody is at home.",
                    fills: &[],
                    leads_to: "start-event-of-two",
                },
            ],
        },
    },
    event(
        "start-event-of-two",
        "Starts with",
        "Which event starts it?",
        "What happens before this event is free. The event itself does not count as happening under the rule.",
        Part::Start,
        "end-event-of-two",
    ),
    event(
        "end-event-of-two",
        "Ends with",
        "Which event ends it?",
        "After this event the rule rests until the next start. An event that is both a start and an end only ends.",
        Part::End,
        BEHAVIOUR,
    ),
];
