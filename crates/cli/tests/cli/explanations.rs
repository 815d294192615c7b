// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explanations of violations in every language: the sentence, the events and their notes.

use crate::support::TestFolder;

/// Checks a trace and returns the lines of the report about its first violation, without the text of the spec.
fn explained(spec: &str, trace: &str) -> String {
    let folder = TestFolder::with(&[("p.rv", spec), ("t.csv", trace)]);
    let output = folder.run(&["check", "p.rv", "t.csv"]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let from = output.stdout.find("violation[").expect("a violation");
    output.stdout[from..].lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn every_counted_event_of_the_window_is_cited() {
    let trace = "event,time,u\nfail,1,1\nfail,12,1\nfail,13,2\nfail,15,1\nfail,16,1\nfail,18,1\n";
    let found = explained("mtl few { forall u. G(count[10](fail(u)) <= 3) }", trace);
    has(&found, &["counted 4 `fail` in the last 10; at most 3 allowed", "u = 1"]);
    let lines: Vec<&str> = found.lines().filter(|line| line.contains("counted: ")).collect();
    assert_eq!(
        lines.iter().filter_map(|line| line.split(" |").next()).collect::<Vec<_>>(),
        ["3", "5", "6", "7"],
        "{found}"
    );

    let found = explained("pattern few { for every u: globally: at most 3 fail(u) }", trace);
    has(&found, &["4 `fail`; at most 3 allowed", "counted: 1 of 4", "counted: 4 of 4"]);
    assert!(!found.contains("t=13"), "{found}");
}

#[test]
fn aggregates_have_their_value() {
    let trace = "event,time,amount\npay,1,900\npay,100,50\npay,200,70.2\npay,300,63.4\n";
    let found = explained("mtl low { G(pay[amount > 60 && amount < 70] -> avg[250](pay.amount) <= 60) }", trace);
    has(&found, &["avg of `amount` over `pay` in the last 250 is 61.2; at most 60 allowed"]);
    has(&found, &["t=100 pay amount=50 50, in the last 250", "t=200", "t=300"]);
    assert!(!found.contains("t=1 "), "{found}");
}

#[test]
fn answers_that_come_too_late_are_shown() {
    let trace = "event,time,id\nask,1,1\nask,2,2\nreply,3,2\nreply,9,1\nbye,20,1\n";
    let found = explained("mtl fast { forall id. G(ask(id) -> F[0,5] reply(id)) }", trace);
    has(&found, &["no `reply` within 5; the next one came too late, after 8", "too late: 8 later"]);
    assert!(!found.contains("t=3 "), "{found}");
    let found = explained("pattern fast { for every id: globally: reply(id) responds to ask(id) within 5 }", trace);
    has(&found, &["no `reply` after `ask` within 5; `reply` came too late, after 8", "requires `reply` within 5"]);
}

#[test]
fn the_event_that_spoils_a_chain_is_shown() {
    let trace = "event,time\norder,1\npack,2\nopen,3\nsend,4\nbye,5\n";
    let found = explained("pattern clean { globally: pack, send without open respond to order }", trace);
    has(&found, &["`open` came in between", "response 1 of 2", "response 2 of 2"]);
    let found = explained(
        "pattern known { globally: look, confirm precede send }",
        "event,time\nconfirm,1\nlook,2\nsend,3\nconfirm,4\n",
    );
    has(&found, &["`send` without `confirm` before; the last `confirm` came too early", "too early: before `look`"]);
    let found =
        explained("pattern known { globally: look, confirm precede send }", "event,time\nlook,2\nsend,3\nconfirm,4\n");
    has(&found, &["`send` without `confirm` before; `confirm` came only afterwards", "cause 1 of 2"]);
    let found = explained(
        "pattern known { globally: look, confirm precede send within 5m }",
        "event,time\nlook,2026-05-01T08:00:00Z\nconfirm,2026-05-01T08:09:00Z\nsend,2026-05-01T08:10:00Z\n",
    );
    has(&found, &["`send` without `look` in the 5 min before; the last one was 10 min before", "too long ago"]);
}

#[test]
fn automata_show_their_moves() {
    let spec = "qea files { Forall(f) accept next(shut) { open(f) -> opened } next(opened) { read(f) -> opened close(f) -> shut } }";
    let found = explained(spec, "event,time,f\nopen,1,7\nopen,2,8\nread,3,7\nclose,4,7\nread,5,7\nclose,6,8\n");
    has(
        &found,
        &["`read` is not allowed in `shut`", "`shut` → `opened`", "`opened` → `shut`", "not allowed in `shut`"],
    );
    assert!(!found.contains("t=2 ") && !found.contains("t=3 "), "{found}");
}

#[test]
fn automata_show_the_events_that_set_their_variables() {
    let spec = "event bid(i, price) = bid\nqea rises { Forall(i) accept skip(open) { bid(i, p) -> running do [ best = p ] } \
                accept skip(running) { bid(i, p) if [ p > best ] -> running do [ best = p ] else -> failed } }";
    let found = explained(spec, "event,time,i,price\nbid,1,7,10\nbid,2,7,20\nbid,3,7,30\nbid,4,8,50\nbid,5,7,15\n");
    has(&found, &["`open` → `running`", "stays in `running`, p = 30, best = 30", "`running` → `failed`, p = 15"]);
    assert!(!found.contains("t=2 ") && !found.contains("t=4 "), "{found}");
}

#[test]
fn forbidden_sequences_show_their_events() {
    let spec = "mu once { forall f:Any. [true* . open(f) . (!close(f))* . open(f)] false }";
    let found = explained(spec, "event,time,f\nopen,1,7\nopen,2,8\nread,3,7\nopen,4,7\n");
    has(&found, &["the forbidden sequence `open`, then `open` is complete", "1 of 2 in the forbidden sequence"]);
    assert!(!found.contains("t=2 ") && !found.contains("t=3 "), "{found}");
}

#[test]
fn values_of_states_show_the_events_that_determine_them() {
    let trace = "event,time,x\nfail,1,1\nset,2,7\nfail,5,\nfail,6,\nend,8,\n";
    let found = explained("albert few { count(onEvent(fail), 10) <= 2 }", trace);
    has(&found, &["`count(fail, 10)` is 3", "counted: 1 of 3 in the last 10", "counted: 3 of 3 in the last 10"]);
    let found = explained("albert fast { onEvent(end) -> elapsed(onEvent(fail)) <= 1 }", trace);
    has(&found, &["`elapsed(onEvent(fail))` is 2", "t=6 fail the last `fail`, 2 earlier"]);
    let found = explained("albert low { onEvent(end) -> $x <= past($x, onEvent(fail), 3) }", trace);
    has(&found, &["t=1 fail x=1 `$x` is 1 here", "t=2 set x=7 `$x` is 7 from here on"]);
}

#[test]
fn parts_of_connectives_are_named_once() {
    let found = explained("mtl p { G(ask -> F[0,9] reply || P[0,5] known) }", "event,time\nask,1\nbye,20\n");
    has(&found, &["no `reply` within 9, and no `known` in the 5 before"]);
    let found = explained("mtl p { !enter W ticket }", "event,time\nopen,1\nenter,3\nticket,5\n");
    has(&found, &["`enter` came after 2, with no `ticket` before it", "`ticket` came only after that"]);
    let found = explained("mtl p { G(a -> G(b -> G !c)) }", "event,time\na,1\nb,3\nc,5\n");
    has(&found, &["`b`, 2 later", "`c`, 2 later"]);
}

#[test]
fn patterns_show_events_of_the_binding_only() {
    let trace = "event,time,id\nask,1,1\nreply,2,1\nask,3,2\nbye,20,1\n";
    let found = explained("pattern fast { for every id: globally: reply(id) responds to ask(id) within 5 }", trace);
    assert!(found.contains("t=3 ask id=2") && !found.contains("t=1 "), "{found}");
}

#[test]
fn parts_of_formulae_have_values() {
    let spec = "mtl both { G(ask -> F[0,5] reply && !P stop) }";
    let folder = TestFolder::with(&[("p.rv", spec), ("t.csv", "event,time\nstop,0\nask,1\nreply,3\n")]);
    let text = folder.run(&["check", "p.rv", "t.csv", "--explain"]).stdout;
    for part in ["values at line 3:", "F[0,5] reply                 true; true at line 2, 4"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json = folder.run(&["check", "p.rv", "t.csv", "--explain", "--report", "json"]).stdout;
    assert!(json.contains("\"parts\":[{\"depth\":0,\"text\":\"G("), "{json}");
    assert!(!folder.run(&["check", "p.rv", "t.csv", "--report", "json"]).stdout.contains("\"parts\""));
}

#[test]
fn events_without_a_case_do_not_keep_later_violations_from_being_explained() {
    let spec = "mtl answered { G(ask -> F[0,3] answer) }\n";
    let idle: String = (0..50).map(|time| format!("idle,{time},\n")).collect();
    let log = format!("event,time,session\n{idle}ask,60,s\nanswer,65,s\n");
    let folder = TestFolder::with(&[("answers.rv", spec), ("day.csv", &log)]);
    let output = folder.run(&["check", "answers.rv", "day.csv", "--by", "session"]);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    assert!(output.stdout.contains("the next one came too late, after 5"), "{}", output.stdout);
}
