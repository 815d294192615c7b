// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon translate`: what it writes, and what it cannot.

use std::fs;

use crate::support::{TestFolder, root};

const SPEC: &str = "\
time t in s
event start = check[kind = \"start\"]
soloist late { G(start -> F[0,2] reply(\"ok\", _)) }
soloist often { C^{600}_{<=3}(withdraw) }
";

#[test]
fn properties_are_written_one_to_a_line() {
    let folder = TestFolder::with(&[("rules.rv", SPEC)]);
    let output = folder.run(&["translate", "rules.rv", "--to", "ltl", "--property", "late"]);
    let reply = "e && \"reply(\\\"ok\\\", _)\"";
    let expected = format!("# late\n!e U (e && !X !G (e -> (start -> X ({reply} || X ({reply})))))\n");
    assert_eq!((output.status, output.stdout, output.stderr.as_str()), (0, expected, ""));
}

#[test]
fn formulae_that_are_too_large_are_named_and_the_rest_is_written() {
    let folder = TestFolder::with(&[("rules.rv", SPEC)]);
    let output = folder.run(&["translate", "rules.rv", "--to", "ltl"]);
    assert_eq!(output.status, 2);
    assert!(output.stdout.starts_with("# late\n") && !output.stdout.contains("often"), "{}", output.stdout);
    let expected = "\
error[G0901]: the formula would have more than 200000 nodes
 --> rules.rv:4:17
  |
4 | soloist often { C^{600}_{<=3}(withdraw) }
  |                 ^^^^^^^^^^^^^^^^^^^^^^^ `C` has 5346164850 ways to take 4 of 600 instants, each with copies of parts that have 1 node
  |
  = help: shorten the window, declare a coarser unit of time, or allow more with `--max-size`

rules.rv: 1 error; `gnomon explain G0901` explains the first
";
    assert_eq!(output.stderr, expected);
    let coarser = SPEC.replace("in s", "in m").replace("600", "600s").replace("[0,2]", "[0,120s]");
    folder.write("coarser.rv", coarser.as_bytes());
    assert_eq!(folder.run(&["translate", "coarser.rv", "--to", "ltl"]).status, 0);
    let output = folder.run(&["translate", "coarser.rv", "--to", "ltl", "--max-size", "20"]);
    assert_eq!((output.status, output.stderr.matches("[G0901]").count()), (2, 2));
}

/// The first block with this label.
fn example<'a>(page: &'a str, label: &str) -> &'a str {
    let opening = format!("```{label}\n");
    let start = page.find(&opening).expect("the page has an example") + opening.len();
    &page[start..start + page[start..].find("```").expect("the block ends")]
}

#[test]
fn the_pages_are_accurate() {
    for code in ["G0901", "G0902", "G0903"] {
        let page = fs::read_to_string(root().join(format!("docs/errors/{code}.md"))).expect("the page is there");
        let folder =
            TestFolder::with(&[("fails.rv", example(&page, "rv fails")), ("works.rv", example(&page, "rv works"))]);
        let fails = folder.run(&["translate", "fails.rv", "--to", "ltl"]);
        assert!(fails.stderr.contains(&format!("error[{code}]")), "{code}: {}", fails.stderr);
        assert_eq!(fails.status, 2, "{code}");
        let works = folder.run(&["translate", "works.rv", "--to", "ltl"]);
        assert_eq!((works.status, works.stderr.as_str()), (0, ""), "{code}");
    }
}

#[test]
fn the_page_of_the_notation_shows_real_output() {
    let page = fs::read_to_string(root().join("docs/languages/ltl.md")).expect("the page is there");
    let folder = TestFolder::with(&[("rules.rv", example(&page, "rv"))]);
    let output = folder.run(&["translate", "rules.rv", "--to", "ltl"]);
    assert_eq!((output.status, output.stdout.as_str()), (0, example(&page, "ltl")));
}

const PATTERNS: &str = "\
event pay(user) = payment[uid as user] from client to bank
pattern paid { for every u: between open and close: ack(u) responds to pay(u) }
pattern calm { globally: absence of alarm }
";

#[test]
fn patterns_are_written_in_every_notation() {
    let folder = TestFolder::with(&[("p.rv", PATTERNS), ("t.csv", "event,time\nopen,1\nclose,3\nalarm,4\n")]);
    let run = |to: &str| folder.run(&["translate", "p.rv", "--to", to, "--property", "calm"]);
    assert_eq!(run("english").stdout, "# calm\n`alarm` must not occur.\n");
    assert_eq!(run("mu").stdout, "% calm\n[true* . alarm] false\n");
    for (to, part) in [
        ("mcrl2", "alarm . S1"),
        ("mermaid", "-xp1: must not: alarm"),
        ("plantuml", "-[#red]>x p1 : must not: alarm"),
        ("svg", "must not: alarm</text>"),
        ("pattern", "pattern calm { globally: absence of alarm }"),
    ] {
        let output = run(to);
        assert!(output.status == 0 && output.stdout.contains(part), "{to}: {}{}", output.stdout, output.stderr);
    }
    // What is a spec again is judged again.
    for to in ["mtl", "pattern"] {
        let output = folder.run(&["translate", "p.rv", "--to", to]);
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{to}");
        folder.write("again.rv", output.stdout.as_bytes());
        let output = folder.run(&["check", "again.rv", "t.csv"]);
        assert_eq!(output.status, 1, "{to}: {}{}", output.stdout, output.stderr);
    }
    folder.write("calm.mcf", run("mu").stdout.as_bytes());
    assert_eq!(folder.run(&["check", "calm.mcf", "t.csv"]).status, 1);
}

#[test]
fn a_diagram_shows_one_property() {
    let folder = TestFolder::with(&[("p.rv", PATTERNS)]);
    let output = folder.run(&["translate", "p.rv", "--to", "svg"]);
    let expected = "2 properties cannot be a sequence diagram together";
    assert!(
        output.status == 2 && output.stderr.contains("G0922") && output.stderr.contains(expected),
        "{}",
        output.stderr
    );
}

#[test]
fn the_page_about_refusals_is_accurate() {
    let page = fs::read_to_string(root().join("docs/errors/G0921.md")).expect("the page is there");
    let folder =
        TestFolder::with(&[("fails.rv", example(&page, "rv fails")), ("works.rv", example(&page, "rv works"))]);
    let fails = folder.run(&["translate", "fails.rv", "--to", "mu"]);
    assert!(fails.status == 2 && fails.stderr.contains("error[G0921]"), "{}", fails.stderr);
    assert_eq!(folder.run(&["translate", "works.rv", "--to", "mu"]).status, 0);
}

#[test]
fn plug_ins_are_written_as_automata_and_formulae() {
    let spec = "\
event next(i) = step[iterator as i]
mop has-next { parameters i events hasnext(i), next(i) ltl: [] (next => (*) hasnext) }
mop locks { events lock(), unlock() cfg: S -> S lock S unlock | epsilon forbid fail }
";
    let log = r#"{"event": "hasnext", "time": 1, "i": 7}
{"event": "step", "time": 2, "iterator": 7}
{"event": "step", "time": 3, "iterator": 7}
"#;
    let folder = TestFolder::with(&[("p.rv", spec), ("t.ndjson", log)]);
    assert_eq!(folder.run(&["check", "p.rv", "t.ndjson", "--property", "has-next"]).status, 1);
    for (to, part) in [("qea", "accept skip(start) {"), ("mtl", "forall i. G(next(i) -> Y(")] {
        let output = folder.run(&["translate", "p.rv", "--to", to]);
        assert!(output.status == 2 && output.stdout.contains(part), "{to}: {}", output.stdout);
        assert!(
            output.stderr.contains("`locks` cannot be written as") && output.stderr.contains("automaton"),
            "{}",
            output.stderr
        );
        folder.write("again.rv", output.stdout.as_bytes());
        let output = folder.run(&["check", "again.rv", "t.ndjson"]);
        assert_eq!(output.status, 1, "{to}: {}{}", output.stdout, output.stderr);
    }
}
