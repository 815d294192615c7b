// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conversations: what is asked after what, the way back, what is known, what does not fit.

use gnomon_assist::{
    FinishedProperty, KnownEvent, KnownField, PatternParts, Reply, Session, SessionContext, Transcript,
};

fn after(known: SessionContext, answers: &[&str]) -> Session {
    let mut session = Session::new(known);
    for answer in answers {
        let question = session.question().map(|asked| asked.id);
        session.answer(answer).unwrap_or_else(|wrong| panic!("{answer} at {question:?}: {wrong}"));
    }
    session
}

fn text(answers: &[&str]) -> String {
    after(SessionContext::default(), answers).finish().expect("the answers make a property").text()
}

fn at(session: &Session) -> String {
    session.question().map_or_else(|| "end".to_owned(), |asked| asked.id)
}

#[test]
fn scopes_and_behaviours_come_out_as_answered() {
    for (answers, expected) in [
        (&["always", "one", "alarm", "never", "no", "calm"][..], "pattern calm { globally: absence of alarm }\n"),
        (
            &["end", "done", "optional", "one", "tick", "at-least", "2", "no", "n"],
            "pattern n { until done: at least 2 tick }\n",
        ),
        (
            &["start", "open", "last", "two", "ask", "reply", "follows", "yes", "deadline", "10", "no", "n"],
            "pattern n { after last open: reply responds to ask within 10, ask required }\n",
        ),
        (
            &["both", "a", "b", "last", "optional", "one", "call", "seldom", "3", "1 h", "s", "no", "n"],
            "time in s\n\npattern n { after last a until b: at most 3 call in 1h }\n",
        ),
        (
            &["always", "only", "read", "yes", "whisper", "no", "no", "n"],
            "pattern n { globally: only read, whisper }\n",
        ),
        (
            &["always", "two", "start", "stop", "shortest", "10", "no", "n"],
            "pattern n { globally: start precedes stop within [10,inf) }\n",
        ),
        (
            &[
                "always",
                "more",
                "order",
                "dish",
                "bill",
                "yes",
                "change",
                "no",
                "response",
                "1",
                "no",
                "yes",
                "complaint",
                "both",
                "2",
                "5",
                "no",
                "n",
            ],
            "pattern n { globally: dish, bill, change without complaint respond to order within [2,5] }\n",
        ),
        (
            &["always", "more", "a", "b", "c", "yes", "d", "no", "precedence", "2", "none", "no", "n"],
            "pattern n { globally: a, b precede c, d }\n",
        ),
        (
            &["always", "measured", "call", "ms", "p95", "upper", "200", "5m", "s", "n"],
            "time in s\n\nmtl n { G(call -> p95[5m](call.ms) <= 200) }\n",
        ),
        (
            &["always", "measured", "call", "user/rating", "mean", "lower", "-2.5", "10", "n"],
            "mtl n { G(call -> avg[10](call.user/rating) >= -2.5) }\n",
        ),
    ] {
        assert_eq!(text(answers), expected);
    }
}

#[test]
fn data_questions_follow_each_event() {
    let answers = [
        "always",
        "two",
        "lend",
        "return",
        "follows",
        "no",
        "none",
        "yes",
        "1",
        "book",
        "same",
        "book",
        "return",
        "yes",
        "1",
        "desk",
        "each",
        "yes",
        "2",
        "fine",
        "fixed",
        "none paid",
        "no",
        "library",
    ];
    assert_eq!(
        text(&answers),
        "event lend(book, desk)\nevent return(book, fine)\n\n\
         pattern library { for every book: globally: return(book, \"none paid\") responds to lend(book, *) }\n"
    );
    let universal = ["always", "one", "invoice", "same", "currency", "fixed", "EUR", "no", "euros"];
    assert_eq!(
        text(&universal),
        "event invoice(currency)\n\npattern euros { globally: universality of invoice(\"EUR\") }\n"
    );
}

