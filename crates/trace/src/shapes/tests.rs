// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trie itself, and the readers that use it: rows of known shapes are read as the parsers of the formats read them. A reader that
//! gets its input byte by byte never has a whole row when it tries the trie, so that its parser reads all rows.

use std::fmt::Write;

use gnomon_core::random::Random;
use gnomon_core::symbols::Name;
use gnomon_core::verdict::Origin;

use super::*;
use crate::testing::{SlowInput, setup};
use crate::{AnyReader, Format, NameSet, Reader, ReaderSetup, open};

/// Returns the parts that a row meets on its way through the trie, the values being digits.
fn follow(shapes: &RowShapes<u32>, row: &str) -> Vec<u32> {
    let mut bytes = row.as_bytes().to_vec();
    bytes.extend([0; 64]);
    let (mut found, mut at, mut id) = (Vec::new(), 0, ShapeId::ROOT);
    while let Some((next, behind)) = shapes.next(id, &bytes, at) {
        found.push(*shapes.part(next));
        (id, at) = (next, behind);
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    found
}

fn learn(shapes: &mut RowShapes<u32>, row: &str, first: u32) {
    let texts = row.split_inclusive('#').map(|text| text.trim_end_matches('#').as_bytes());
    shapes.learn(texts.zip(first..));
}

#[test]
fn rows_follow_the_texts_that_were_learned() {
    let mut shapes = RowShapes::default();
    learn(&mut shapes, "a=#, bb=#, a rather long text=#!", 1);
    learn(&mut shapes, "a=#, cc=#!", 11);
    assert_eq!(follow(&shapes, "a=1, bb=22, a rather long text=333!"), [1, 2, 3, 4]);
    assert_eq!(follow(&shapes, "a=1, cc=!"), [1, 12, 13]);
    assert_eq!(follow(&shapes, "a=1, cd=!"), [1]);
    assert_eq!(follow(&shapes, "a"), [0; 0]);
    assert_eq!(follow(&shapes, ""), [0; 0]);
    assert_eq!(shapes.nodes.len(), 1 + 4 + 2);
}

#[test]
fn no_text_hides_a_longer_one() {
    let mut shapes = RowShapes::default();
    learn(&mut shapes, "a=#!", 1);
    learn(&mut shapes, "a=[[#]!", 11);
    learn(&mut shapes, "a=[#]!", 21);
    assert_eq!(follow(&shapes, "a=1!"), [1, 2]);
    assert_eq!(follow(&shapes, "a=[1]!"), [21, 22]);
    assert_eq!(follow(&shapes, "a=[[1]!"), [11, 12]);
}

#[test]
fn the_trie_has_limits() {
    let mut shapes = RowShapes::default();
    for number in 0..100_000 {
        learn(&mut shapes, &format!("{}x#y{}z", char::from(b'a' + (number % 26) as u8), number), number);
    }
    learn(&mut shapes, &"x".repeat(LONGEST_TEXT + 1), 0);
    assert!(shapes.nodes.len() <= MOST_NODES);
    let mut tried = 0;
    for _ in 0..100_000 {
        if shapes.is_ready() {
            tried += 1;
            shapes.miss();
        }
    }
    assert!(tried < 1_000, "{tried}");
    shapes.hit();
}

/// Lists an event with everything that a reader says of it.
fn list(listed: &mut String, reader: &AnyReader<'_>, origin: Origin) {
    let Origin { event_index, time, event } = origin;
    let raw = reader.raw().map(|(offset, text)| (offset, String::from_utf8_lossy(text).into_owned()));
    let (place, name) = (reader.location(), reader.symbols().name_text(event));
    let mut names = reader.field_names();
    names.sort();
    let (fields, keys) = (reader.fields(), 0..reader.symbols().key_count() as u32);
    let wanted: Vec<String> =
        keys.filter_map(|key| fields.get(gnomon_core::symbols::Key(key))).map(|value| value.to_string()).collect();
    let entries: Vec<String> =
        reader.entries().iter().map(|entry| format!("{}={} {}", entry.key, entry.value, entry.is_time)).collect();
    let case = reader.case();
    writeln!(listed, "{event_index} {name}@{} {place} {case:?} {wanted:?} {entries:?} {names:?} {raw:?}", time.ticks())
        .unwrap();
}

/// Reads a trace in pieces of this size, and lists its events and the error, if there is one.
fn read_all(format: Format, text: &[u8], setup: &ReaderSetup, step: usize) -> String {
    let mut listed = String::new();
    let result = open(SlowInput::new(text, step), "t", Some(format), setup.clone()).and_then(|mut reader| {
        while let Some(origin) = reader.advance()? {
            list(&mut listed, &reader, origin);
        }
        writeln!(listed, "{:?} {:?} {:?}", reader.empty_cases(), reader.skipped(), reader.notes()).unwrap();
        Ok(())
    });
    if let Err(error) = result {
        write!(listed, "{} {}:{} {}", error.code(), error.line(), error.column(), error.message()).unwrap();
    }
    listed
}

/// Lists the names and times of a trace and its last line, reading runs where `in_runs`.
fn origins(format: Format, text: &[u8], setup: &ReaderSetup, in_runs: bool) -> (Vec<Origin>, u64, String) {
    let mut found = Vec::new();
    let mut bare = NameSet::new(true);
    (0..setup.symbols.name_count() as u32).for_each(|name| bare.set(Name(name), false));
    let mut line = 0;
    let result = open(text, "t", Some(format), setup.clone()).and_then(|mut reader| {
        loop {
            let mut run = Vec::new();
            if in_runs && !found.is_empty() {
                reader.advance_run(&bare, &mut run);
            }
            if run.is_empty() {
                run.extend(reader.advance()?);
            }
            if run.is_empty() {
                return Ok(());
            }
            line = reader.location().line;
            found.extend(run);
        }
    });
    (found, line, result.err().map_or_else(String::new, |error| format!("{} {}", error.line(), error.message())))
}

/// Replaces `$n`, `$t`, `$d` and `$v` in one of the statements that write rows.
fn row(random: &mut Random, statements: &[&str], values: &[&str], time: &mut u64) -> String {
    let mut text = (*random.pick(statements)).to_owned();
    *time += random.below(3);
    let names = ["pay", "pay", "tick", "tick", "all", "name of more than sixteen bytes"];
    text = text.replacen("$n", names[random.index(names.len())], 1).replace("$t", &time.to_string());
    text = text.replace("$d", &format!("1970-01-01T{:02}:{:02}:{:02}Z", *time / 3600, *time / 60 % 60, *time % 60));
    // The first values are the usual ones.
    while let Some(at) = text.find("$v") {
        let value = if random.one_in(8) { random.pick(values) } else { random.pick(&values[..4]) };
        text.replace_range(at..at + 2, value);
    }
    text
}

/// A way to write logs.
struct Notation {
    format: Format,
    begin: &'static str,
    end: &'static str,
    statements: &'static [&'static str],
    values: &'static [&'static str],
}

