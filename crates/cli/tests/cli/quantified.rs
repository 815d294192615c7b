// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantified properties: for which values they are violated, in every report; automata and formulae in files of their own.

use serde_json::{Value, json};

use crate::support::{TestFolder, root, run};

const LATE: &str = "mtl late { forall i. G(request(i) -> F[0,10] response(i)) }\n";
const DAY: &str = "event, time, i\nrequest, 1, 1\nrequest, 2, x y\nresponse, 3, 1\nping, 20,\nrequest, 21, 2.50\n";

fn report(folder: &TestFolder, arguments: &[&str]) -> Value {
    let mut all = vec!["check"];
    all.extend(arguments);
    all.extend(["--report", "json"]);
    let output = folder.run(&all);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    serde_json::from_str(&output.stdout).expect("the report is JSON")
}

#[test]
fn a_violation_names_its_values() {
    let folder = TestFolder::with(&[("late.rv", LATE), ("day.csv", DAY)]);
    let property = report(&folder, &["late.rv", "day.csv"])["traces"][0]["properties"][0].clone();
    let counts = ["activated", "satisfied", "violated"].map(|count| property[count].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 2]);
    let bindings: Vec<&Value> = property["violations"].as_array().unwrap().iter().map(|one| &one["binding"]).collect();
    assert_eq!(bindings, [&json!({"i": "x y"}), &json!({"i": 2.5})]);
    assert_eq!(property["note"], json!(null));

    let human = folder.run(&["check", "late.rv", "day.csv"]).stdout;
    let head = human.lines().find(|line| line.starts_with("violation[late]")).unwrap();
    assert!(
        head.starts_with("violation[late]: no `response` within 10   ") && head.ends_with("  i = \"x y\""),
        "{human}"
    );

    let lines = folder.run(&["check", "late.rv", "day.csv", "--report", "ndjson"]).stdout;
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["type"], &first["binding"]), (&json!("violation"), &json!({"i": "x y"})));

    let xml = folder.run(&["check", "late.rv", "day.csv", "--report", "junit"]).stdout;
    assert!(xml.contains("<failure message=\"no `response` within 10 (i = &quot;x y&quot;) (and 1 more)\""), "{xml}");
}

/// Several bindings may fail at one position: each is reported once, in the lines and in the report.
#[test]
fn each_binding_is_reported_once() {
    let spec = "simultaneous merge\nmtl calm { forall a. G !alarm(a) }\n";
    let trace = "event, time, a\nx, 0,\nalarm, 1, 1\nalarm, 1, 2\nalarm, 1, 1\nalarm, 2, 3\nx, 3,\n";
    let folder = TestFolder::with(&[("calm.rv", spec), ("day.csv", trace)]);
    let listed = report(&folder, &["calm.rv", "day.csv"])["traces"][0]["properties"][0]["violations"].clone();
    let mut listed: Vec<String> = listed.as_array().unwrap().iter().map(|one| one["binding"].to_string()).collect();
    let lines = folder.run(&["check", "calm.rv", "day.csv", "--report", "ndjson"]).stdout;
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reported = lines.filter(|line| line["type"] == "violation").map(|line| line["binding"].to_string());
    let mut reported: Vec<String> = reported.collect();
    listed.sort();
    reported.sort();
    assert_eq!(reported, listed);
    assert_eq!(reported, ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"]);
}

#[test]
fn an_event_names_the_bindings_that_it_decides() {
    let spec = "mtl calm { forall a. G !alarm(a) }\nsoloist quiet { G(!alarm) }\n";
    let folder = TestFolder::with(&[("calm.rv", spec), ("day.csv", "event, time, a\nx, 0,\nalarm, 1, 7\nx, 2,\n")]);
    let table = folder.run(&["check", "calm.rv", "day.csv", "--events", "--property", "calm"]).stdout;
    assert!(table.contains("   1     1  alarm         VIOLATED calm (a = 7)\n"), "{table}");
    let events = report(&folder, &["calm.rv", "day.csv", "--events"])["traces"][0]["event_verdicts"].clone();
    let expected = json!({
        "event_index": 1, "time": 1, "event": "alarm", "verdict": false, "violated": ["calm", "quiet"],
        "bindings": [{"property": "calm", "binding": {"a": 7}}],
    });
    assert_eq!(events[1], expected);
    assert_eq!(events[0]["bindings"], json!(null));
}

#[test]
fn a_property_that_asks_for_values_fails_as_a_whole() {
    let spec = "mtl served { forall >= 90% i. G(request(i) -> F[0,10] response(i)) }\n\
                mtl known { forall i. exists n. G(request(i) -> F[0,99] name(i, n)) }\n";
    let folder = TestFolder::with(&[("late.rv", spec), ("day.csv", DAY)]);
    let output = folder.run(&["check", "late.rv", "day.csv"]);
    assert!(output.stdout.contains("  violated  served  1 activated  1 violated\n"), "{}", output.stdout);
    assert!(output.stdout.contains("it is not true for the required number of values\n"), "{}", output.stdout);
    assert!(!output.stdout.contains("false at event"), "{}", output.stdout);
    let properties = report(&folder, &["late.rv", "day.csv"])["traces"][0]["properties"].clone();
    let served = &properties[0]["violations"][0];
    assert_eq!((&served["binding"], &served["at"]["position"]), (&json!({}), &json!(0)));
    assert!(served["summary"].as_str().unwrap().contains("1 of 3 values of `i`"), "{served}");
    assert_eq!(properties[1]["violations"][0]["binding"], json!({"i": 1}));
}

#[test]
fn expensive_properties_are_reported() {
    let spec = format!("{LATE}mtl near {{ forall i. G(F[0,3] response(i)) }}\n");
    let folder = TestFolder::with(&[("near.rv", &spec), ("day.csv", DAY)]);
    let properties = report(&folder, &["near.rv", "day.csv"])["traces"][0]["properties"].clone();
    assert_eq!(properties[0]["note"], json!(null));
    let note = properties[1]["note"].as_str().unwrap();
    let human = folder.run(&["check", "near.rv", "day.csv"]).stdout;
    assert!(human.contains(&format!("note: `near`: {note}\n")), "{human}");
    assert_eq!(human.matches(note).count(), 1, "{human}");
}

const ITERATORS: &str = "\
qea(safe) {
  forall(c, i)
  accept skip(start) {
    create(c, i) -> created
  }
  accept skip(created) {
    modify(c) -> modified
  }
  accept skip(modified) {
    next(i) -> failed
  }
}
";

