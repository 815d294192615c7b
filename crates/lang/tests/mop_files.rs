// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of JavaMOP and RV-Monitor: all that occurs in them is read, and what they mean to this project is kept.

use gnomon_core::Severity;
use gnomon_ir::check::check;
use gnomon_ir::{Body, Core, Logic, Plugin, PluginCore, Property, Spec};
use gnomon_lang::mop::{MopDialect, parse_bare, print_specification};

fn read(source: &str) -> Spec {
    let (spec, diagnostics) = parse_bare(source);
    assert!(diagnostics.is_empty(), "{source}\n{diagnostics:?}");
    spec
}

fn plugin(property: &Property) -> &Plugin {
    let Body::Plugin(plugin) = &property.body else { panic!("{property:?}") };
    plugin
}

fn core(spec: &Spec, name: &str) -> PluginCore {
    let property = spec.property(name).expect("it is there");
    match check(spec, property) {
        (Some(Core::Plugin(core)), diagnostics) => {
            assert!(diagnostics.iter().all(|one| one.severity != Severity::Error), "{diagnostics:?}");
            core
        }
        other => panic!("{other:?}"),
    }
}

fn codes(source: &str) -> Vec<&'static str> {
    let (spec, mut diagnostics) = parse_bare(source);
    for property in &spec.properties {
        diagnostics.extend(check(&spec, property).1);
    }
    diagnostics.iter().map(|one| one.code).collect()
}

/// The block that a property is printed as, without its first and last line.
fn block(spec: &Spec, name: &str) -> String {
    let text = gnomon_lang::mop::print(spec.property(name).expect("it is there"));
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines[1..lines.len() - 1].join("\n")
}

const LOCKS: &str = r#"
package mop;

import java.util.*;
import java.util.concurrent.locks.*;

/** Locks are released as often as they are taken: { [ ( */
full-binding unsynchronized BalancedLocks(Lock l, Thread t) {
    int depth = 0;
    List<Map<String, int[]>> names = new ArrayList<>(); // } not a brace
    String text = "} \" {";
    char quote = '\'', brace = '{';

    @Override public boolean isEmpty() { return depth > 0 ? true : names.isEmpty(); }

    creation event enter before(Thread t) : execution(* *.run(..)) && thread(t) {}
    event lock after(Lock l, Thread t) :
        (call(* Lock+.lock(..)) || call(* Lock+.tryLock(..))) && target(l) && thread(t)
        && condition(!Thread.holdsLock(l)) { this.depth++; }
    event unlock before(Lock+ l, Thread t) : call(* Lock.unlock()) && target(l) && thread(t) {}
    event leave after(Thread t) : execution(* *.run(..)) && thread(t) { if (depth > 0) { depth = 0; } }

    cfg : S -> S enter S leave | S lock S unlock | epsilon

    @fail {
        /* "not this" */ RVMLogging.out.println(Level.CRITICAL, __DEFAULT_MESSAGE);
        System.err.println("lock " + depth + " is not balanced");
        __RESET;
    }
}
"#;

#[test]
fn a_specification_is_a_property() {
    let spec = read(LOCKS);
    assert_eq!(
        block(&spec, "BalancedLocks"),
        "parameters l, t\n\
         events enter(t), lock(l, t), unlock(l, t), leave(t)\n\
         creation enter\n\
         full-binding\n\
         cfg: S -> S enter S leave | S lock S unlock | epsilon\n\
         forbid fail \"lock\" reset"
    );
    assert_eq!(core(&spec, "BalancedLocks").letters.len(), 4);
}

#[test]
fn parameters_are_those_of_the_advice_then_what_it_returns_or_throws() {
    let spec = read(
        r"
        suffix connected Readers(Source s, Reader r) {
            event open after(Source s, int size) returning(Reader r) : call(* *.open(..)) && args(.., size) {}
            event open after(Source s) returning (Reader r) : call(* *.open()) && target(s) {}
            event fail after(Reader r) throwing(Exception e) : call(* *.read()) && target(r) {}
            event reset Integer around(Reader r) : call(Integer *.reset()) && target(r) { __SKIP; }
            static event stop after returning(Map<String, List<Reader>> all) : call(* *.stop()) {}
            ere : open fail^2 reset? stop
            @match { }
        }",
    );
    assert_eq!(
        block(&spec, "Readers"),
        "parameters s, r\n\
         events open(s, _, r), open(s, r), fail(r, _), reset(r), stop(_)\n\
         suffix\n\
         connected\n\
         ere: open fail^2 reset? stop\n\
         forbid match"
    );
    let core = core(&spec, "Readers");
    assert_eq!((core.letters.len(), core.atoms[0].patterns.len()), (4, 2));
}