const NOTATIONS: [Notation; 4] = [
    Notation {
        format: Format::Ndjson,
        begin: "",
        end: "",
        statements: &[
            "{\"event\": \"$n\", \"time\": $t, \"i\": $v}\n",
            "{\"time\":$t,\"event\":\"$n\",\"user\":{\"id\":$v,\"name\":$v},\"tags\":[$v,$v],\"z\":$v}\n",
            "{\"time\":$t,\"event\":\"$n\",\"user\":{\"id\":$v,\"name\":{\"a\":$v,\"b\":[$v]}},\"i\":$v}\r\n",
            "{\"name\": \"$n\", \"time\": $t, \"user\": $v}\n",
            " {\"event\":\"$n\",\"time\":\"$t\",\"user\":{\"a\":{}},\"x\":{},\"i\":$v} \n",
            "{\"time\": $t, \"name\": $v, \"event\": \"$n\", \"l\": [{\"a\":$v},{\"a\":$v}]}\n",
            "{\"event\":\"$n\",\"time\":$t,\"i\":$v,\"i\":$v}\n",
            "{\"event\":\"$n\",\"t\\u0069me\":$t,\"i\":$v}\n",
            "{\"event\":\"$n\",\"time\":$t,\"i\":$v}\n\n",
        ],
        values: &[
            "1",
            "12345678",
            "\"abc\"",
            "\"a longer text, \\\"quoted\\\"\"",
            "-3",
            "0",
            "-0.5",
            "1e3",
            "12345678901234567890",
            "\"\"",
            "\"\u{E9}t\u{E9}\"",
            "\"\\u0041\"",
            "true",
            "false",
            "null",
            "[]",
            "{}",
            "{\"q\":1}",
            "01",
            "tru",
            "\"a\tb\"",
            "1.",
            "\"x",
            "\"\\x\"",
            "1e400",
        ],
    },
    Notation {
        format: Format::Xes,
        begin: "<log>\n  <trace>\n",
        end: "  </trace>\n</log>\n",
        statements: &[
            "    <event>\n      <string key=\"concept:name\" value=\"$n\"/>\n      <date key=\"time:timestamp\" value=\"$d\"/>\n      <int key=\"i\" value=\"$v\"/>\n    </event>\n",
            "    <event>\n      <date key=\"time:timestamp\" value=\"$d\"/>\n      <string key=\"concept:name\" value=\"$n\"/>\n      <string key=\"user\" value=\"$v\"/>\n      <string key=\"z\" value=\"$v\"/>\n    </event>\n",
            "<event><string key=\"concept:name\" value=\"$n\"/><date key=\"time:timestamp\" value=\"$d\"/><int key=\"i\" value=\"$v\"/><int key=\"i\" value=\"$v\"/></event>\n\t",
            "<event><string key=\"concept:name\" value=\"$n\"/><date key=\"time:timestamp\" value=\"$d\"/></event>",
            "<event>\n<string key=\"concept:name\" value=\"$n\"/><!-- $v --><date key=\"time:timestamp\" value=\"$d\"/></event>\n",
            "<event>\n<string key=\"user\" value=\"$v\"/><date key=\"time:timestamp\" value=\"$d\"/></event>\n",
            "<event>\n<string key=\"concept:name\" value=\"$n\"/>\n</event>\n",
            "  </trace>\n  <trace>\n    <string key=\"concept:name\" value=\"$v\"/>\n",
        ],
        values: &[
            "1",
            "12345678",
            "abc",
            " a longer text ",
            "\u{E9}t\u{E9}",
            "a &amp; b",
            "",
            "-1.5",
            "a\nb",
            "a'b",
            "&x;",
            "<",
            "1e400",
            "\"",
        ],
    },
    Notation {
        format: Format::Xml,
        begin: "<log>\n",
        end: "</log>\n",
        statements: &[
            "<event>\n  <name>$n</name>\n  <field>\n    <name>time</name>\n    <value>$t</value>\n  </field>\n  <field>\n    <name>i</name>\n    <value>$v</value>\n  </field>\n</event>\n",
            "<event>\n  <field>\n    <name>time</name>\n    <value>$t</value>\n  </field>\n  <field>\n    <name>user</name>\n    <value>$v</value>\n  </field>\n  <name>$n</name>\n</event>\n\t",
            "<event><name>$n</name><field><name>time</name><value>$t</value></field><field><name>z</name><value>$v</value></field><field><name>z</name><value>$v</value></field></event>\n",
            "<event><name>$n</name><field><name>time</name><value>$t</value></field></event>",
            "<event><name>$n</name><!-- $v --><field><name>time</name><value>$t</value></field></event>\n",
        ],
        values: &[
            "1",
            "12345678",
            "abc",
            "a longer text",
            " blanks ",
            "\u{E9}t\u{E9}",
            "a &amp; b",
            "",
            "-1.5",
            "a\nb",
            "&x;",
            "<",
            "1e400",
        ],
    },
    Notation {
        format: Format::Csv,
        begin: "event, time, i, user, z\n",
        end: "",
        statements: &[
            "$n,$t,$v\n",
            "$n, $t, $v, $v\n",
            "$n, $t, , $v, $v\r\n",
            "$n,  $t\n",
            "\"$n\", $t, $v\n",
            "\n$n,$t\n",
        ],
        values: &[
            "1",
            "12345678",
            "abc",
            "a longer text",
            "\u{E9}t\u{E9}",
            "\"a, b\"",
            "\"a\nb\"",
            "",
            "-1.5",
            "a\"b",
            "1e400",
            "1,2,3,4",
        ],
    },
];