#[test]
fn typed_parameters_need_no_further_questions() {
    let mut session = after(SessionContext::default(), &["end", "done", "needed", "two"]);
    session.answer("push(_, t, false)").unwrap();
    session.answer("pop(t)[queue = \"q1\"]").unwrap();
    for answer in ["follows", "no", "none"] {
        session.answer(answer).unwrap();
    }
    // `done` alone says nothing of its data.
    assert_eq!(at(&session), "data");
    session.answer("no").unwrap();
    session.answer("popped").unwrap();
    assert_eq!(
        session.finish().unwrap().text(),
        "pattern popped { for every t: before done: pop(t)[queue = \"q1\"] responds to push(_, t, false) }\n"
    );
    let typed = ["always", "one", "push(*, 3, *)", "never", "n"];
    assert_eq!(text(&typed), "pattern n { globally: absence of push(*, 3, *) }\n");
    assert_eq!(
        text(&["always", "one", "GET /orders", "never", "no", "n"]),
        "pattern n { globally: absence of \"GET /orders\" }\n"
    );
    assert_eq!(
        text(&["always", "one", "after", "never", "no", "a b"]),
        "pattern \"a b\" { globally: absence of \"after\" }\n"
    );
}

#[test]
fn answers_can_be_undone() {
    let mut session = Session::new(SessionContext::default());
    assert!(!session.back());
    for answer in ["both", "open", "close", "first"] {
        session.answer(answer).unwrap();
    }
    assert_eq!(at(&session), "end-needed-of-two");
    assert_eq!(
        session.question().unwrap().text,
        "If `close` never happens after `open`, does the rule apply all the same?"
    );
    assert_eq!(session.summary().len(), 4);
    assert_eq!((session.summary()[1].topic.as_str(), session.summary()[1].answer.as_str()), ("Starts with", "open"));
    assert_eq!(session.summary()[3].answer, "The first `open`: a further one changes nothing");
    let earlier = [
        ("which-start-of-two", "first"),
        ("end-event-of-two", "close"),
        ("start-event-of-two", "open"),
        ("interval", "both"),
    ];
    for (question, answer) in earlier {
        assert!(session.back());
        assert_eq!((at(&session).as_str(), session.question().unwrap().previous.as_deref()), (question, Some(answer)));
    }
    // Answers that were undone are offered again, also after another one.
    for (answer, offered) in [("both", Some("open")), ("start", Some("close")), ("close", Some("first"))] {
        session.answer(answer).unwrap();
        assert_eq!(session.question().unwrap().previous.as_deref(), offered);
    }
    while session.back() {}
    for answer in ["always", "one", "write", "never", "no", "quiet"] {
        session.answer(answer).unwrap();
    }
    assert_eq!(session.finish().unwrap().text(), "pattern quiet { globally: absence of write }\n");
    assert!(session.answer("more").is_err());
    assert!(session.back() && session.back());
    session.answer("yes").unwrap();
    assert_eq!(at(&session), "data-event");
}

#[test]
fn an_answer_that_does_not_fit_changes_nothing() {
    let mut session = after(SessionContext::default(), &["always", "one", "tick"]);
    let wrong = session.answer("nver").unwrap_err();
    assert_eq!(wrong.message(), "`nver` is not one of the answers");
    assert!(wrong.advice().is_some_and(|advice| advice.contains("never, once")), "{wrong}");
    session.answer("at-least").unwrap();
    for (answer, message) in [("0", "at least 0 times is always true"), ("two", "`two` is not a whole number")] {
        assert_eq!(session.answer(answer).unwrap_err().message(), message);
    }
    session.answer("2").unwrap();
    let mut session = after(SessionContext::default(), &["always", "one"]);
    for bad in ["", "   ", "a(", "a(1", "a) }", "a[x =", "a(1)(2)", "a } pattern b { globally: absence of c"] {
        assert!(session.answer(bad).is_err(), "{bad:?}");
        assert_eq!(at(&session), "event");
    }
    assert!(session.finish().unwrap_err().advice().is_some_and(|advice| advice.contains("Which event?")));
    let mut session = after(SessionContext::default(), &["always", "one", "a", "once", "both", "10s"]);
    for (answer, message) in [
        ("", "no time was given"),
        ("10", "`10s` and `10` cannot be compared"),
        ("9s", "`9s` is less than `10s`"),
        ("ten", "unknown unit `ten`; write one of ns us ms s m h D"),
        ("0.1ns", "`0.1ns` is not a whole number of nanoseconds"),
    ] {
        assert_eq!(session.answer(answer).unwrap_err().message(), message);
    }
    session.answer("1m").unwrap();
    assert_eq!(at(&session), "unit");
}

