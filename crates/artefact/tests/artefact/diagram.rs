// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequence diagrams: every cell has one, and no name breaks it.

use gnomon_artefact::{mermaid, plantuml, svg};
use gnomon_ir::pattern::ScopeKind;
use gnomon_ir::spec::{Property, Spec};

use crate::cells::{property, timed, untimed};

fn parsed(text: &str) -> (Spec, Property) {
    let (spec, diagnostics) = gnomon_lang::parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let property = spec.properties[0].clone();
    (spec, property)
}

#[test]
fn every_cell_is_drawn_and_its_events_are_named() {
    let spec = Spec::default();
    for scope in ScopeKind::ALL {
        for asked in untimed().into_iter().chain(timed()) {
            let property = property(scope, &asked);
            let texts = [mermaid(&spec, &property), plantuml(&spec, &property), svg(&spec, &property)];
            for text in texts.map(|text| text.expect("a pattern has a diagram")) {
                let delimiters = text.matches("scope: ").count();
                let expected = usize::from(scope.opens()) + usize::from(scope.restarts()) + usize::from(scope.closes());
                assert_eq!(delimiters, expected, "{scope:?} {asked:?}\n{text}");
                assert_eq!(text.lines().filter(|line| line.trim() == "end").count(), blocks(&text), "{text}");
            }
        }
    }
}

fn blocks(text: &str) -> usize {
    text.lines().filter(|line| line.trim().starts_with("loop ") || line.trim().starts_with("opt ")).count()
}

const PAY: &str = "\
event pay(user) = payment[uid as user] from client to bank
event ack(user) from bank to $source
pattern \"paid\" \"Every payment\" { for every u: between open and close: ack(u) responds to pay(u) within 10s }
";

#[test]
fn participants_are_those_of_the_declarations() {
    let (spec, property) = parsed(PAY);
    let expected = "\
sequenceDiagram
  title Every payment
  participant p0 as environment
  participant p1 as system
  participant p2 as client
  participant p3 as bank
  participant p4 as $source
  Note over p0,p4: for every u
  loop every segment
    p0->>p1: scope: open
    loop every time
      p2-->>p3: pay(u)
      p3->>p4: must: ack(u) within 10s
    end
    p0->>p1: scope: close
  end
";
    assert_eq!(mermaid(&spec, &property).as_deref(), Ok(expected));
    let expected = "\
@startuml
title Every payment
participant \"environment\" as p0
participant \"system\" as p1
participant \"client\" as p2
participant \"bank\" as p3
participant \"$source\" as p4
note over p0, p4 : for every u
loop every segment
  p0 -[#blue]> p1 : scope: open
  loop every time
    p2 --> p3 : pay(u)
    p3 -[#green]> p4 : must: ack(u) within 10s
  end
  p0 -[#blue]> p1 : scope: close
end
@enduml
";
    assert_eq!(plantuml(&spec, &property).as_deref(), Ok(expected));
    let drawn = svg(&spec, &property).expect("it is drawn");
    for words in ["client", "bank", "must: ack(u) within 10s", "scope: close", "loop [every time]"] {
        assert!(drawn.contains(words), "{words}");
    }
}

#[test]
fn no_name_breaks_a_diagram() {
    let (spec, property) = parsed(
        "event \"a<b>&;#end\\\"x\\\\n\" from \"end\" to \"p;q%%<script>\"\n\
         pattern x { before \"-->//x__y\": absence of \"a<b>&;#end\\\"x\\\\n\" }",
    );
    let text = mermaid(&spec, &property).expect("it is written");
    assert!(text.lines().all(|line| !line.contains("<b>") && !line.contains("%%")), "{text}");
    assert!(!text.contains("as end\n") && text.contains("as #101;nd\n"), "{text}");
    let text = plantuml(&spec, &property).expect("it is written");
    assert!(!text.contains("<b>") && !text.contains("//") && !text.contains("__"), "{text}");
    let text = svg(&spec, &property).expect("it is drawn");
    assert!(!text.contains("<b>") && !text.contains("<script>") && text.contains("&lt;b&gt;&amp;"), "{text}");
}
