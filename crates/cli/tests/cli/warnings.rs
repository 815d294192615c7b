// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warnings about specs that do not fit the trace.

use serde_json::{Value, json};

use crate::support::TestFolder;

/// Checks a trace. Returns the report for people and that for programs.
fn check(spec: &str, name: &str, trace: &str, flags: &[&str]) -> (String, Value) {
    let folder = TestFolder::with(&[("rules.rv", spec), (name, trace)]);
    let human = folder.run(&[&["check", "rules.rv", name], flags].concat());
    assert_eq!(human.stderr, "");
    let output = folder.run(&[&["check", "rules.rv", name, "--report", "json"], flags].concat());
    let report: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
    (human.stdout, report["traces"][0].clone())
}

const LOGINS: &str =
    "{\"event\":\"login\",\"time\":0,\"uid\":1,\"ip\":\"::1\"}\n{\"event\":\"login\",\"time\":1,\"uid\":2}\n";

#[test]
fn a_parameter_that_no_event_has() {
    let spec = "event login(user)\nmtl p { forall u. G(login(u) -> F login(u)) }\n";
    for flags in [&[][..], &["--reference"], &["--jobs", "2"], &["--by", "uid"], &["--by", "uid", "--jobs", "2"]] {
        let (human, json) = check(spec, "day.ndjson", LOGINS, flags);
        assert_eq!(json["empty_ranges"], json!([{"property": "p", "variable": "u", "atoms": ["login"]}]));
        let warning = "warning: no event `login` has the field `user`; it has `uid`, `ip`\n";
        assert!(human.contains(warning), "{human}");
        assert_eq!(json["unmet"], json!([{"event": "login", "field": "user", "fields": ["uid", "ip"]}]));
        let note = "note: `p`: the variable `u` has no values, because no event matched `login`\n";
        assert!(human.contains(note), "{human}");
    }
}

#[test]
fn a_condition_on_a_field_that_no_event_has() {
    let csv = "event,time,amount,note\npay,0,5,x\npay,1,7,\n";
    let (human, json) = check("mtl p { G !pay[amout > 3] }\n", "day.csv", csv, &[]);
    assert!(human.contains("warning: no event `pay` has the field `amout`; did you mean `amount`?\n"), "{human}");
    assert_eq!(json["unmet"], json!([{"event": "pay", "field": "amout", "fields": ["amount", "note"]}]));
    let (human, json) = check("mtl p { G !pay[note > 3] }\n", "day.csv", csv, &[]);
    assert!(human.contains("warning: the field `note` of `pay` is a text, and is compared with a number\n"), "{human}");
    assert_eq!(json["unmet"], json!([{"event": "pay", "field": "note", "found": "text", "compared": "number"}]));
    // One event that fits is enough.
    let mixed = csv.replace("7,\n", "7,12\n");
    for spec in ["mtl p { G !pay[note > 3] }\n", "mtl p { G !pay[note = \"x\" || amount > 3] }\n"] {
        let (human, json) = check(spec, "day.csv", &mixed, &[]);
        assert_eq!((json.get("unmet"), human.contains("warning")), (None, false), "{human}");
    }
}

#[test]
fn a_field_of_an_aggregate_or_a_correlation_that_no_event_has() {
    let csv = "event,time,amount,note\npay,0,5,x\npay,1,7,y\n";
    let unmet = json!([{"event": "pay", "field": "amuont", "fields": ["amount", "note"]}]);
    for body in ["sum[5](pay.amuont) <= 3", "p95[5](pay[note != \"z\"].amuont) <= 3", "distinct[5](pay.amuont) < 9"] {
        let (human, json) = check(&format!("mtl p {{ G {body} }}\n"), "day.csv", csv, &[]);
        assert!(human.contains("warning: no event `pay` has the field `amuont`; did you mean `amount`?\n"), "{human}");
        assert_eq!(json["unmet"], unmet, "{body}");
    }
    let (human, _) = check("mtl p { G sum[5](pay.note) <= 3 }\n", "day.csv", csv, &[]);
    assert!(human.contains("warning: the field `note` of `pay` is a text, and is compared with a number\n"), "{human}");
    let (human, json) = check("mtl p { G distinct[5](pay.note) <= 3 }\n", "day.csv", csv, &[]);
    assert_eq!((json.get("unmet"), human.contains("warning")), (None, false), "{human}");
    let rule = "nomad p { P(start(pay) | O[0,5] done(take)) / {{pay.amuont, take.amount}} }\n";
    let (_, json) = check(rule, "day.csv", csv, &[]);
    assert_eq!(json["unmet"], unmet);
}