#[test]
fn a_file_has_several_specifications_with_several_bodies() {
    let spec = read(
        r#"
        Twice(Iterator i) {
            event next before(Iterator i) : call(* *.next()) && target(i) {}
            event hasnext after(Iterator i) : call(* *.hasNext()) && target(i) {}
            event done before() : endProgram() {}
            ltl : [] (next => (*) hasnext) and true
            @violation { System.out.println("\"first\"\n"); }
            fsm :
                start [ hasnext -> safe default start ]
                safe [ next -> start, hasnext -> safe ]
                alias both = start safe
            @FAIL { }
            @both { __RESET; }
            ptltl : [*] next S hasnext
            @ validation { report(); }
        }
        perthread Other(Lock l, Thread thread) {
            event take after(Lock l, Thread thread) : call(* *.lock()) {}
            event end after() : endProgram() {}
            ere: take ~take end
            @fail { __DEFAULT_MESSAGE; }
        }"#,
    );
    let names: Vec<&str> = spec.properties.iter().map(|property| property.name.as_str()).collect();
    assert_eq!(names, ["Twice", "Twice-2", "Twice-3", "Other"]);
    assert!(block(&spec, "Twice").ends_with("forbid violation \"\\\"first\\\"\""), "{}", block(&spec, "Twice"));
    assert!(block(&spec, "Twice").contains("endProgram as done"));
    assert!(block(&spec, "Twice-2").ends_with("forbid FAIL, both reset"));
    assert_eq!(core(&spec, "Twice-2").forbidden.len(), 2);
    assert!(matches!(plugin(&spec.properties[2]).logic, Logic::PastLtl(_)));
    core(&spec, "Twice-3");
    assert_eq!(
        block(&spec, "Other"),
        "parameters l, thread, thread_\nevents take(l, thread, thread_), endProgram as end\nere: take ~take end\nforbid fail \"Other\""
    );
    core(&spec, "Other");
}