/// Generates a log of a notation; every other one is damaged in one byte.
fn log(random: &mut Random, notation: &Notation) -> Vec<u8> {
    let mut time = 0;
    let mut text = notation.begin.to_owned();
    let first = notation.statements[0].replace("$n", "tick").replace("$t", "0").replace("$d", "1970-01-01T00:00:00Z");
    text += &first.replace("$v", "1");
    // A log has few statements, so that shapes occur again.
    let own: Vec<&str> = (0..3).map(|_| *random.pick(notation.statements)).collect();
    let values = if random.one_in(2) { &notation.values[..4] } else { notation.values };
    for _ in 0..random.between(5, 60) {
        text += &row(random, &own, values, &mut time);
    }
    let mut text = (text + notation.end).into_bytes();
    if random.one_in(2) {
        let at = random.index(text.len());
        text[at] = *random.pick(b"\"{}[],:<>/&\\ \n0ax\xC3\t");
    }
    text
}

#[test]
fn rows_of_known_shapes_are_read_as_the_parser_reads_them() {
    let mut random = Random::new(41);
    for notation in &NOTATIONS {
        for wanted in
            [setup(&[], &["pay"], &["i", "user"]), setup(&["all"], &["pay"], &["i", "user", "z"]), setup(&[], &[], &[])]
        {
            for _ in 0..120 {
                let text = log(&mut random, notation);
                let (known, parsed) = (
                    read_all(notation.format, &text, &wanted, usize::MAX),
                    read_all(notation.format, &text, &wanted, 1),
                );
                assert_eq!(known, parsed, "{}", String::from_utf8_lossy(&text));
            }
        }
    }
}

#[test]
fn runs_are_the_events_that_are_read_one_by_one() {
    let mut random = Random::new(42);
    for notation in &NOTATIONS {
        for wanted in [setup(&[], &["pay"], &["i", "user"]), setup(&[], &[], &[])] {
            for _ in 0..60 {
                let text = log(&mut random, notation);
                let alone = origins(notation.format, &text, &wanted, false);
                assert_eq!(origins(notation.format, &text, &wanted, true), alone, "{}", String::from_utf8_lossy(&text));
            }
        }
    }
}