#[test]
fn a_variable_of_the_state_that_no_event_sets() {
    let trace = "{\"event\":\"pay\",\"time\":0,\"amount\":5}\n{\"event\":\"ship\",\"time\":1,\"to\":\"x\"}\n";
    let spec = "albert p { $amout > 3 && $to = $amount }\n";
    for flags in [&[][..], &["--reference"], &["--jobs", "2"], &["--by", "to"]] {
        let (human, json) = check(spec, "day.ndjson", trace, flags);
        let (has_amount, fields) =
            if flags == ["--by", "to"] { (false, vec!["to"]) } else { (true, vec!["amount", "to"]) };
        let hint = if has_amount { "did you mean `amount`?" } else { "the events have `to`" };
        assert!(human.contains(&format!("warning: no event has the field `amout`; {hint}\n")), "{human}");
        assert_eq!(json["unmet"][usize::from(!has_amount)], json!({"event": null, "field": "amout", "fields": fields}));
    }
    let (human, json) = check("albert p { $to = $amount }\n", "day.ndjson", trace, &[]);
    assert_eq!((json.get("unmet"), human.contains("warning")), (None, false), "{human}");
}

#[test]
fn streams_of_violations_say_it_with_each_property() {
    let folder = TestFolder::with(&[("rules.rv", "mtl p { G !pay[amout > 3] }\n"), ("day.csv", "event,time\npay,0\n")]);
    let output = folder.run(&["check", "rules.rv", "day.csv", "--report", "ndjson"]);
    let summary: Value = serde_json::from_str(output.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(summary["unmet"], json!([{"event": "pay", "field": "amout", "fields": []}]));
}

#[test]
fn another_number_of_parameters() {
    let csv = "event,time,a,b\npay,0,1,2\npay,1,1,2\n";
    let (human, json) = check("mtl p { forall x. G !pay(x) }\n", "day.csv", csv, &[]);
    assert!(human.contains("warning: no event `pay` has 1 parameter; the first has 2; `event pay(FIELD)` in the spec declares its parameters\n"), "{human}");
    assert_eq!(json["unmet"], json!([{"event": "pay", "parameters": 1, "found": 2}]));
    assert_eq!(json["empty_ranges"], json!([{"property": "p", "variable": "x", "atoms": ["pay"]}]));
}

#[test]
fn a_variable_whose_events_never_occur() {
    let spec = "mtl p { forall i, a. G(open(i) -> !alarm(i, a)) }\n";
    let (human, json) = check(spec, "day.csv", "event,time,i\nopen,0,1\nopen,1,2\n", &[]);
    let note = "note: `p`: the variable `a` has no values, because no event matched `alarm`\n";
    assert!(human.contains(note) && !human.contains("variable `i`"), "{human}");
    assert_eq!(json["empty_ranges"], json!([{"property": "p", "variable": "a", "atoms": ["alarm"]}]));
}

#[test]
fn rules_do_not_expect_a_lifecycle() {
    let csv = "event,time,id\nrequest,0,1\nreply,1,1\n";
    let spec = "nomad p { P(start(request) | O[0,5] done(reply)) / {{request.id, reply.id}} }\n";
    let (human, json) = check(spec, "day.csv", csv, &[]);
    assert_eq!((json.get("unmet"), human.contains("warning")), (None, false), "{human}");
}