#[test]
fn rv_monitor_has_events_without_pointcuts() {
    let spec = read(
        "#include <stdio.h>\n#include \"belt.h\"\n
        Belt {
            static int count;
            event attach(void) {}
            event remove(const struct belt* const b, int code[4]) after calling int take(int* x) { if (1) { printf(\"x\\n\"); } }
            fsm : off [ attach -> on ] on [ remove -> off ]
            @off { /* set the speed */ }
            @fail { printf(\"belt removed twice\\n\"); }
        }",
    );
    assert_eq!(
        block(&spec, "Belt"),
        "events attach(), remove(_, _)\nfsm:\noff [ attach -> on ]\non [ remove -> off ]\nforbid off, fail \"belt removed twice\""
    );
    core(&spec, "Belt");
}

#[test]
fn events_without_a_body_are_violations_where_they_report() {
    let spec = read(
        r#"
        Obsolete(Table t) {
            boolean seen = false;
            event create after() returning(Table t) : call(Table.new(..)) { seen = true; }
            event use before(Table t, Object key) : call(* Table+.*(..)) && condition(!seen) {
                seen = true;
                synchronized (this) { RVMLogging.out.println(Level.CRITICAL, __DEFAULT_MESSAGE); }
                { System.err.println("the class is obsolete"); }
                if (seen) { return; }
            }
            event none before() : call(* Table.stop()) { __DEFAULT.run(); }
        }"#,
    );
    assert_eq!(
        block(&spec, "Obsolete"),
        "parameters t\nevents create(t), use(t, _), none()\nfsm:\nquiet [ use -> use, default quiet ]\nuse [ use -> use, default quiet ]\n\
         forbid use \"the class is obsolete\""
    );
    core(&spec, "Obsolete");
}

/// A specification with a report in the code of its events is violated by instances, as one with a body is.
#[test]
fn events_without_a_body_keep_parameters_and_modifiers() {
    let spec = read(
        r#"
        full-binding perthread Overflow(Buffer b, Reader r) {
            creation event open after(Buffer b) returning(Reader r) : call(Reader Buffer.open()) {}
            event Fail before(Buffer b, int size) : call(* Buffer.grow(int)) && args(size) { __LOC; System.err.println("full"); }
            event fail before(Reader r) : call(* Reader.fail()) { RVMLogging.out.println(Level.CRITICAL, __DEFAULT_MESSAGE); }
        }"#,
    );
    assert_eq!(
        block(&spec, "Overflow"),
        "parameters b, r, thread\nevents open(b, r, thread), Fail(b, _, thread), fail(r, thread)\ncreation open\nfull-binding\n\
         fsm:\nquiet [ Fail -> Fail_, fail -> fail__, default quiet ]\nFail_ [ Fail -> Fail_, fail -> fail__, default quiet ]\n\
         fail__ [ Fail -> Fail_, fail -> fail__, default quiet ]\nforbid Fail_ \"full\", fail__ \"Overflow\""
    );
    assert_eq!(core(&spec, "Overflow").letters.len(), 3);
}

#[test]
fn what_cannot_be_read_is_refused_with_its_reason() {
    let event = "event e before(Object o) : call(* *.f()) && target(o)";
    for (source, expected) in [
        (format!("S(Object o) {{ {event} {{ if (o == null) {{ System.out.println(1); }} }} }}"), vec!["G0163"]),
        (format!("S(Object o) {{ {event} {{ if (o == null) return; System.out.println(1); }} }}"), vec!["G0163"]),
        (format!("S(Object o) {{ {event} {{ for (;;) if (o == null) System.out.println(1); }} }}"), vec!["G0163"]),
        (
            format!("S(Object o) {{ {event} {{ try {{ f(); }} catch (E e) {{ System.out.println(1); }} }} }}"),
            vec!["G0163"],
        ),
        (format!("S(Object o) {{ {event} {{ check(o, __DEFAULT_MESSAGE); }} }}"), vec!["G0163"]),
        (
            format!("S(Object o) {{ void check(Object o) {{ System.out.println(o); }} {event} {{ check(o); }} }}"),
            vec!["G0163"],
        ),
        (
            format!("S(Object o) {{ {event} {{ System.out.println(1); }} event e before() : call(* *.g()) {{}} }}"),
            vec!["G0163"],
        ),
        (format!("S(Object o) {{ {event} {{ count++; }} }}"), vec!["G0163"]),
        (format!("enforce S(Object o) {{ {event} {{}} ere: e @match {{}} }}"), vec!["G0163"]),
        (format!("avoid S(Object o) {{ {event} {{}} ere: e @match {{}} }}"), vec!["G0163"]),
        (format!("sufix S(Object o) {{ {event} {{}} ere: e @match {{}} }}"), vec!["G0206"]),
        (format!("S(Object o) {{ {event} {{}} ptcaret: [*s@b] e @match {{}} }}"), vec!["G0163"]),
        (format!("S(Object o) {{ {event} {{}} ere: e f @match {{}} }}"), vec!["G0210"]),
        (format!("S(Object o) {{ {event} {{}} ere: e @violation {{}} }}"), vec!["G0212"]),
        (format!("S(Object o) {{ {event} {{}} ere: @match {{}} }}"), vec!["G0109"]),
        (format!("S(Object o) {{ {event} {{}} ltl: e => e U e @violation {{}} }}"), vec!["G0162"]),
        (format!("S(Object o) {{ {event} {{}} ere: e @ {{}} }}"), vec!["G0101"]),
        (format!("S(Object o) {{ {event} {{}} ere: e @match }}"), vec!["G0101"]),
        (format!("S(Object o) {{ {event} ere: e @match {{}} "), vec!["G0102"]),
        ("S(Object o) { event e(Object o) {} event e() {} ere: e @match {} }".to_owned(), vec!["G0213"]),
        ("S(Object o, Map m) { event e(Object o) {} ere: e @match {} }".to_owned(), vec!["G0311"]),
        ("S(Object o) { event e : call(* *.f()) {} ere: e @match {} }".to_owned(), vec!["G0101"]),
        ("S(Object o { event e(Object o) {} ere: e @match {} }".to_owned(), vec!["G0102"]),
        ("S(Object o); T".to_owned(), vec!["G0101"]),
        ("S { }".to_owned(), vec!["G0109"]),
        ("package mop;".to_owned(), vec!["G0109"]),
        ("S { event a() {} ere: a } S { event a() {} ere: a }".to_owned(), vec!["G0201"]),
    ] {
        assert_eq!(codes(&source), expected, "{source}");
    }
}

#[test]
fn properties_are_written_as_specifications() {
    let source = r#"
    mop order "In order" {
      parameters c, i
      events create(c, i), next(i), put(_, c), endProgram as done
      creation create
      full-binding
      ltl: [] (next => ((*) create W [*] put)) and !done
      forbid violation "too late" reset, validation
    }"#;
    let (spec, diagnostics) = gnomon_lang::parse(source);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    for dialect in [MopDialect::JavaMop, MopDialect::RvMonitor] {
        let text = print_specification(&spec, &spec.properties[0], dialect).expect("it can be written");
        let again = read(&text);
        let (end, event) = if dialect == MopDialect::JavaMop {
            ("done", "endProgram as done")
        } else {
            ("\"endProgram\"", "endProgram")
        };
        assert_eq!(
            block(&again, "order"),
            format!(
                "parameters c, i\nevents create(c, i), next(i), put(_, c), {event}\ncreation create\nfull-binding\n\
                 ltl: [] (next => ((*) create U !<*> !put) or [] (*) create) and !{end}\nforbid violation \"too late\" reset, validation"
            )
        );
    }
    // Words of a block are names in a specification.
    let (spec, _) = gnomon_lang::parse("mop p { events \"name\"() fsm: \"connected\" [ \"name\" -> \"connected\" ] }");
    let text = print_specification(&spec, &spec.properties[0], MopDialect::JavaMop).expect("it can be written");
    assert!(text.contains("connected [ name -> connected ]"), "{text}");
    for (events, reason) in [
        ("a[x > 1]", "has a condition"),
        ("a", "any parameters"),
        ("a(1)", "a literal"),
        ("\"a b\"()", "not a name in Java"),
    ] {
        let (spec, _) = gnomon_lang::parse(&format!("mop p {{ events {events} ere: epsilon }}"));
        let refused = print_specification(&spec, &spec.properties[0], MopDialect::JavaMop).unwrap_err();
        assert!(refused.contains(reason), "{refused}");
    }
}

#[test]
fn any_text_is_read_or_refused() {
    let mut random = gnomon_core::random::Random::new(7);
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "'",
        "\\",
        "/*",
        "*/",
        "//",
        "\n",
        " ",
        ":",
        ";",
        ",",
        "@",
        "event ",
        "ere: ",
        "ltl: ",
        "cfg: ",
        "fsm: ",
        "S",
        "a",
        "->",
        "|",
        "*",
        "~",
        "^",
        "3",
        "é",
        "#",
        "returning",
        "after",
        "creation ",
        "@match",
        "if ",
        "return;",
        "println",
    ];
    for _ in 0..3_000 {
        let text: String = (0..random.below(60)).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        for source in [text.clone(), format!("S(Object o) {{ event a(Object o) {{}} {text} }}")] {
            let (spec, diagnostics) = parse_bare(&source);
            for found in &diagnostics {
                let (start, end) = (found.primary.span.start as usize, found.primary.span.end as usize);
                assert!(source.get(start..end).is_some(), "{source}\n{found:?}");
            }
            spec.properties.iter().for_each(|property| drop(check(&spec, property)));
        }
    }
    let deep = format!("S {{ event a() {} {} ere: {}a", "{".repeat(50_000), "}".repeat(50_000), "(".repeat(100_000));
    assert!(!parse_bare(&deep).1.is_empty());
}