fn shop() -> SessionContext {
    let field = |name: &str, path: &[&str], required| KnownField {
        name: name.to_owned(),
        path: path.iter().map(|step| (*step).to_owned()).collect(),
        required,
    };
    let order = KnownEvent {
        name: "order".to_owned(),
        fields: vec![
            field("id", &["id"], true),
            field("total", &["sum", "total"], true),
            field("note", &["note"], false),
        ],
        participants: Some(("client".to_owned(), "shop".to_owned())),
        about: None,
    };
    let (spec, _) =
        gnomon_lang::parse("time at in s\nevent ship(id, place) = shipped\npattern old { globally: absence of x }\n");
    SessionContext { events: vec![order], spec, has_dates: false }
}

#[test]
fn known_events_are_offered_and_enforced() {
    let mut session = after(shop(), &["always", "two"]);
    let asked = session.question().unwrap();
    assert_eq!(asked.suggestions, ["ship", "order"]);
    let wrong = session.answer("order(x)").unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "every `order` carries 2 values, not 1; write `order`, or `order(id, total)` with a value, a name, `_` or `*` for each"
    );
    session.answer("order").unwrap();
    assert!(session.answer("ship(x)").is_err(), "ship is declared with two parameters");
    for answer in ["ship", "follows", "no", "deadline", "2D"] {
        session.answer(answer).unwrap();
    }
    // The spec says what its times count.
    assert_eq!(at(&session), "data");
    session.answer("yes").unwrap();
    let offers: Vec<String> = session.question().unwrap().answers.into_iter().map(|offer| offer.label).collect();
    assert_eq!(offers, ["order (comes first)", "ship (comes after)"]);
    session.answer("1").unwrap();
    assert_eq!(session.question().unwrap().suggestions, ["id", "total", "note"]);
    for answer in ["total", "fixed", "5", "yes", "1", "id", "same"] {
        session.answer(answer).unwrap();
    }
    assert_eq!(session.question().unwrap().default.as_deref(), Some("id"));
    session.answer("id").unwrap();
    assert_eq!(at(&session), "carriers");
    let asked = session.question().unwrap();
    assert_eq!(
        (asked.text.as_str(), asked.default.as_deref()),
        ("Which other events carry the same `id`?", Some("ship"))
    );
    assert!(session.answer("ship.weight").unwrap_err().to_string().contains("choose one of id, place"));
    assert!(session.answer("shop").unwrap_err().to_string().contains("type some of ship"));
    for answer in ["ship", "no"] {
        session.answer(answer).unwrap();
    }
    assert_eq!(session.question().unwrap().default.as_deref(), Some("answered-order"));
    assert!(session.answer("old").unwrap_err().message().contains("already"));
    session.answer("shipped").unwrap();
    let finished = session.finish().unwrap();
    assert_eq!(
        finished.text(),
        "event order(total, id) = order[sum/total as total] from client to shop\n\n\
         pattern shipped { for every id: globally: ship(id, _) responds to order(5, id) within 2D }\n"
    );
    assert_eq!(finished.spec.properties.len(), 2);
}

