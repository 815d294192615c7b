// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon automaton`: drawings of every language, and copies over a trace.

use crate::support::{TestFolder, root};

const SPEC: &str = "\
time t in s
albert paid { onEvent(Order) -> Between(onEvent(Pay), onEvent(Ship), 10) }
";

#[test]
fn an_albert_property_is_drawn_as_its_automaton() {
    let folder = TestFolder::with(&[("shop.rv", SPEC)]);
    let output = folder.run(&["automaton", "shop.rv"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.starts_with("digraph {\n") && output.stdout.ends_with("}\n"), "{}", output.stdout);
    let nodes = output
        .stdout
        .lines()
        .filter(|line| line.starts_with("  n") && line.contains(" [label=") && !line.contains("->"));
    assert_eq!(nodes.filter(|line| !line.contains("diamond")).count(), 5, "{}", output.stdout);
    assert!(output.stdout.contains("[label=\"onEvent(Order) && !onEvent(Pay)\"]"), "{}", output.stdout);
    let merged = folder.run(&["automaton", "shop.rv", "--semantics", "lasa1"]);
    assert!(merged.stdout.contains("one copy"), "{}", merged.stdout);
}

#[test]
fn the_extension_selects_the_notation() {
    let folder = TestFolder::with(&[("shop.rv", SPEC)]);
    let output = folder.run(&["automaton", "shop.rv", "-o", "shop.SVG"]);
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""));
    let svg = folder.read("shop.SVG");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(folder.run(&["automaton", "shop.rv", "--to", "svg"]).stdout == svg, "the same drawing every time");
    folder.run(&["automaton", "shop.rv", "--to", "dot", "-o", "other.svg"]);
    assert!(folder.read("other.svg").starts_with("digraph"));
}

#[test]
fn every_language_can_be_drawn() {
    let spec = "\
time t in s
soloist calm { G(ask -> F[2,5) reply) }
mtl each { forall i. G(create(i) -> count[10](next(i)) <= 3) }
qea(safe){ Forall(f) accept skip(shut){ use(f) -> failed, open(f) if [ f != 3 ] -> open do [ n = n + 1 ] } accept next(open){} }
nomad rule { P(start(ask) | O[0,3]s (done(reply) && done(!cancel))) / {{ask.id, reply.id}} }
albert state { onEvent(a) -> InFuture($x > 1, 3) }
";
    let folder = TestFolder::with(&[("all.rv", spec)]);
    for (name, parts) in [
        ("calm", ["label=\"G\"", "label=\"F[2,5)\"", "label=\"then\""]),
        ("each", ["label=\"count[10](…) <= 3\"", "times without a unit are in s", "forall i"]),
        ("safe", ["open(f) if f != 3 / n = (n + 1)", "peripheries=2", "failed"]),
        ("rule", ["waiting for", "window [0,3]s", "violated"]),
        ("state", ["label=\"InFuture(…, 3)\"", "label=\"$x > 1\"", "label=\"->\""]),
    ] {
        let output = folder.run(&["automaton", "all.rv", "--property", name, "--semantics", "engine"]);
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{name}");
        for part in parts {
            assert!(output.stdout.contains(part), "{name}: {part}\n{}", output.stdout);
        }
        let svg = folder.run(&["automaton", "all.rv", "--property", name, "--semantics", "engine", "--to", "svg"]);
        let edges = output.stdout.matches(" -> n").count();
        assert_eq!(svg.stdout.matches("<path class=\"edge\"").count(), edges, "{name}");
    }
}

#[test]
fn operators_are_drawn_as_written_and_all_nodes_are_connected() {
    let spec = "\
time in s
mtl closed { forall id. G(open(id) -> # a comment
  (F[0,8h] close(id)) && !late(id)) }
albert slow { onEvent(A) -> Between(onEvent(B), onEvent(C), 8h) }
albert plain { onEvent(A) -> Within(onEvent(B), 10) }
qea(safe) { accept skip(on) { use -> on } accept skip(off) { use -> off } }
";
    let folder = TestFolder::with(&[("all.rv", spec)]);
    let draw = |name: &str, semantics: &str| {
        let output = folder.run(&["automaton", "all.rv", "--property", name, "--semantics", semantics]);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
        output.stdout
    };
    let labels = |dot: &str| -> Vec<String> {
        let nodes =
            dot.lines().filter(|line| line.starts_with("  n") && !line.contains("->") || line.contains("label=\"->"));
        nodes.filter_map(|line| Some(line.split_once("label=\"")?.1.split_once('"')?.0.to_owned())).collect()
    };
    let closed = labels(&draw("closed", "engine"));
    assert_eq!(closed, ["G", "->", "open(id)", "&&", "F[0,8h]", "close(id)", "!", "late(id)"]);
    let slow = draw("slow", "engine");
    assert!(slow.contains("label=\"Between(…, …, 8h)\""), "{slow}");
    assert!(draw("slow", "asa").contains("v1 + t < 8h"), "{}", draw("slow", "asa"));
    assert!(draw("plain", "asa").contains("Within(onEvent(B), 10s)"), "{}", draw("plain", "asa"));
    let safe = draw("safe", "engine");
    assert!(safe.contains("not drawn, because no transition leads there: off"), "{safe}");
    for (name, semantics) in [("closed", "engine"), ("slow", "asa"), ("plain", "asa"), ("safe", "engine")] {
        let dot = draw(name, semantics);
        for node in 1..labels(&dot).len() {
            assert!(dot.contains(&format!("-> n{node} ")), "{name}: n{node}\n{dot}");
        }
    }
}

