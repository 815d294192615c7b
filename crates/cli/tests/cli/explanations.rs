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

#[test]
fn rules_show_the_nearest_miss() {
    let trace = "event,time,id\nask,1,1\nask,2,2\nreply,3,2\nreply,9,1\nbye,20,\n";
    let found = explained("nomad fast { P(start(ask) | O[0,5] done(reply)) / {{ask.id, reply.id}} }", trace);
    has(&found, &["no `reply` within 5; the next one came too late, after 8", "too late: 8 later"]);
    has(&found, &["requires `reply` within 5", "t=6 the time has passed: decided here"]);
    assert!(!found.contains("t=3 "), "{found}");

    let found = explained(
        "nomad slow { P(start(ask) | O[4,5] done(reply)) / {{ask.id, reply.id}} }",
        "event,time,id\nask,1,1\nreply,3,1\nbye,20,\n",
    );
    has(&found, &["no `reply` between 4 and 5; one came too early, after 2", "too early: 2 later"]);

    let known = "nomad known (matching any) { P(start(order) | O[10,0] (done(login) && done(!logout))) / {{order.u, login.u, logout.u}} }";
    let found = explained(known, "event,time,u\nlogin,1,1\nlogin,2,2\norder,15,1\n");
    has(&found, &["no `login` within 10 before; the last one came 14 earlier", "too long ago: 14 earlier"]);
    assert!(!found.contains("t=2 "), "{found}");
    let found = explained(known, "event,time,u\nlogin,7,1\nlogout,12,1\norder,15,1\n");
    has(
        &found,
        &["`logout` came 3 earlier, which is not allowed", "`logout`, 3 earlier: must not come", "`login`, 8 earlier"],
    );
    let found = explained(known, "event,time,u\norder,15,1\nlogin,17,1\n");
    has(&found, &["no `login` within 10 before; one came only 2 later", "too late: 2 later"]);
}

#[test]
fn rules_show_messages_that_others_used() {
    let found =
        explained("nomad each { P(start(ask) | O[0,10] done(reply)) }", "event,time\nask,0\nask,1\nreply,5\nbye,20\n");
    has(&found, &["no `reply` within 10; one came 4 later, but is used for another `ask`"]);
    has(&found, &["`reply` is used for this one", "4 later: used for another `ask`", "requires `reply` within 10"]);
    let found = explained(
        "nomad once { P(start(order) | O[60,0] done(login)) / {{order.u, login.u}} }",
        "event,time,u\nlogin,0,1\norder,5,1\norder,6,1\n",
    );
    has(&found, &["no `login` within 60 before; one came 6 earlier, but is used for another `order`"]);
}

#[test]
fn prohibitions_show_the_forbidden_message() {
    let found = explained(
        "nomad never (matching any) { F(start(order) | O[inf,0] done(close)) }",
        "event,time\nclose,1\norder,4\n",
    );
    has(&found, &["`close` came 3 earlier, which is forbidden", "t=1 close `close`, 3 earlier", "forbids `close`"]);
    let found = explained(
        "nomad quiet { F(start(ask) | O[0,3] done(!reply)) / {{ask.id, reply.id}} }",
        "event,time,id\nask,1,1\nreply,9,1\n",
    );
    has(
        &found,
        &["no `reply` came within 3, which is forbidden; the next one came too late, after 8", "too late: 8 later"],
    );
}

#[test]
fn numbers_are_rounded_beside_their_limits() {
    let trace = "event,time,amount\npay,1,50\npay,2,70.5\npay,3,63\n";
    let found = explained("mtl low { G(pay[amount = 63] -> avg[250](pay.amount) <= 60) }", trace);
    has(&found, &["avg of `amount` over `pay` in the last 250 is 61.2; at most 60 allowed"]);
    let trace = "event,time,amount\npay,1,60\npay,2,60\npay,3,60.0001\n";
    let found = explained("mtl low { G(pay[amount > 60] -> avg[250](pay.amount) <= 60) }", trace);
    has(&found, &["in the last 250 is 60.00003; at most 60 allowed"]);
    let trace = "event,time\nask,1\nreply,4.00000049\n";
    let found = explained("mtl fast { G(ask -> F[0,3] reply) }", trace);
    has(&found, &["the next one came too late, after 3.0000005"]);
    let found = explained("mtl fast { G(ask -> F[0,2] reply) }", trace);
    has(&found, &["the next one came too late, after 3"]);
}

#[test]
fn alternatives_are_named() {
    let found = explained("mtl any { G(order -> F[0,5] (ship || cancel)) }", "event,time\norder,1\ncancel,8\n");
    has(&found, &["no `ship` or `cancel` within 5; the next one came too late, after 7"]);
    let found = explained("soloist after { G(bye -> P hello) }", "event,time\nask,0\nbye,1\nhello,3\n");
    has(&found, &["no `hello` before; one came only 2 later", "too late: 2 later"]);
    let found = explained("pattern early { globally: existence of hello within 5 }", "event,time\na,1\nhello,9\n");
    has(&found, &["no `hello` within 5; one came too late, after 8", "too late: 8 after the start"]);
}
