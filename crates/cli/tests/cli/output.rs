// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of the output: colours, files, quiet runs, widths; patterns of file names; errors of traces in reports.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::TestFolder;

const SPEC: &str = "\
time in s
soloist polite \"Every request is answered within three seconds\" { G(request -> F[0,3] reply) }
soloist idle { G(never -> F never) }
";
const GOOD: &str = "event, time\nhello, 0\nrequest, 1\nreply, 2\nrequest, 5\nreply, 8\n";
const BAD: &str = "event, time\nhello, 0\nrequest, 1\nend, 9\n";
const BROKEN: &str = "event, time\nhello, 0\nrequest, noon\n";

fn folder() -> TestFolder {
    TestFolder::with(&[("rules.rv", SPEC), ("good.csv", GOOD), ("bad.csv", BAD), ("broken.csv", BROKEN)])
}

/// Runs `gnomon` with these variables alone.
fn with_variables(folder: &TestFolder, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
    command.args(arguments).current_dir(folder.path("")).env_clear().envs(variables.iter().copied());
    command.output().expect("the binary was built")
}

fn is_coloured(output: &[u8]) -> bool {
    output.contains(&0x1b)
}

#[test]
fn colours_follow_the_option_and_the_variables() {
    let folder = folder();
    let check = |options: &[&str], variables: &[(&str, &str)]| {
        let arguments = [&["check", "rules.rv", "bad.csv"], options].concat();
        is_coloured(&with_variables(&folder, &arguments, variables).stdout)
    };
    assert!(!check(&[], &[]), "a pipe is no terminal");
    assert!(check(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(check(&[], &[("CLICOLOR_FORCE", "1")]) && check(&[], &[("FORCE_COLOR", "1")]));
    assert!(!check(&["--color=never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!check(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    for command in ["check", "test", "watch", "ask", "generate", "translate", "automaton", "convert", "events", "stats"]
    {
        let help = with_variables(&folder, &[command, "--help"], &[]);
        let help = String::from_utf8_lossy(&help.stdout).into_owned();
        assert!(help.contains("--color <WHEN>") && help.contains("--quiet"), "{command}:\n{help}");
    }
    assert!(is_coloured(&with_variables(&folder, &["check", "--help", "--color", "always"], &[]).stdout));
    assert!(is_coloured(&with_variables(&folder, &["check", "no.rv", "x", "--color=always"], &[]).stderr));
}

#[test]
fn a_report_goes_to_a_file() {
    let folder = folder();
    let printed = folder.run(&["check", "rules.rv", "bad.csv"]);
    let output = folder.run(&["check", "rules.rv", "bad.csv", "-o", "report.txt"]);
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (1, "", ""));
    assert_eq!(folder.read("report.txt"), printed.stdout);
    for (arguments, part) in [
        (&["check", "rules.rv", "good.csv", "--report", "json"][..], "\"errors\":[]"),
        (&["check", "rules.rv", "bad.csv", "--report", "ndjson"], "\"type\":\"summary\""),
        (&["check", "rules.rv", "bad.csv", "--report", "junit"], "<testsuites"),
        (&["stats", "rules.rv", "good.csv"], "activated"),
        (&["events", "good.csv"], "request"),
        (&["plan", "rules.rv"], "polite"),
        (&["test", "rules.rv"], "no examples"),
        (&["translate", "rules.rv", "--to", "english"], "polite"),
        (&["explain", "G0701"], "# G0701"),
    ] {
        let output = folder.run(&[arguments, &["--output", "out"]].concat());
        assert!(output.status <= 1 && output.stdout.is_empty(), "{arguments:?}: {}{}", output.stdout, output.stderr);
        assert!(folder.read("out").contains(part), "{arguments:?}: {}", folder.read("out"));
    }
}

#[test]
fn a_report_that_cannot_be_completed_leaves_the_file_alone() {
    let folder = folder();
    folder.write("report.txt", b"old");
    let output = folder.run(&["check", "no.rv", "bad.csv", "-o", "report.txt"]);
    assert_eq!(output.status, 2);
    assert_eq!(folder.read("report.txt"), "old");
    assert!(!folder.names().iter().any(|name| name.contains(".part")), "{:?}", folder.names());
    let output = folder.run(&["check", "rules.rv", "bad.csv", "-o", "."]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0811]: `.` cannot be written: "), "{}", output.stderr);
    let output = folder.run(&["check", "rules.rv", "bad.csv", "-o", "-"]);
    assert!(output.status == 1 && output.stdout.contains("1 violated"), "{}", output.stdout);
    let output = folder.run(&["check", "rules.rv", "bad.csv", "-o", "no/such/report.txt"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0811]: `no/such/report.txt` cannot be written: "), "{}", output.stderr);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = folder();
    folder.write("report.txt", b"old");
    std::os::unix::fs::symlink("report.txt", folder.path("latest")).expect("a link can be made");
    assert_eq!(folder.run(&["check", "rules.rv", "good.csv", "-o", "latest"]).status, 0);
    assert!(folder.path("latest").is_symlink() && folder.read("report.txt").contains("2 properties: 2 hold"));
}

#[test]
fn a_quiet_run_prints_only_errors() {
    let folder = folder();
    for (trace, status) in [("good.csv", 0), ("bad.csv", 1)] {
        let output = folder.run(&["check", "rules.rv", trace, "--quiet"]);
        assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (status, "", ""));
    }
    let output =
        folder.run(&["-q", "check", "rules.rv", "broken.csv", "bad.csv", "-o", "report.json", "--report", "json"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0506]: "), "{}", output.stderr);
    assert!(folder.read("report.json").contains("\"verdict\":\"violated\""));
    let output = folder.run(&["convert", "good.csv", "good.ndjson", "-q"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    assert!(folder.read("good.ndjson").contains("request"));
    let refused = folder.run(&["check", "rules.rv", "good.csv", "-q", "--fail-on", "not-exercised"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains("not exercised: `idle`"), "{}", refused.stderr);
}

#[test]
fn patterns_are_expanded() {
    let folder = folder();
    std::fs::create_dir(folder.path("logs")).expect("a folder can be made");
    folder.write("logs/b.csv", BAD.as_bytes());
    folder.write("logs/a.csv", GOOD.as_bytes());
    folder.write("x[1].csv", GOOD.as_bytes());
    let sources = |traces: &[&str]| {
        let output = folder.run(&[&["check", "rules.rv", "--report", "json"], traces].concat());
        let report: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
        let traces = report["traces"].as_array().expect("a list").iter();
        (output.status, traces.map(|trace| trace["source"].as_str().expect("a name").to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(sources(&["logs/*.csv"]), (1, vec!["a.csv".into(), "b.csv".into()]));
    assert_eq!(sources(&["logs/?.csv", "logs/a*", "good.csv"]).1, ["a.csv", "b.csv", "good.csv"]);
    assert_eq!(sources(&["**/[ab].csv"]).1, ["a.csv", "b.csv"]);
    assert_eq!(sources(&["x[1].csv"]), (0, vec!["x[1].csv".into()]), "the name of a file is no pattern");
    assert_eq!(sources(&["logs/*.xes", "good.csv"]), (2, vec!["good.csv".into()]));
    let output = folder.run(&["check", "rules.rv", "logs/*.xes"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.starts_with("error[G0701]: no file matches the pattern `logs/*.xes`\n"), "{}", output.stderr);
    let output = folder.run(&["check", "rules.rv", "logs/*.csv", "--record", "r.ndjson"]);
    assert!(output.stderr.starts_with("error[G0741]: "), "{}", output.stderr);
}

#[test]
fn reports_list_traces_that_cannot_be_checked() {
    let folder = folder();
    let traces = ["good.csv", "broken.csv", "no.csv", "bad.csv"];
    let check = |report: &str| folder.run(&[&["check", "rules.rv", "--report", report], &traces[..]].concat());
    let output = check("json");
    assert_eq!(output.status, 2);
    let report: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
    assert_eq!(report["traces"].as_array().map(Vec::len), Some(2));
    let first = &report["errors"][0];
    assert_eq!(
        (&first["source"], &first["code"], &first["line"], &first["column"]),
        (&json!("broken.csv"), &json!("G0506"), &json!(3), &json!(10))
    );
    assert!(first["message"].is_string() && first["help"].is_string(), "{first}");
    let second = json!({"source": "no.csv", "code": "G0701", "message": "there is no file `no.csv`", "line": null,
        "column": null, "help": report["errors"][1]["help"]});
    assert_eq!(report["errors"][1], second);
    let lines = check("ndjson");
    let errors: Vec<Value> = lines.stdout.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let errors: Vec<&Value> = errors.iter().filter(|line| line["type"] == "error").collect();
    assert_eq!((&errors[0]["trace"], &errors[1]["code"]), (&json!("broken.csv"), &json!("G0701")));
    let junit = check("junit").stdout;
    assert_eq!(junit.matches("<testcase name=\"can be checked\"").count(), 2, "{junit}");
    assert!(junit.contains(" errors=\"2\" "), "{junit}");
    let people = check("human").stdout;
    assert!(people.ends_with("; 1 of 2 traces violated; 2 traces could not be checked\n"), "{people}");
    let none = folder.run(&["check", "rules.rv", "no.csv", "--report", "json"]);
    let report: Value = serde_json::from_str(&none.stdout).expect("it is JSON");
    assert_eq!((&report["traces"], &report["errors"][0]["code"]), (&json!([]), &json!("G0701")));
}

#[test]
fn refused_traces_are_errors_in_every_report() {
    let folder = folder();
    let check = |report: &str| {
        let output = folder.run(&["check", "rules.rv", "good.csv", "--fail-on", "not-exercised", "--report", report]);
        assert_eq!(output.status, 2);
        output.stdout
    };
    let report: Value = serde_json::from_str(&check("json")).expect("it is JSON");
    assert_eq!(report["traces"][0]["verdict"], json!("holds"));
    assert_eq!((&report["errors"][0]["code"], &report["errors"][0]["source"]), (&json!("G0742"), &json!("good.csv")));
    assert!(check("ndjson").lines().last().is_some_and(|line| line.contains("\"code\":\"G0742\"")));
    let junit = check("junit");
    assert!(junit.contains("tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\""), "{junit}");
    assert!(junit.contains("<testcase name=\"--fail-on\""), "{junit}");
}

#[test]
fn one_option_chooses_the_report_of_every_command() {
    let folder = folder();
    folder.write(
        "tested.rv",
        format!("{SPEC}accepts polite {{ x@0. request@1. reply@2 }}\nrejects polite {{ x@0 }}\n").as_bytes(),
    );
    folder.write("albert.rv", b"albert rise { onEvent(request) -> Within(onEvent(reply), 3) }\n");
    for arguments in [
        &["check", "rules.rv", "good.csv"][..],
        &["stats", "rules.rv", "good.csv"],
        &["events", "good.csv"],
        &["plan", "rules.rv"],
        &["automaton", "albert.rv", "good.csv"],
    ] {
        let output = folder.run(&[arguments, &["--report", "json"]].concat());
        assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
        assert!(serde_json::from_str::<Value>(&output.stdout).is_ok_and(|report| report.is_object()), "{arguments:?}");
    }
    let new = folder.run(&["plan", "rules.rv", "--report", "json"]);
    assert_eq!(folder.run(&["plan", "rules.rv", "--format", "json"]).stdout, new.stdout, "the old name still works");
    let tested = folder.run(&["test", "tested.rv", "--report", "json"]);
    assert_eq!(tested.status, 1);
    let report: Value = serde_json::from_str(&tested.stdout).expect("it is JSON");
    assert_eq!((&report["examples"][0]["ok"], &report["examples"][1]["ok"]), (&json!(true), &json!(false)));
    assert_eq!(
        report["examples"][1],
        json!({"property": "polite", "line": 5, "example": "rejects polite", "ok": false, "expected": "violated", "verdict": "holds"})
    );
    let junit = folder.run(&["test", "tested.rv", "--report", "junit"]).stdout;
    assert!(junit.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{junit}");
    assert!(junit.contains("<failure message=\"expected violated, got holds\""), "{junit}");
}

#[test]
fn the_layout_follows_the_width() {
    let folder = folder();
    let table = |columns: &str| {
        let output = with_variables(&folder, &["check", "rules.rv", "good.csv"], &[("COLUMNS", columns)]);
        let text = String::from_utf8(output.stdout).expect("reports are UTF-8");
        format!("\n{}", text.split("\n\n").nth(1).expect("there is a table"))
    };
    let wide = "
  holds  polite  Every request is answered within three seconds  2 activated  2 satisfied  satisfied in 1 s to 3 s (mean 2 s)
  holds  idle                                                    not exercised: nothing in the trace activated it";
    assert_eq!(table("200"), wide);
    let middle = "
  holds  polite  Every request is answered within…  2 activated  2 satisfied
         satisfied in 1 s to 3 s (mean 2 s)
  holds  idle
         not exercised: nothing in the trace activated it";
    assert_eq!(table("76"), middle);
    let narrow = "
  holds  polite
         Every request is answered within
         three seconds
         2 activated, 2 satisfied
         satisfied in 1 s to 3 s (mean 2 s)
  holds  idle
         not exercised: nothing in the trace
         activated it";
    assert_eq!(table("44"), narrow);
    assert_eq!(table("9"), narrow, "44 columns are the least");
    for command in [
        &["check", "rules.rv", "good.csv"][..],
        &["stats", "rules.rv", "good.csv", "--every", "3s"],
        &["plan", "rules.rv"],
    ] {
        for columns in [44, 60, 80, 120, 200] {
            let output = with_variables(&folder, command, &[("COLUMNS", &columns.to_string())]);
            for line in String::from_utf8_lossy(&output.stdout).lines() {
                assert!(line.chars().count() <= columns, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn help_fits_eighty_columns() {
    let folder = folder();
    let commands = String::from_utf8(with_variables(&folder, &["--help"], &[]).stdout).expect("help is UTF-8");
    let commands = commands.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands = commands.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let output = with_variables(&folder, &[command, "--help"], &[("COLUMNS", "80")]);
        let help = String::from_utf8(output.stdout).expect("help is UTF-8");
        let (text, examples) = help.split_once("\nExample").unwrap_or_else(|| panic!("{command} has no example"));
        assert!(examples.contains(&format!("  gnomon {command}")), "{command}:\n{help}");
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        for word in ["judge", "tell", "told"] {
            assert!(!text.to_lowercase().contains(word), "{command} says `{word}`:\n{help}");
        }
    }
}