#[test]
fn typed_parentheses_mean_the_catalogue_s_parameters() {
    let known = SessionContext { spec: gnomon_ir::spec::Spec::default(), ..shop() };
    let finished = after(known, &["always", "one", "order(x, 0)", "never", "n"]).finish().unwrap();
    assert_eq!(finished.declarations, "event order(id, total) = order[sum/total as total] from client to shop\n");
    assert_eq!(finished.block, "pattern n { for every x: globally: absence of order(x, 0) }\n");
}

#[test]
fn a_conversation_is_had_again() {
    let answers = ["both", "open", "close", "first", "needed", "one", "write", "never", "no", "quiet"];
    let session = after(SessionContext::default(), &answers);
    let json = session.transcript().to_json();
    let again = Session::replay(SessionContext::default(), &Transcript::from_json(&json).unwrap()).unwrap();
    assert_eq!(again.finish(), session.finish());
    let mut transcript = session.transcript();
    transcript.answers[1].question = "which-start".to_owned();
    let wrong = Session::replay(SessionContext::default(), &transcript).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "`which-start` is not asked here; the question at this place is `start-event-of-two`"
    );
    transcript = session.transcript();
    transcript.answers.push(Reply { question: "more".to_owned(), answer: "yes".to_owned() });
    assert!(Session::replay(SessionContext::default(), &transcript).is_err());
    assert!(Transcript::from_json("{\"answers\": 3}").unwrap_err().message().starts_with("these are not answers"));
}

#[test]
fn events_without_the_shared_value_are_warned_about() {
    let scoped =
        ["end", "done", "needed", "two", "ask", "reply", "follows", "no", "none", "yes", "2", "id", "same", "x"];
    let mut session = after(SessionContext::default(), &scoped);
    let asked = session.question().unwrap();
    assert_eq!(
        (asked.suggestions.as_slice(), asked.default.as_deref()),
        (&["done", "reply"].map(str::to_owned)[..], Some("done, reply"))
    );
    for answer in ["reply.request", "no", "n"] {
        session.answer(answer).unwrap();
    }
    let finished = session.finish().unwrap();
    assert_eq!(
        finished.text(),
        "event ask(id)\nevent reply(request)\n\npattern n { for every x: before done: reply(x) responds to ask(x) }\n"
    );
    assert_eq!(
        finished.warnings,
        ["`done` does not carry `x`: any such event counts, whichever value the others carry"]
    );
    // Typed data counts, and no question is asked of a single event.
    let typed =
        after(SessionContext::default(), &["always", "two", "ask(x)", "reply(x)", "follows", "no", "none", "n"]);
    assert!(typed.finish().unwrap().warnings.is_empty());
    let alone = after(SessionContext::default(), &["always", "one", "ask", "never", "yes", "1", "id", "same", "x"]);
    assert_eq!(at(&alone), "data-more");
}

#[test]
fn always_is_a_scope() {
    let parts = PatternParts {
        name: "n".to_owned(),
        scope: Some("always".to_owned()),
        behaviour: "absence of a".to_owned(),
        ..PatternParts::default()
    };
    assert_eq!(parts.block(), "pattern n { globally: absence of a }\n");
}

#[test]
fn words_make_a_property_too() {
    let words = PatternParts {
        name: "n".to_owned(),
        behaviour: "absence of order(_, 0)".to_owned(),
        ..PatternParts::default()
    };
    let finished = FinishedProperty::from_block(&shop(), &words.block()).unwrap();
    assert_eq!(finished.declarations, "event order(id, total) = order[sum/total as total] from client to shop\n");
    let unbound = PatternParts { behaviour: "absence of order(x, 0)".to_owned(), ..words.clone() };
    assert!(!FinishedProperty::from_block(&shop(), &unbound.block()).unwrap_err().is_empty());
    let two = PatternParts { behaviour: "absence of a } pattern b { globally: absence of c".to_owned(), ..words };
    assert!(FinishedProperty::from_block(&shop(), &two.block()).is_err());
}
