// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon ask` without a terminal: by flags, with answers in a file, added to a spec that is there. On a terminal: `ask/`.

#[cfg(unix)]
mod conversation;
#[cfg(unix)]
mod pseudo;

use std::fs;

use serde_json::{Value, json};

use crate::support::{TestFolder, fenced, root};

const QUIET: &[&str] =
    &["ask", "--scope", "between open and close", "--behaviour", "absence of write", "--name", "quiet"];

#[test]
fn flags_make_a_spec_with_examples() {
    let folder = TestFolder::with(&[]);
    let output = folder.run(QUIET);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let block = "\npattern quiet { between open and close: absence of write }\n\naccepts quiet {";
    assert!(output.stdout.starts_with("# ") && output.stdout.contains(block), "{}", output.stdout);
    assert!(output.stdout.contains("\nrejects quiet {"), "{}", output.stdout);
    folder.write("quiet.rv", output.stdout.as_bytes());
    let tested = folder.run(&["test", "quiet.rv"]);
    assert!(tested.status == 0 && tested.stdout.ends_with("\n2 examples: 2 ok\n"), "{}", tested.stdout);
}

#[test]
fn flags_carry_data_and_time() {
    let output = TestFolder::with(&[]).run(&[
        "ask",
        "--for-every",
        "id,user",
        "--behaviour",
        "reply(id, user) responds to request(id, user), request(id, user) required",
        "--within",
        "[2, 10]",
        "--name",
        "in time",
    ]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let block = "pattern \"in time\" { for every id, user: globally: reply(id, user) responds to request(id, user), request(id, user) required within [2, 10] }\n";
    assert!(output.stdout.contains(block), "{}", output.stdout);
    assert!(output.stdout.contains("\naccepts \"in time\" {"), "{}", output.stdout);
}

#[test]
fn flags_that_make_no_property_are_drawn() {
    let folder = TestFolder::with(&[]);
    let output = folder.run(&["ask", "--scope", "betwen a and b", "--behaviour", "absence of write", "--name", "n"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("<flags>:1:"), "{}", output.stderr);
    assert!(output.stderr.contains("error[G0933]: the flags do not describe a property\n"), "{}", output.stderr);
    let output = folder.run(&["ask", "--behaviour", "absence of write"]);
    assert!(output.status == 2 && output.stderr.contains("--name <NAME>"), "{}", output.stderr);
}

#[test]
fn without_a_terminal_the_flags_are_named() {
    let output = TestFolder::with(&[]).run(&["ask"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0931]: there is no terminal for the questions\n"), "{}", output.stderr);
    for flag in ["--scope", "--behaviour", "--name", "--answers", "--tree"] {
        assert!(output.stderr.contains(flag), "{flag}: {}", output.stderr);
    }
}

#[test]
fn the_tree_is_for_programs() {
    let output = TestFolder::with(&[]).run(&["ask", "--tree"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let tree: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(tree["first"], "interval");
    assert_eq!(tree["questions"][0]["ask"]["answers"][3]["leads_to"], "start-event-of-two");
}

#[test]
fn answers_come_from_a_file() {
    let pairs = [
        ("interval", "end"),
        ("end-event", "done"),
        ("end-needed", "needed"),
        ("how-many-within", "one"),
        ("event", "saved"),
        ("one", "once"),
        ("time", "deadline"),
        ("most", "5s"),
        ("unit", "ms"),
        ("data", "no"),
        ("name", "kept"),
    ];
    let answers = |pairs: &[(&str, &str)]| {
        let list: Vec<Value> =
            pairs.iter().map(|(question, answer)| json!({"question": question, "answer": answer})).collect();
        json!({ "answers": list }).to_string()
    };
    let folder = TestFolder::with(&[
        ("kept.json", &answers(&pairs)),
        ("half.json", &answers(&pairs[..5])),
        ("odd.json", &answers(&[("interval", "sometimes")])),
        ("bad.json", "[]"),
    ]);
    let output = folder.run(&["ask", "--answers", "kept.json", "-o", "kept.rv", "--artefacts", "made"]);
    assert_eq!((output.status, output.stdout.as_str()), (0, ""), "{}", output.stderr);
    let spec = folder.read("kept.rv");
    assert!(spec.starts_with("time in ms\n\n# "), "{spec}");
    assert!(spec.contains("\npattern kept { before done: existence of saved within 5s }\n"), "{spec}");
    assert_eq!(folder.run(&["test", "kept.rv"]).status, 0);
    for name in [
        "kept.txt",
        "kept.rv",
        "kept.mtl.rv",
        "kept.mmd",
        "kept.puml",
        "kept.svg",
        "kept.automaton.dot",
        "kept.automaton.svg",
    ] {
        assert!(!folder.read(&format!("made/{name}")).is_empty(), "{name}");
    }
    // No time in the mu-calculus: that is reported, and no file is written.
    assert!(output.stderr.contains("note: there is no kept.mcf (in the mu-calculus (mCRL2)): "), "{}", output.stderr);
    assert!(!folder.path("made/kept.mcf").exists());
    for (file, message) in [
        ("half.json", "error[G0932]: the property is not complete yet\n --> half.json (question `one`)\n"),
        ("odd.json", "error[G0932]: `sometimes` is not one of the answers\n --> odd.json (question `interval`)\n"),
        ("bad.json", "error[G0932]: these are not answers: "),
    ] {
        let output = folder.run(&["ask", "--answers", file]);
        assert!(output.status == 2 && output.stderr.starts_with(message), "{file}: {}", output.stderr);
    }
}

#[test]
fn a_property_is_added_to_a_spec() {
    let spec = "# My rules.\ntime at in s\nevent write(file) = w[name as file]\nmtl calm { G(!alarm) }\n\n\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("broken.rv", "mtl calm { G(!alarm }\n")]);
    let append = |more: &[&str]| folder.run(&[&["ask", "-o", "rules.rv", "--append"], more].concat());
    let output = append(&["--for-every", "f", "--behaviour", "at most 2 write(f) in 10s", "--name", "seldom"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, "rules.rv: `seldom` added\n"));
    let written = folder.read("rules.rv");
    assert!(written.starts_with(&format!("{}\n\n# ", spec.trim_end())), "{written}");
    assert!(written.contains("\npattern seldom { for every f: globally: at most 2 write(f) in 10s }\n"), "{written}");
    let tested = folder.run(&["test", "rules.rv"]);
    assert!(tested.stdout.ends_with("\n2 examples: 2 ok\n"), "{}{}", tested.stdout, tested.stderr);
    // A second time the name is taken, and nothing changes.
    let output = append(&["--behaviour", "absence of write", "--name", "seldom"]);
    assert!(output.status == 2 && output.stderr.starts_with("error[G0935]: "), "{}", output.stderr);
    let output = append(&["--behaviour", "absence of write(1, 2)", "--name", "other"]);
    assert!(output.status == 2 && output.stderr.contains("<flags>"), "{}", output.stderr);
    assert_eq!(folder.read("rules.rv"), written);
    // A spec with errors is not touched, one that is there is not written over, one that is not there cannot be added to.
    let output = folder.run(&[QUIET, &["-o", "broken.rv", "--append"]].concat());
    assert!(output.status == 2 && output.stderr.contains(" --> broken.rv:1:"), "{}", output.stderr);
    let output = folder.run(&[QUIET, &["-o", "rules.rv"]].concat());
    assert!(output.status == 2 && output.stderr.starts_with("error[G0934]: "), "{}", output.stderr);
    let output = folder.run(&[QUIET, &["-o", "ruls.rv", "--append"]].concat());
    assert!(output.stderr.contains("did you mean `rules.rv`?"), "{}", output.stderr);
}

#[test]
fn a_property_is_tried_on_a_log() {
    let log = "event, time\nopen, 1\nwrite, 2\nclose, 3\nopen, 4\nclose, 5\n";
    let folder = TestFolder::with(&[("day.csv", log), ("empty.csv", "event, time\nnothing, 1\n")]);
    let output = folder.run(&[QUIET, &["--log", "day.csv"]].concat());
    assert_eq!(output.status, 0);
    assert!(output.stdout.contains("pattern quiet"), "{}", output.stdout);
    assert!(output.stderr.contains("2 activated  1 satisfied  1 violated  satisfied in 1"), "{}", output.stderr);
    assert!(output.stderr.contains("violation[quiet]: "), "{}", output.stderr);
    let output = folder.run(&[QUIET, &["--log", "empty.csv"]].concat());
    assert!(output.stderr.contains("not exercised"), "{}", output.stderr);
}

#[test]
fn events_of_catalogues_are_declared() {
    let wsdl = root().join("examples/catalogue/product-retriever.wsdl").display().to_string();
    let words = "GetProductResponse responds to GetProductRequest";
    let output = TestFolder::with(&[]).run(&["ask", "--catalogue", &wsdl, "--behaviour", words, "--name", "served"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.contains("event GetProductRequest from client to ProductRetriever\n"), "{}", output.stdout);
}

#[test]
fn events_time_and_spec_come_from_options() {
    let folder = TestFolder::with(&[
        ("rules.rv", "time at in ms\nevent write(file) = w[name as file]\nmtl calm { G(!alarm) }\n"),
        (
            "slow.json",
            r#"{"answers": [
            {"question": "interval", "answer": "always"},
            {"question": "how-many", "answer": "measured"},
            {"question": "measured-event", "answer": "call"},
            {"question": "measured-field", "answer": "ms"},
            {"question": "statistic", "answer": "p95"},
            {"question": "statistic-side", "answer": "upper"},
            {"question": "statistic-bound", "answer": "200"},
            {"question": "statistic-window", "answer": "5m"},
            {"question": "name", "answer": "fast"}
        ]}"#,
        ),
    ]);
    let output =
        folder.run(&["ask", "--event", "call(user, ms)", "--time", "Timestamp in s", "--answers", "slow.json"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.starts_with("time Timestamp in s\n\n"), "{}", output.stdout);
    assert!(output.stdout.contains("\nmtl fast { G(call -> p95[5m](call.ms) <= 200) }\n"), "{}", output.stdout);
    folder.write("fast.rv", output.stdout.as_bytes());
    folder.write("calls.csv", b"event,Timestamp,ms\ncall,1,100\ncall,2,201\ncall,302,90\n");
    let checked = folder.run(&["check", "fast.rv", "calls.csv"]);
    assert_eq!(checked.status, 1, "{}{}", checked.stdout, checked.stderr);
    let value = "p95 of `ms` over `call` in the last 300 s is 201; at most 200 allowed";
    assert!(checked.stdout.contains(value), "{}", checked.stdout);
    // A spec is extended, but not changed.
    let arguments = ["--scope", "always", "--behaviour", "absence of write(\"a\")", "--name", "n"];
    let output = folder.run(&[&["ask", "--spec", "rules.rv", "-o", "more.rv"], &arguments[..]].concat());
    assert_eq!((output.status, output.stderr.as_str()), (0, "more.rv: `n` written\n"));
    let more = folder.read("more.rv");
    assert!(
        more.starts_with("time at in ms\nevent write(file) = w[name as file]\nmtl calm { G(!alarm) }\n\n"),
        "{more}"
    );
    assert!(more.contains("\npattern n { globally: absence of write(\"a\") }\n"), "{more}");
    let odd = folder.run(&[&["ask", "--event", "call(user"], &arguments[..]].concat());
    assert!(odd.status == 2 && odd.stderr.starts_with("error[G0933]: `call(user` is not an event\n"), "{}", odd.stderr);
}

#[test]
fn misspelt_events_are_noticed() {
    let reply = |question: &str, answer: &str| format!("{{\"question\": \"{question}\", \"answer\": {answer:?}}}");
    let answers = |event: &str| {
        let replies =
            [reply("interval", "always"), reply("how-many", "one"), reply("event", event), reply("one", "never")];
        format!("{{\"answers\": [{}]}}", replies.join(", "))
    };
    let folder = TestFolder::with(&[
        ("near.json", &answers("withdarw")),
        ("quoted.json", &answers("\"withdarw\"")),
        ("other.json", &answers("deposit")),
    ]);
    let run = |answers: &str| folder.run(&["ask", "--event", "withdraw(user)", "--answers", answers]).stderr;
    let near = run("near.json");
    assert!(near.contains("no known event is called `withdarw`") && near.contains("type `withdraw`"), "{near}");
    // The other answers are accepted; the next question is open.
    for file in ["quoted.json", "other.json"] {
        assert!(run(file).contains("the property is not complete yet"), "{}", run(file));
    }
    let output = folder.run(&["ask", "--event", "withdraw(user)", "--behaviour", "absence of withdarw", "--name", "n"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let expected = "note: no known event is called `withdarw`; there is one called `withdraw`";
    assert!(output.stderr.contains(expected), "{}", output.stderr);
}

#[test]
fn the_page_about_the_assistant_is_accurate() {
    let page = fs::read_to_string(root().join("docs/assistant.md")).unwrap();
    let folder = TestFolder::with(&[("quiet.json", &fenced(&page, "json")[0])]);
    let expected = &fenced(&page, "rv")[0];
    let output = folder.run(QUIET);
    assert_eq!((output.status, &output.stdout), (0, expected));
    let output = folder.run(&["ask", "--answers", "quiet.json"]);
    assert_eq!((output.status, &output.stdout), (0, expected));
}
