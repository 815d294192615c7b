// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules as XML and as spec files, and what the pages about them say.

use std::fs;

use serde_json::Value;

use crate::support::{TestFolder, fenced, root};

const SPEC: &str = "\
time t in s
event paid = payment[state = \"ok\"]
event unused = other
nomad ship \"Pay first\" (matching any) { P(start(ship) | O[2,0]D done(paid)) / {{ship.order, paid.order}} }
soloist calm { G(!alarm) }
";

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rules xmlns="urn:gnomon:rules:1">
  <time field="t" unit="s"/>
  <event name="paid">
    <message name="payment">
      <condition query="state" is="equal" value="ok"/>
    </message>
  </event>
  <rule id="ship" verdict="true" title="Pay first" matching="any">
    <supposition>
      <message name="ship" phase="start"/>
    </supposition>
    <window from="2" to="0" unit="D"/>
    <context>
      <message name="paid" phase="done"/>
    </context>
    <correlation>
      <query message="ship">order</query>
      <query message="paid">order</query>
    </correlation>
  </rule>
</rules>
"#;

/// Returns the report of a check.
fn properties(folder: &TestFolder, arguments: &[&str]) -> Vec<Value> {
    let output = folder.run(&[arguments, &["--report", "json"]].concat());
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let mut report: Value = serde_json::from_str(&output.stdout).expect("the report is JSON");
    let Value::Array(properties) = report["traces"][0]["properties"].take() else { panic!("{report}") };
    properties
}

#[test]
fn rules_become_xml_and_come_back() {
    let day = "event, t, order, state\npayment, 1, 7, ok\nship, 5, 7,\nship, 6, 8,\n";
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("rules.xml", XML), ("day.csv", day)]);
    let xml = folder.run(&["translate", "rules.rv", "--to", "rules-xml", "--property", "ship"]);
    assert_eq!((xml.status, xml.stdout.as_str(), xml.stderr.as_str()), (0, XML, ""));
    let text = folder.run(&["translate", "rules.xml", "--to", "nomad"]);
    let expected = SPEC.replace("event unused = other\n", "").replace("soloist calm { G(!alarm) }\n", "");
    assert_eq!((text.status, text.stdout), (0, expected));
    // Both judge alike.
    let counts = |spec: &str| {
        let found = properties(&folder, &["check", spec, "day.csv", "--property", "ship"]);
        ["verdict", "activated", "satisfied", "violated"].map(|key| found[0][key].clone())
    };
    assert_eq!(counts("rules.xml"), counts("rules.rv"));
    assert_eq!(counts("rules.xml"), ["violated".into(), 2.into(), 1.into(), Value::from(1)]);
}

#[test]
fn properties_that_are_not_rules_are_left_out_or_refused() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("calm.rv", "soloist calm { G(!alarm) }\n")]);
    let output = folder.run(&["translate", "rules.rv", "--to", "rules-xml"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let warning = "warning[G0127]: a `soloist` property cannot be written as a rule";
    assert!(output.stderr.starts_with(warning), "{}", output.stderr);
    assert!(output.stdout.contains("id=\"ship\"") && !output.stdout.contains("calm"), "{}", output.stdout);
    for arguments in [
        &["translate", "rules.rv", "--to", "nomad", "--property", "calm"][..],
        &["translate", "calm.rv", "--to", "rules-xml"],
    ] {
        let output = folder.run(arguments);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
        assert!(output.stderr.contains("error[G0127]"), "{}", output.stderr);
    }
    folder.write("odd.rv", b"nomad p { P(start(\"a\\u0001\") | O[0,1] done(b)) }\n");
    let output = folder.run(&["translate", "odd.rv", "--to", "rules-xml"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("XML has no character U+0001"), "{}", output.stderr);
    folder.write("log.rv", b"log text \"{time} {event}\"\nnomad p { P(start(a) | O[0,1] done(b)) }\n");
    let output = folder.run(&["translate", "log.rv", "--to", "rules-xml"]);
    assert_eq!(output.status, 0);
    assert!(output.stderr.contains("warning[G0127]"), "{}", output.stderr);
}

#[test]
fn a_mistake_in_xml_is_shown_in_its_place() {
    let wrong = XML.replace("verdict=\"true\"", "verdict=\"yes\"");
    let folder = TestFolder::with(&[("rules.xml", &wrong), ("day.csv", "event, time\na, 1\n")]);
    let output = folder.run(&["check", "rules.xml", "day.csv"]);
    assert_eq!(output.status, 2);
    let expected = "\
error[G0126]: `yes` is not a value here
 --> rules.xml:9:28
  |
9 |   <rule id=\"ship\" verdict=\"yes\" title=\"Pay first\" matching=\"any\">
  |                            ^^^ known are `true`, `false`
  |
help: write `true`
  |
9 |   <rule id=\"ship\" verdict=\"true\" title=\"Pay first\" matching=\"any\">
  |                            ~~~~
";
    assert!(output.stderr.contains(expected), "{}", output.stderr);
}

#[test]
fn the_example_comes_out_as_its_page_says() {
    let example = root().join("examples/rules-xml");
    let page = fs::read_to_string(example.join("README.md")).unwrap();
    let (spec, trace) = (example.join("shop.xml"), example.join("shop.ndjson"));
    let plain = ["check", spec.to_str().unwrap(), trace.to_str().unwrap()];
    let folder = TestFolder::with(&[]);
    for arguments in [plain.to_vec(), [&plain[..], &["--reference"]].concat()] {
        let found = properties(&folder, &arguments);
        assert_eq!(found.len(), 3);
        for property in found {
            let counts = ["activated", "satisfied", "violated"].map(|key| property[key].to_string());
            let row = format!("| `{}` | {} |", property["name"].as_str().unwrap(), counts.join(" | "));
            assert!(page.contains(&row), "{row}");
        }
    }
}

#[test]
fn the_examples_of_the_language_page_come_out_as_stated() {
    let page = fs::read_to_string(root().join("docs/languages/nomad.md")).unwrap();
    let specs = fenced(&page, "rv");
    assert!(specs.len() >= 6, "{}", specs.len());
    for spec in specs {
        let folder = TestFolder::with(&[("page.rv", &spec)]);
        let output = folder.run(&["test", "page.rv"]);
        assert_eq!(output.status, 0, "{spec}\n{}{}", output.stdout, output.stderr);
    }
}