#[test]
fn an_automaton_may_be_a_file_of_its_own() {
    let trace = "event, time, p, q\ncreate, 1, 7, 8\nmodify, 2, 7\nnext, 3, 8\nnext, 4, 9\n";
    let folder = TestFolder::with(&[("safe.qea", ITERATORS), ("day.csv", trace)]);
    let property = report(&folder, &["safe.qea", "day.csv"])["traces"][0]["properties"][0].clone();
    assert_eq!((&property["name"], &property["language"]), (&json!("safe"), &json!("qea")));
    assert_eq!(property["violations"][0]["binding"], json!({"c": 7, "i": 8}));
    assert_eq!(property["violations"][0]["decided"]["event_index"], json!(2));
    let test = folder.run(&["test", "safe.qea"]);
    assert_eq!(test.status, 0, "{}{}", test.stdout, test.stderr);
    assert!(test.stdout.contains("accepts safe"), "{}", test.stdout);
    let wrong = folder.run(&["check", "safe.qe", "day.csv"]);
    assert!(wrong.stderr.contains("did you mean `safe.qea`?"), "{}", wrong.stderr);
}

#[test]
fn a_formula_may_be_a_file_of_its_own() {
    let formula =
        "% each task is popped before the end {\nforall t:Int.[(!done)*.push(t).(!(pop(t)||done))*.done]false\n";
    let trace = "event, time, t\npush, 1, 7\npush, 2, 8\npush, 2, x\npop, 3, 8\ndone, 4\n";
    let wrong = "[true* . push] <true* . pop> true\n";
    let folder = TestFolder::with(&[("popped.mcf", formula), ("wrong.mcf", wrong), ("day.csv", trace)]);
    let property = report(&folder, &["popped.mcf", "day.csv"])["traces"][0]["properties"][0].clone();
    assert_eq!((&property["name"], &property["language"]), (&json!("popped"), &json!("mu")));
    assert_eq!(property["violated"], json!(1));
    assert_eq!(property["violations"][0]["binding"], json!({"t": 7}));
    assert_eq!(property["violations"][0]["decided"]["event_index"], json!(4));
    let refused = folder.run(&["check", "wrong.mcf", "day.csv"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("error[G0156]") && refused.stderr.contains("wrong.mcf:1:16"), "{}", refused.stderr);
}

#[test]
fn examples_may_name_fields() {
    let spec = "\
event pay(user, amount) = payment[kind = \"card\", who as user]
event paid(who) = payment
mtl once { forall u. G(pay(u, _) -> !F(0,9] pay(u, _)) }
mtl kinds { forall w. G(paid(w) -> !F(0,9] paid(w)) }
accepts once { pay(user: \"ann\", amount: 1)@1. pay(user: \"bob\", amount: 1)@2 }
rejects once { pay(user: \"ann\", amount: 1)@1. pay(user: \"ann\", amount: 2)@2 }
rejects once { pay(\"ann\", 1)@1. payment(who: \"ann\", amount: 1, kind: \"card\")@2 }
accepts kinds { payment(who: 1)@1. payment(who: \"1\")@2 }
rejects kinds { payment(who: 1)@1. payment(who: 1.0)@2 }
";
    let folder = TestFolder::with(&[("pay.rv", spec)]);
    let output = folder.run(&["test", "pay.rv"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.ends_with("5 examples: 5 ok\n"), "{}", output.stdout);
}

/// All examples, judged by the engine and by the reference: the same but for the words.
#[test]
fn the_reference_agrees_on_all_examples() {
    let mut compared = 0;
    for folder in std::fs::read_dir(root().join("examples")).unwrap() {
        let paths = std::fs::read_dir(folder.unwrap().path()).unwrap().map(|entry| entry.unwrap().path());
        let paths: Vec<String> = paths.map(|path| path.to_string_lossy().into_owned()).collect();
        let of = |endings: &[&str]| -> Vec<&String> {
            paths.iter().filter(|path| endings.iter().any(|ending| path.ends_with(ending))).collect()
        };
        for (spec, trace) in
            of(&[".rv"]).into_iter().flat_map(|spec| of(&[".csv"]).into_iter().map(move |trace| (spec, trace)))
        {
            for flags in [&[][..], &["--prefix"]] {
                let judged = |extra: &[&str]| {
                    let mut arguments = vec!["check", spec, trace, "--report", "json"];
                    arguments.extend(flags.iter().chain(extra));
                    let output = run(&root(), &arguments, b"");
                    let mut report: Value = serde_json::from_str(&output.stdout).unwrap();
                    without_words(&mut report);
                    (output.status, report)
                };
                assert_eq!(judged(&[]), judged(&["--reference"]), "{spec} {trace} {flags:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10, "{compared}");
}

fn without_words(report: &mut Value) {
    match report {
        Value::Object(fields) => {
            fields.remove("because");
            fields.remove("summary");
            fields.values_mut().for_each(without_words);
        }
        Value::Array(items) => items.iter_mut().for_each(without_words),
        _ => {}
    }
}
