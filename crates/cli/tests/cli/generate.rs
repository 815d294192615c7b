// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon generate`, the shipped model and the traces made with it.

use std::collections::BTreeMap;
use std::fs;

use crate::support::{CommandOutput, TestFolder, root, run};

const SHOP: &str = "\
set orders = 3
activity order (amount = 1..9)
activity call (phase = \"start\" then \"end\", currency = \"EUR\" | \"CHF\") takes 2..4
process { repeat orders { order call } }
";

fn generate(model: &str, arguments: &[&str]) -> CommandOutput {
    let folder = TestFolder::with(&[("it.model", model)]);
    folder.run(&[&["generate", "it.model"], arguments].concat())
}

/// The events of a trace in CSV: name and time.
fn events(csv: &str) -> Vec<(&str, i64)> {
    csv.lines()
        .skip(1)
        .map(|line| {
            let mut cells = line.split(", ");
            let mut cell = || cells.next().expect("a row has a name and a time");
            (cell(), cell().parse().expect("times are whole numbers"))
        })
        .collect()
}

/// The commands in the README of the example: the file that each makes, and the other arguments.
fn recipes() -> BTreeMap<String, Vec<String>> {
    let readme = fs::read_to_string(root().join("examples/atm/README.md")).expect("the example has a page");
    let commands = readme.lines().filter_map(|line| line.strip_prefix("gnomon generate "));
    commands
        .map(|command| {
            let (arguments, file) = command.split_once(" --out ").expect("each command names its file");
            (file.to_owned(), arguments.split(' ').map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn the_shipped_traces_come_out_byte_for_byte() {
    let recipes = recipes();
    assert_eq!(recipes.keys().collect::<Vec<_>>(), ["b1.xml", "b2.xml", "b3.xml", "b4.xml", "b5.xml"]);
    for (file, arguments) in recipes {
        let mut command = vec!["generate", "--format", "xml"];
        command.extend(arguments.iter().map(String::as_str));
        let output = run(&root().join("examples/atm"), &command, b"");
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{file}");
        let shipped = fs::read_to_string(root().join("examples/atm").join(&file)).unwrap();
        assert!(output.stdout == shipped, "{file} is not what its command makes");
    }
}

#[test]
fn the_shipped_model_gives_the_verdicts_of_the_table() {
    let table = [
        ("b1.xml", ["holds", "holds", "holds", "holds"]),
        ("b2.xml", ["holds", "violated", "holds", "violated"]),
        ("b3.xml", ["holds", "violated", "holds", "violated"]),
        ("b4.xml", ["violated", "holds", "holds", "holds"]),
        ("b5.xml", ["violated", "holds", "holds", "holds"]),
    ];
    let recipes = recipes();
    for (file, expected) in table {
        let mut command = vec!["generate"];
        command.extend(recipes[file].iter().map(String::as_str));
        let trace = run(&root().join("examples/atm"), &command, b"").stdout;
        let command = ["check", "examples/atm/atm.rv", "-", "--report", "json"];
        let report: serde_json::Value = serde_json::from_str(&run(&root(), &command, trace.as_bytes()).stdout).unwrap();
        let properties = report["traces"][0]["properties"].as_array().unwrap();
        let verdicts: Vec<&str> = properties.iter().map(|property| property["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts, expected, "{file}");

        let slow = events(&trace)
            .windows(2)
            .any(|pair| pair[0].0 == "invcheckaccess" && pair[1].0 == "invcheckaccess" && pair[1].1 - pair[0].1 >= 10);
        assert_eq!(slow, expected[3] == "violated", "{file}: QP2 and QP4 are violated by slow checks, and only so");
    }
}

#[test]
fn for_every_seed_only_slow_checks_break_the_response_times() {
    for seed in 0..20 {
        let seed = seed.to_string();
        let model = ["generate", "examples/atm/atmfrontend.model", "--seed", &seed, "--set", "withdrawals=40%"];
        let trace = run(&root(), &model, b"").stdout;
        let mut command = vec!["check", "examples/atm/atm.rv", "-"];
        command.extend(["--property", "QP2", "--property", "QP3", "--property", "QP4"]);
        let output = run(&root(), &command, trace.as_bytes());
        assert_eq!(output.status, 0, "seed {seed}\n{}", output.stdout);
    }
}

#[test]
fn a_trace_follows_its_model() {
    let output = generate(SHOP, &["--seed", "5"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.starts_with("event, time, amount, phase, currency\norder, 1, "), "{}", output.stdout);
    let names: Vec<&str> = events(&output.stdout).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["order", "call", "call"].repeat(3));
    let rows: Vec<Vec<&str>> = output.stdout.lines().map(|line| line.split(", ").collect()).collect();
    assert_eq!((rows[2][3], rows[3][3], rows[2][4]), ("start", "end", rows[3][4]));
    let more = generate(SHOP, &["--set", "orders=500", "--cases", "2"]).stdout;
    assert_eq!(events(&more).len(), 3_000);
    assert!(more.contains(", EUR") && more.contains(", CHF"));
    assert_eq!(generate(SHOP, &["--seed", "5"]).stdout, output.stdout);
    assert_ne!(generate(SHOP, &["--seed", "6"]).stdout, output.stdout);
}

#[test]
fn time_always_goes_on() {
    let model = "activity a\nactivity b (x = 1 then 2) repeated 50% fails 20% skipped 20%\n\
                 process { repeat 2000 { maybe 50% { wait 0..1 } choose { 50% { a } else { b } } } }";
    let output = generate(model, &[]);
    let events = events(&output.stdout);
    assert!(events.len() > 1_500);
    assert!(events.windows(2).all(|pair| pair[0].1 < pair[1].1));
}

#[test]
fn chances_come_out_about_as_often_as_they_say() {
    let count = |model: &str, name: &str| {
        let output = generate(model, &[]);
        events(&output.stdout).iter().filter(|(other, _)| *other == name).count()
    };
    let near = |got: usize, wanted: usize| assert!(got.abs_diff(wanted) * 20 <= wanted, "{got}, not {wanted}");
    near(count("activity a\nprocess { repeat 10000 { maybe 30% { a } } }", "a"), 3_000);
    near(count("activity a\nprocess { repeat 10000 { choose { 0.2 { } 60% { a } else { } } } }", "a"), 6_000);
    near(count("activity a\nprocess { repeat 5000 { repeat while 50% { a } } }", "a"), 5_000);
    near(count("activity a\nprocess { repeat 5000 { repeat 1..3 { a } } }", "a"), 10_000);
    near(count("activity a skipped 10%\nprocess { repeat 10000 { a } }", "a"), 9_000);
    near(count("activity a repeated 10%\nprocess { repeat 10000 { a } }", "a"), 11_000);
    near(count("activity a fails 10%\nprocess { repeat 10000 { a } }", "a"), 9_000);
    let slow = generate("activity a takes 1 slow 25% takes 9\nprocess { repeat 10000 { a } }", &[]);
    near(usize::try_from(events(&slow.stdout).last().unwrap().1).unwrap(), 30_000);
}

#[test]
fn endless_models_are_refused_or_cut() {
    let endless = "activity a\nprocess {\n  repeat while 100% { a }\n}\n";
    let refused = generate(endless, &[]);
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.starts_with("error[G0807]: nothing ends this loop\n"), "{}", refused.stderr);
    assert!(refused.stderr.contains("it.model:3:3"), "{}", refused.stderr);
    let cut = generate(endless, &["--events", "10"]);
    assert_eq!((cut.status, cut.stdout.lines().count()), (0, 11));
    assert_eq!(cut.stderr, "note: it.model: after 10 events: the trace was cut before the model ended\n");

    let busy = generate("activity a\nprocess { a repeat 999999999999 { repeat 999999999999 { } } }", &[]);
    assert_eq!(
        busy.stderr,
        "note: it.model: after 1 event: the model continues without events, so the trace ends here\n"
    );
    let nothing = generate("process { }", &["--events", "5"]);
    assert!(nothing.stderr.contains("without events"), "{}", nothing.stderr);
    let late = generate("activity a takes 9000000000000000000\nprocess { a a a }", &[]);
    assert!(late.stdout.lines().count() == 2 && late.stderr.contains("64-bit"), "{}{}", late.stdout, late.stderr);
}

#[test]
fn a_file_is_written_in_the_format_of_its_name() {
    let folder = TestFolder::with(&[("it.model", "activity \"a<&b\"\nprocess { \"a<&b\" }")]);
    let output = folder.run(&["generate", "it.model", "--out", "day.xml"]);
    assert_eq!((output.status, output.stdout.as_str()), (0, "day.xml: 1 event, from 1 to 1\n"));
    assert!(folder.read("day.xml").contains("<name>a&lt;&amp;b</name>"));
    let output = folder.run(&["generate", "it.model", "--out", "none/day.xml"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.starts_with("error[G0811]: "), "{}", output.stderr);
}

#[test]
fn settings_are_set_or_refused() {
    for (argument, message) in [
        ("order=5", "did you mean `--set orders=...`?"),
        ("x=5", "the settings are orders"),
        ("orders", "write `--set name=value`"),
        ("orders=many", "write a number"),
        ("orders=5..2", "the range ends before it begins"),
    ] {
        let output = generate(SHOP, &["--set", argument]);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{argument}");
        assert!(output.stderr.starts_with("error[G0810]: ") && output.stderr.contains(message), "{}", output.stderr);
    }
    let output = generate(SHOP, &["--set", "orders=1.5"]);
    assert!(output.stderr.contains("the setting `orders` is 1.5, set by `--set` on"), "{}", output.stderr);
}

#[test]
fn an_error_shows_its_place_and_advice() {
    let output = generate("activity ship\nprocess {\n  maybe 20 { shp }\n}\n", &[]);
    let expected = "\
error[G0805]: `20` is not a chance
 --> it.model:3:9
  |
3 |   maybe 20 { shp }
  |         ^^
  |
help: chances in percent have a percent sign
  |
3 |   maybe 20% { shp }
  |         ~~~

error[G0803]: there is no activity or part `shp` above
 --> it.model:3:14
  |
3 |   maybe 20 { shp }
  |              ^^^
  |
help: one with a similar name exists
  |
3 |   maybe 20 { ship }
  |              ~~~~

it.model: 2 errors; `gnomon explain G0805` explains the first
";
    assert_eq!((output.status, output.stderr.as_str()), (2, expected), "{}", output.stderr);
}

#[test]
fn the_pages_about_models_are_accurate() {
    let blocks = |page: &str, label: &str| -> Vec<String> {
        let opening = format!("```{label}\n");
        let found = page.split(&opening).skip(1).filter_map(|rest| rest.split("```").next());
        found.map(str::to_owned).collect()
    };
    let mut checked = 0;
    for number in 801..=811 {
        let page = fs::read_to_string(root().join(format!("docs/errors/G0{number}.md"))).unwrap();
        for model in blocks(&page, "model fails") {
            let output = generate(&model, &[]);
            assert_eq!(output.stderr.matches("error[").count(), 1, "{}", output.stderr);
            assert!(output.stderr.starts_with(&format!("error[G0{number}]")), "{number}\n{}", output.stderr);
            checked += 1;
        }
        for model in blocks(&page, "model works") {
            assert_eq!(generate(&model, &[]).status, 0, "{number}");
            checked += 1;
        }
    }
    assert_eq!(checked, 17);
    let guide = fs::read_to_string(root().join("docs/models.md")).unwrap();
    let example = &blocks(&guide, "model")[0];
    let output = generate(example, &["--seed", "3", "--set", "late=50%"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.lines().count() > 60, "{}", output.stdout);
}