#[test]
fn hostile_names_stay_text() {
    let spec = "albert odd { onEvent(\"a\\\"]; n9 [label=<b>&\") -> Within($x = \"</svg>\", 3) }\n";
    let folder = TestFolder::with(&[("odd.rv", spec)]);
    let dot = folder.run(&["automaton", "odd.rv"]);
    assert_eq!((dot.status, dot.stderr.as_str()), (0, ""));
    for line in dot.stdout.lines().filter(|line| line.starts_with("  n")) {
        let plain = line.replace("\\\\", "").replace("\\\"", "");
        assert!(plain.matches('"').count() % 2 == 0 && plain.ends_with("];"), "{line}");
    }
    let svg = folder.run(&["automaton", "odd.rv", "--to", "svg"]).stdout;
    assert_eq!(svg.matches("</svg>").count(), 1, "{svg}");
    assert!(!svg.contains("<b>"), "{svg}");
}

#[test]
fn copies_are_counted_under_each_semantics() {
    let spec =
        "albert until { Until($x > 0, onEvent(done)) }\nalbert within { onEvent(ask) -> Within(onEvent(done), 4) }\n";
    let trace = "time,event,x\n0,ask,1\n1,ask,\n2,ask,\n3,ask,\n4,done,\n";
    let folder = TestFolder::with(&[("two.rv", spec), ("day.csv", trace)]);
    let output = folder.run(&["automaton", "two.rv", "day.csv", "--plot", "plot.svg"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    let row = |name: &str| -> Vec<String> {
        let line =
            output.stdout.lines().find(|line| line.trim_start().starts_with(name)).expect("the property is there");
        line.split_whitespace().map(str::to_owned).collect()
    };
    let counts = |name: &str| -> Vec<String> { [1, 2, 4, 5, 7, 8].iter().map(|at| row(name)[*at].clone()).collect() };
    // Most and made: asa, lasa1, lasa2.
    assert_eq!(counts("until"), ["4", "4", "1", "1", "1", "1"]);
    assert_eq!(counts("within"), ["4", "4", "4", "4", "1", "1"]);
    assert_eq!(row("until").last().map(String::as_str), Some("holds"));
    let plot = folder.read("plot.svg");
    assert!(plot.starts_with("<svg ") && plot.matches("<path class=\"s0\"").count() == 3, "{plot}");
    let limited = folder.run(&["automaton", "two.rv", "day.csv", "--max-copies", "2"]);
    assert!(limited.stdout.contains("N/A"), "{}", limited.stdout);
}

#[test]
fn flags_that_lose_a_copy_are_reported() {
    let one = "Until(onEvent(l), onEvent(r))";
    let spec =
        format!("albert lost {{ (onEvent(B) -> {one} || Until(onEvent(m), onEvent(s))) && (onEvent(A) -> {one}) }}\n");
    let trace = "time,event\n0,A\n0,l\n1,B\n1,l\n1,m\n2,l\n3,r\n";
    let folder = TestFolder::with(&[("lost.rv", &spec), ("day.csv", trace)]);
    let output = folder.run(&["automaton", "lost.rv", "day.csv"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let said = "lost: the automaton with flags, as the paper prints it, rejects what the invariant accepts";
    assert!(output.stdout.contains(said) && output.stdout.contains("holds"), "{}", output.stdout);
}

#[test]
fn a_start_that_the_trace_has_is_that_event() {
    let spec = "albert begun { onEvent(ask) -> onEvent(start_work) }\n";
    let folder = TestFolder::with(&[
        ("begun.rv", spec),
        ("next.csv", "time,event\n0,ask\n1,work\n"),
        ("own.csv", "time,event\n0,ask\n0,start_work\n1,work\n"),
    ]);
    for (trace, most) in [("next.csv", "1"), ("own.csv", "0")] {
        let output = folder.run(&["automaton", "begun.rv", trace]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let line = output.stdout.lines().find(|line| line.contains("begun")).expect("the property is there");
        assert!(line.contains("holds"), "{line}");
        assert_eq!(line.split_whitespace().nth(1), Some(most), "{line}");
    }
}

#[test]
fn properties_that_cannot_be_drawn_or_run_are_reported() {
    let spec = "soloist calm { G(ask -> F[0,3] reply) }\nsoloist other { G(ask) }\n";
    let folder = TestFolder::with(&[("two.rv", spec), ("day.csv", "time,event\n0,ask\n")]);
    for (arguments, code) in [
        (vec!["two.rv"], "G0913"),
        (vec!["two.rv", "--property", "calm", "--semantics", "asa"], "G0911"),
        (vec!["two.rv", "day.csv"], "G0914"),
        (vec!["two.rv", "nowhere.csv"], "G0701"),
        (vec!["two.rv", "--property", "clam"], "G0705"),
    ] {
        let output = folder.run(&[&["automaton"], &arguments[..]].concat());
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.contains(&format!("error[{code}]")), "{}", output.stderr);
    }
}

#[test]
fn the_experiment_has_the_shape_of_the_papers() {
    let folder = root().join("examples/albert/while");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let arguments = [
        "automaton",
        &path("while.rv"),
        &path("while.csv"),
        "--property",
        "n0",
        "--property",
        "n2",
        "--property",
        "n4",
    ];
    let output = TestFolder::with(&[]).run(&arguments);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let row = |name: &str| -> Vec<usize> {
        let line =
            output.stdout.lines().find(|line| line.trim_start().starts_with(name)).expect("the property is there");
        let cells: Vec<&str> = line.split_whitespace().collect();
        [1, 2, 4, 5, 10].iter().map(|at| cells[*at].parse().expect("a number")).collect()
    };
    // Most and made without merging, with merging, and the engine's operators.
    assert_eq!(row("n0"), [0, 0, 0, 0, 0]);
    assert_eq!(row("n2")[..4], [808, 41_414, 3, 205]);
    assert_eq!(row("n4")[..4], [1616, 82_828, 5, 207]);
    assert!(row("n4")[4] < 30, "a few operators for each `Until`");
}

const CLOCKS: &str = "ccsl handshake {\n  clock late := req $ 1\n  req < ack\n  ack < late\n}\n";

#[test]
fn clocks_are_drawn_over_a_trace() {
    let log = "event,time\nreq,1\nack,2\nreq,3\nreq,4\nother,5\nack,6\n";
    let folder = TestFolder::with(&[("clocks.rv", CLOCKS), ("log.csv", log)]);
    let drawn = folder.run(&["automaton", "clocks.rv", "log.csv"]);
    assert_eq!((drawn.status, drawn.stderr.as_str()), (0, ""));
    let count = |part: &str| drawn.stdout.matches(part).count();
    // Five ticks of events, two of `late`; the relation that is violated at 4 has a cross of two strokes.
    assert_eq!(
        (count("class=\"tick\""), count("class=\"own\""), count("class=\"bad\"")),
        (5, 2, 2),
        "{}",
        drawn.stdout
    );
    assert!(drawn.stdout.contains("clock late := req $ 1") && !drawn.stdout.contains("event late"), "{}", drawn.stdout);
    assert!(drawn.stdout.contains("at the end, the last tick of req is not used up by ack"), "{}", drawn.stdout);
    let graph = folder.run(&["automaton", "clocks.rv", "--to", "svg"]);
    assert!(graph.status == 0 && graph.stdout.starts_with("<svg"), "{}", graph.stderr);
    let refused = folder.run(&["automaton", "clocks.rv", "log.csv", "--to", "dot"]);
    assert!(refused.status == 2 && refused.stderr.contains("G0915"), "{}", refused.stderr);
}

#[test]
fn clocks_that_may_run_ahead_are_named() {
    let folder = TestFolder::with(&[("clocks.rv", CLOCKS), ("open.rv", "ccsl open {\n  req < ack\n}\n")]);
    let bounded = folder.run(&["plan", "clocks.rv"]);
    let lets = |lead: &str| format!("lets `{lead}` run ahead");
    assert!(!bounded.stdout.contains(&lets("req")), "{}", bounded.stdout);
    let open = folder.run(&["plan", "open.rv"]);
    assert!(open.stdout.contains(&lets("req")), "{}", open.stdout);
    let json = folder.run(&["plan", "open.rv", "--report", "json"]);
    assert!(json.stdout.contains("\"unbounded\":[\"req < ack\"]"), "{}", json.stdout);
}
