// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much time there is.

use super::{Answer, Ask, Bound, Fill, Question, Skip, When};

const DATA: &str = "data";
const UNIT: &str = "unit";

const fn unit(id: &'static str, label: &'static str, example: &'static str, fills: &'static [Fill]) -> Answer {
    Answer { id, label, example, fills, leads_to: DATA }
}

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "time",
        topic: "Time",
        text: "Is there a limit in time?",
        why: "Without one, an event may be as late as it likes, and nobody knows that it is missing until everything is over.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "none",
                    label: "No, only the order counts",
                    example: "Letters are answered.",
                    fills: &[],
                    leads_to: DATA,
                },
                Answer {
                    id: "deadline",
                    label: "There is a deadline",
                    example: "Letters are answered within two weeks.",
                    fills: &[],
                    leads_to: "most",
                },
                Answer {
                    id: "distance",
                    label: "There is a smallest distance",
                    example: "The dough rests for an hour before it is baked.",
                    fills: &[],
                    leads_to: "least",
                },
                Answer {
                    id: "both",
                    label: "Both: not too soon and not too late",
                    example: "The egg leaves the water after four to six minutes.",
                    fills: &[],
                    leads_to: "from",
                },
            ],
        },
    },
    Question {
        id: "most",
        topic: "Within",
        text: "How much time is there?",
        why: "An event at exactly this distance is still in time.",
        skip: None,
        ask: Ask::Time { bound: Bound::Most, leads_to: UNIT },
    },
    Question {
        id: "least",
        topic: "Not before",
        text: "How much time must pass, at least?",
        why: "An event at exactly this distance is late enough.",
        skip: None,
        ask: Ask::Time { bound: Bound::Least, leads_to: UNIT },
    },
    Question {
        id: "from",
        topic: "Not before",
        text: "How much time must pass, at least?",
        why: "An event at exactly this distance is late enough.",
        skip: None,
        ask: Ask::Time { bound: Bound::Least, leads_to: "to" },
    },
    Question {
        id: "to",
        topic: "Within",
        text: "How much time may pass, at most?",
        why: "An event at exactly this distance is still in time.",
        skip: None,
        ask: Ask::Time { bound: Bound::Most, leads_to: UNIT },
    },
    Question {
        id: "unit",
        topic: "Log counts",
        text: "In what does your log count its times?",
        why: "A limit in seconds says nothing about a bare number in a log until somebody says what that number counts.",
        skip: Some(Skip { unless: When::UnitIsUnknown, leads_to: DATA }),
        ask: Ask::Choice {
            answers: &[
                unit("dates", "In dates and times of day", "2024-02-29T12:00:00Z", &[]),
                unit("s", "In seconds", "1709208000", &[Fill::Unit("s")]),
                unit("ms", "In milliseconds", "1709208000000", &[Fill::Unit("ms")]),
                unit("us", "In microseconds", "1709208000000000", &[Fill::Unit("us")]),
                unit("ns", "In nanoseconds", "1709208000000000000", &[Fill::Unit("ns")]),
                unit("m", "In minutes", "12 is twelve minutes after the beginning", &[Fill::Unit("m")]),
                unit("h", "In hours", "12 is twelve hours after the beginning", &[Fill::Unit("h")]),
                unit("D", "In days", "12 is twelve days after the beginning", &[Fill::Unit("D")]),
            ],
        },
    },
];
