// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules about several events in an order: as many steps on either side as are wanted.

use super::{Answer, Ask, Fill, Part, Question, Shape, another, event, last};

const TIME: &str = "time";

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        id: "chain",
        topic: "What",
        text: "How do the events hang together?",
        why: "The order alone is not the rule: some events ask for others, some allow others.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "answers",
                    label: "When A happens, B must follow and then C",
                    example: "Who orders gets the dish, and then the bill.",
                    fills: &[Fill::Behaviour(Shape::Response)],
                    leads_to: "chain-trigger-required",
                },
                Answer {
                    id: "triggers",
                    label: "When A and later B happened, C must follow",
                    example: "Who knocks and then enters is greeted.",
                    fills: &[Fill::Behaviour(Shape::Response)],
                    leads_to: "triggers",
                },
                Answer {
                    id: "causes",
                    label: "C happens only after A and then B",
                    example: "You drive only after opening the car and then starting it.",
                    fills: &[Fill::Behaviour(Shape::Precedence)],
                    leads_to: "causes",
                },
                Answer {
                    id: "effects",
                    label: "B and then C happen only after A",
                    example: "Nobody undresses and then swims before the pool is open.",
                    fills: &[Fill::Behaviour(Shape::Precedence)],
                    leads_to: "chain-cause-required",
                },
                Answer {
                    id: "triggers-answers",
                    label: "When A and later B happened, C must follow and then D",
                    example: "Who chooses and then pays gets the goods, and then a receipt.",
                    fills: &[Fill::Behaviour(Shape::Response)],
                    leads_to: "both-triggers",
                },
                Answer {
                    id: "causes-effects",
                    label: "C and then D happen only after A and then B",
                    example: "Nobody boards and flies before checking in and passing security.",
                    fills: &[Fill::Behaviour(Shape::Precedence)],
                    leads_to: "both-causes",
                },
            ],
        },
    },
    // A, then B and C.
    Question {
        id: "chain-trigger-required",
        topic: "Required",
        text: "Must A happen at all?",
        why: "A run in which nobody asks owes nothing. Say whether that is good enough.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "no",
                    label: "No: if it never happens, all is well",
                    example: "Nobody need order.",
                    fills: &[],
                    leads_to: "chain-trigger",
                },
                Answer {
                    id: "yes",
                    label: "Yes: it must happen, and then the others",
                    example: "Somebody must order.",
                    fills: &[Fill::Required],
                    leads_to: "chain-trigger",
                },
            ],
        },
    },
    event(
        "chain-trigger",
        "Whenever",
        "Which event is A, the one that asks for the others?",
        "Each time it happens, the others are owed, in their order.",
        Part::First,
        "chain-first-answer",
    ),
    event(
        "chain-first-answer",
        "Then",
        "Which event must follow first?",
        "Something else may happen in between: only the order counts.",
        Part::Then,
        "chain-answer",
    ),
    // Also the end of the chains with several on both sides.
    event(
        "chain-answer",
        "And then",
        "Which event must follow after that?",
        "Something else may happen in between: only the order counts.",
        Part::Then,
        "chain-answer-more",
    ),
    Question {
        id: "chain-answer-more",
        topic: "More",
        text: "Must yet another event follow?",
        why: "A chain may have as many steps as you like.",
        skip: None,
        ask: Ask::Choice {
            answers: &[last("Dish and bill.", "exception"), another("Dish, bill and change.", "chain-answer")],
        },
    },
    Question {
        id: "exception",
        topic: "Except",
        text: "Is there an event that must not come between the first that follows and the last?",
        why: "A chain can be spoilt half-way: goods that were sent, called back and paid for are not sold.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "no",
                    label: "No, anything may come between them",
                    example: "Between dish and bill you may chat.",
                    fills: &[],
                    leads_to: TIME,
                },
                Answer {
                    id: "yes",
                    label: "Yes, one event would spoil it",
                    example: "Dish and bill, and no complaint between them.",
                    fills: &[],
                    leads_to: "exception-event",
                },
            ],
        },
    },
    event(
        "exception-event",
        "Without",
        "Which event must not come between them?",
        "If it comes, the chain has to begin again from its first step.",
        Part::Exception,
        TIME,
    ),
    // A and B, then C.
    event(
        "triggers",
        "Whenever",
        "Which event comes first?",
        "Alone it asks for nothing; it prepares for the next.",
        Part::First,
        "trigger-next",
    ),
    event(
        "trigger-next",
        "And then",
        "Which event comes after that?",
        "With the last of these events the others are owed.",
        Part::First,
        "trigger-more",
    ),
    Question {
        id: "trigger-more",
        topic: "More",
        text: "Does yet another event belong to those that come first?",
        why: "A chain may have as many steps as you like.",
        skip: None,
        ask: Ask::Choice {
            answers: &[last("Knock and enter.", "answer"), another("Knock, enter and bow.", "trigger-next")],
        },
    },
    // A and B, then C and D.
    event(
        "both-triggers",
        "Whenever",
        "Which event comes first?",
        "Alone it asks for nothing; it prepares for the next.",
        Part::First,
        "both-trigger-next",
    ),
    event(
        "both-trigger-next",
        "And then",
        "Which event comes after that?",
        "With the last of these events the others are owed.",
        Part::First,
        "both-trigger-more",
    ),
    Question {
        id: "both-trigger-more",
        topic: "More",
        text: "Does yet another event belong to those that come first?",
        why: "A chain may have as many steps as you like.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                last("Choose and pay.", "chain-first-answer"),
                another("Choose, pay and wait.", "both-trigger-next"),
            ],
        },
    },
    // C only after A and B.
    event(
        "causes",
        "First",
        "Which event must come first?",
        "Alone it allows nothing; the others must come after it.",
        Part::First,
        "cause-next",
    ),
    event(
        "cause-next",
        "And then",
        "Which event must come after that?",
        "With the last of these events the rest is allowed.",
        Part::First,
        "cause-more",
    ),
    Question {
        id: "cause-more",
        topic: "More",
        text: "Must yet another event come first?",
        why: "A chain may have as many steps as you like.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                last("Open the car and start it.", "effect"),
                another("Open it, start it and look behind you.", "cause-next"),
            ],
        },
    },
    // C and D only after A and B.
    event(
        "both-causes",
        "First",
        "Which event must come first?",
        "Alone it allows nothing; the others must come after it.",
        Part::First,
        "both-cause-next",
    ),
    event(
        "both-cause-next",
        "And then",
        "Which event must come after that?",
        "With the last of these events the rest is allowed.",
        Part::First,
        "both-cause-more",
    ),
    Question {
        id: "both-cause-more",
        topic: "More",
        text: "Must yet another event come first?",
        why: "A chain may have as many steps as you like.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                last("Check in and pass security.", "chain-first-effect"),
                another("Check in, pass security and find the gate.", "both-cause-next"),
            ],
        },
    },
    // B and C only after A.
    Question {
        id: "chain-cause-required",
        topic: "Required",
        text: "Must A happen at all?",
        why: "A run in which none of them happens breaks nothing. Say whether that is good enough.",
        skip: None,
        ask: Ask::Choice {
            answers: &[
                Answer {
                    id: "no",
                    label: "No: if none of them happens, all is well",
                    example: "The pool may stay shut.",
                    fills: &[],
                    leads_to: "chain-cause",
                },
                Answer {
                    id: "yes",
                    label: "Yes: it must happen in any case",
                    example: "The pool must open.",
                    fills: &[Fill::Required],
                    leads_to: "chain-cause",
                },
            ],
        },
    },
    event(
        "chain-cause",
        "First",
        "Which event is A, the one that must come first?",
        "Once it has happened, the others are allowed.",
        Part::First,
        "chain-first-effect",
    ),
    event(
        "chain-first-effect",
        "Only then",
        "Which event begins the chain that may come only after that?",
        "Alone it is free; the chain is what needs permission.",
        Part::Then,
        "chain-effect",
    ),
    event(
        "chain-effect",
        "And then",
        "Which event comes next in that chain?",
        "With the last of these events the rule is broken, if nothing allowed the first of them.",
        Part::Then,
        "chain-effect-more",
    ),
    Question {
        id: "chain-effect-more",
        topic: "More",
        text: "Does yet another event belong to that chain?",
        why: "A chain may have as many steps as you like.",
        skip: None,
        ask: Ask::Choice {
            answers: &[last("Undress and swim.", TIME), another("Undress, swim and dive.", "chain-effect")],
        },
    },
];
