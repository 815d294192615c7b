// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads CSV, in pieces of several sizes.

use std::fmt::Write;

use gnomon_core::random::Random;

use crate::testing::{read, setup};
use crate::{Format, LogFormat, ReaderSetup};

fn csv(text: &str) -> String {
    csv_with(text, &ReaderSetup::default())
}

fn csv_with(text: &str, setup: &ReaderSetup) -> String {
    read(Format::Csv, text.as_bytes(), setup)
}

#[test]
fn names_and_times() {
    let plain = "0 start@1\n1 stop@12345678\n2 start@123456789012345\n";
    for text in [
        "event,time\nstart,1\nstop,12345678\nstart,123456789012345\n",
        "event, time\nstart, 1\nstop, 12345678\nstart, 123456789012345",
        "\u{FEFF}event, time\r\nstart, 1\r\nstop, 12345678\r\nstart, 123456789012345\r\n",
        "\n  \n event , time \n\n start , 1 \n\t\r\nstop ,12345678\nstart,  123456789012345\n\n",
        "time,event\n1,start\n12345678,stop\n123456789012345,start\n",
        "x, time, y, event, z\n, 1, a, start\n1, 12345678,, stop, \n 5,123456789012345,,start,7\n",
        "\"event\",\"time\"\n\"start\",\"1\"\n\"stop\",\"12345678\"\n\"start\",\"123456789012345\"\n",
        "name, Timestamp, ts\nstart, 1, 9\nstop, 12345678, x\nstart, 123456789012345,\n",
        "event, time\nstart, 1.0\nstop, 12345678\nstart, 1.23456789012345e14\n",
        "event, time\nstart, +1\nstop, 12345678\nstart, 0123456789012345\n",
    ] {
        assert_eq!(csv(text), plain, "{text}");
    }
}

#[test]
fn long_and_odd_names() {
    let names = [
        "UnsafeMapIterator.create",
        "exactly8",
        "exactly-sixteen!",
        "é",
        "a b",
        "x\0y",
        "\"a,b\"",
        "\"say \"\"no\"\"\"",
    ];
    let mut text = String::from("event,time\n");
    for round in 0..3 {
        for (index, name) in names.iter().enumerate() {
            writeln!(text, "{name},{}", round * names.len() + index).unwrap();
        }
    }
    let shown = csv(&text);
    assert_eq!(shown.lines().count(), 24);
    let last: Vec<&str> = shown.lines().skip(16).collect();
    assert_eq!(
        last,
        [
            "16 UnsafeMapIterator.create@16",
            "17 exactly8@17",
            "18 exactly-sixteen!@18",
            "19 é@19",
            "20 a b@20",
            "21 x\0y@21",
            "22 a,b@22",
            "23 say \"no\"@23"
        ]
    );
}

#[test]
fn date_times_and_fractions() {
    assert_eq!(
        csv("event,time\na,2024-05-01T12:30:00.25+02:00\nb,2024-05-01 10:31\nb, 2024-05-02 \n"),
        "0 a@2024-05-01T10:30:00.25Z\n1 b@2024-05-01T10:31:00Z\n2 b@2024-05-02T00:00:00Z\n"
    );
    assert_eq!(csv("event,time\na,0.5\na,-2.25\na,7\n"), "0 a@0.5\n1 a@-2.25\n2 a@7\n");
}

#[test]
fn without_a_time_the_place_is_the_time() {
    assert_eq!(csv("event\na\nb\na\n\nb"), "0 a@0\n1 b@1\n2 a@2\n3 b@3\n");
    assert_eq!(csv("x,event,y\n1,a\n2,b,3\n"), "0 a@0\n1 b@1\n");
    assert_eq!(csv("event, when\na,\nb, 7\n"), "0 a@0\n1 b@1\n");
}

#[test]
fn empty_traces() {
    for text in ["", "\n\n", "event,time\n", "event, time", "\u{FEFF}", "  "] {
        assert_eq!(csv(text), "", "{text:?}");
    }
}

#[test]
fn fields_of_a_table() {
    let text = "event, time, user, n\npay, 1, ann, 3\npay, 2, , 2.50\nshow, 3, bob, 1\npay, 4, \"x, \"\"y\"\"\nz\", true\npay, 5\npay,6,,\npay,7,null,\"12\"\n";
    assert_eq!(
        csv_with(text, &setup(&["pay"], &["show"], &["n", "user"])),
        "0 pay@1 n=3 user=\"ann\" (\"ann\", 3)\n1 pay@2 n=2.5 (null, 2.5)\n2 show@3 n=1 user=\"bob\"\n\
         3 pay@4 n=true user=\"x, \\\"y\\\"\\nz\" (\"x, \\\"y\\\"\\nz\", true)\n4 pay@5 ()\n5 pay@6 ()\n\
         6 pay@7 n=12 user=null (null, 12)\n"
    );
    assert_eq!(
        csv_with(text, &setup(&[], &["show"], &["user", "time", "event", "absent"])),
        "0 pay@1\n1 pay@2\n2 show@3 user=\"bob\" time=3\n3 pay@4\n4 pay@5\n5 pay@6\n6 pay@7\n"
    );
}

#[test]
fn cells_of_digits() {
    let text = "event,time,i,j\na,1,0,x\na,2, 7,007\na,3,7 , 7\r\na,4,  7,7x\na,5,123456789012345,1234567890123456\n\
                a,6,-1,+1\na,7,\"7\",1.0\na,8,,7\na,9,99999999\na,10,7";
    let shown = "0 a@1 i=0 j=\"x\"\n1 a@2 i=7 j=7\n2 a@3 i=7 j=7\n3 a@4 i=7 j=\"7x\"\n\
                 4 a@5 i=123456789012345 j=1234567890123456\n5 a@6 i=-1 j=1\n6 a@7 i=7 j=1\n7 a@8 j=7\n\
                 8 a@9 i=99999999\n9 a@10 i=7\n";
    assert_eq!(csv_with(text, &setup(&[], &["a"], &["i", "j"])), shown);
}

#[test]
fn cells_that_name_their_field() {
    let text = "start, tp=0, ts=5, u=ann\nstop, ts = 7 ,\"u=b, c\", n=\nstart, ts=8\nstart,u=a,u=b,ts=9,n=,m=1\n";
    assert_eq!(csv(text), "0 start@5\n1 stop@7\n2 start@8\n3 start@9\n");
    assert_eq!(
        csv_with(text, &setup(&["start"], &["stop"], &["u"])),
        "0 start@5 u=\"ann\" (0, \"ann\")\n1 stop@7 u=\"b, c\"\n2 start@8 ()\n3 start@9 u=\"b\" (\"b\", null, 1)\n"
    );
    assert_eq!(csv("a, x=1\nb\na, x=2\n"), "0 a@0\n1 b@1\n2 a@2\n");
    assert_eq!(csv("name, x=1, time=4\n"), "0 name@4\n");
    assert_eq!(csv_with("a, x==1\n", &setup(&["a"], &[], &["x"])), "0 a@0 x=\"=1\" (\"=1\")\n");
}

#[test]
fn unwanted_fields_change_nothing() {
    let text = "event,time,a,b,c\nx,1,1,2,3\ny,2,\"q\"\"\n\",,\nx,3,,\nz,4,1,2,3\nx,5\ny,6,7,8,9\n";
    let strip = |text: String| {
        text.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n")
    };
    let plain = strip(csv(text));
    for setup in
        [setup(&["x"], &["y"], &["b"]), setup(&["x", "y", "z"], &[], &[]), setup(&[], &["x", "z"], &["a", "c", "time"])]
    {
        assert_eq!(strip(csv_with(text, &setup)), plain);
    }
}

#[test]
fn a_declared_time_field() {
    let declared = |field: &str| ReaderSetup { time_field: Some(field.to_owned()), ..ReaderSetup::default() };
    assert_eq!(csv_with("event, time, when\na, 1, 5\n", &declared("when")), "0 a@5\n");
    assert_eq!(csv_with("a, time=1, when=5\n", &declared("when")), "0 a@5\n");
    for text in ["event, time, When\na, 1, 5\n", "a, time=1, When=5\n"] {
        let error = csv_with(text, &declared("when"));
        assert!(error.starts_with("G0504 1:1 the trace has no field `when`"), "{error}");
    }
}

#[test]
fn errors_have_a_location() {
    for (text, expected) in [
        (
            "start, 1\nstop, 2\n",
            "G0503 1:1 the first line, `start, 1`, is not a header: no cell of it is `event` or `name`",
        ),
        ("Event, time\n", "G0503 1:1 "),
        ("<log>\n", "G0503 1:1 "),
        ("\n\u{0}\u{1}\n", "G0503 2:1 "),
        ("event, time\na,\n", "G0505 2:3 this event has no time"),
        ("event, time\na, 1\na\n", "G0505 3:1 this event has no time"),
        ("a, time=1\na, x=1\n", "G0505 2:1 this event has no time"),
        ("a, x=1\nb, time=1\n", "G0505 2:9 this event has a time"),
        ("event, time\na, 1\na, 1x\n", "G0506 3:4 the time `1x` is neither a number nor"),
        ("event, time\né, \"1\n2\"\n", "G0506 2:5 the time `1\\n2` is neither"),
        ("event, time\na, 1e30\n", "G0506 2:4 the time `1e30` is too large"),
        ("event, time\na, 0.0000000001\n", "G0506 2:4 the time `0.0000000001` is finer"),
        ("event, time\na, 99999999999999999999\n", "G0506 2:4 "),
        ("event, time\na, 1\na, 2024-05-01\n", "G0507 3:4 the time `2024-05-01` is a date-time"),
        ("event, time\na, 2024-05-01\na, 1\n", "G0507 3:4 the time `1` is a number"),
        ("event, time\n, 1\n", "G0509 2:1 this event has no name"),
        ("event, time\n\"\", 1\n", "G0509 2:2 this event has no name"),
        ("time, event\n1\n", "G0509 2:1 this event has no name"),
        ("event, time\na, 1\na, 2, 3\n", "G0510 3:6 this row has more cells than the header, which has 2"),
        ("event, time, x\na, 1\na, 2, 3, 4, 5\n", "G0510 3:9 this row has more cells"),
        ("event, time, x\na, 1,2\na, 2, 3, \n", "G0510 3:9 this row has more cells"),
        ("event, time, x\na, 1\na, 2, \"3\", 4\n", "G0510 3:11 this row has more cells"),
        ("event, time\na\"b, 1\n", "G0511 2:2 a quote inside a cell"),
        ("event, time, x\na, 1\na, 1, x\"y\"\n", "G0511 3:8 a quote inside a cell"),
        ("event, time, x\na, 1\na, 2, \"b\n\n\na, 3\n", "G0511 3:7 this quote is not closed"),
        ("event, time, x\na, 1, \"b\" c\n", "G0511 2:11 text follows the closing quote of a cell"),
        ("event, time, x\na, 1, \"b\nc\"d\n", "G0511 3:3 text follows the closing quote of a cell"),
        ("a, x=1\nb, y\n", "G0517 2:4 the cell `y` is not of the form"),
        ("event, time, time\na, 1, 2\n", "G0518 1:14 the column `time` occurs twice"),
        ("event, event\n", "G0518 1:8 the column `event` occurs twice"),
    ] {
        let result = csv(text);
        assert!(result.starts_with(expected), "{text:?}: {result}");
    }
    let wanted = setup(&[], &["a"], &["x"]);
    assert!(csv_with("event, x, x\n", &wanted).starts_with("G0518 1:11"));
    assert_eq!(csv("event, x, x\na, 1, 2\n"), "0 a@0\n");
}

#[test]
fn only_what_is_used_must_be_utf8() {
    let bytes = b"event, time, x\na, 1, \xFF\n\xFFb, 2, 1\n";
    let plain = read(Format::Csv, bytes, &ReaderSetup::default());
    assert!(plain.starts_with("G0512 3:1 the event name `\u{FFFD}b` is not UTF-8"), "{plain}");
    let wanted = read(Format::Csv, bytes, &setup(&["a"], &[], &[]));
    assert!(wanted.starts_with("G0512 2:7 the cell `\u{FFFD}` is not UTF-8"), "{wanted}");
    let later = read(Format::Csv, b"event, time, x\na, 0, 1\na, 1, \xFF\n", &setup(&[], &["a"], &["x"]));
    assert!(later.starts_with("G0512 3:7"), "{later}");
    assert_eq!(read(Format::Csv, b"event, time, x\na, 0\na, 1, \xFF\n", &ReaderSetup::default()), "0 a@0\n1 a@1\n");
}

#[test]
fn what_is_no_text_is_refused() {
    for bytes in [&b"\xFF\xFEe\0"[..], b"\xFE\xFF\0e"] {
        let result = read(Format::Csv, bytes, &ReaderSetup::default());
        assert!(result.starts_with("G0502 1:1"), "{result}");
    }
}

#[test]
fn a_row_has_an_end() {
    let mut bytes = b"event, x\na, \"".to_vec();
    bytes.resize(70 << 20, b'\n');
    let mut reader = crate::open(&bytes[..], "t.csv", None, ReaderSetup::default()).unwrap();
    let error = crate::Reader::advance(&mut reader).unwrap_err();
    assert_eq!((error.code(), error.line()), ("G0516", 2));
    let header = vec![b','; 200_000];
    let error = crate::open(&header[..], "t.csv", None, ReaderSetup::default()).err().unwrap();
    assert_eq!(error.code(), "G0510");
}

/// Every input made of a few odd pieces gives the same in whatever pieces it comes, and never a panic.
#[test]
fn hostile_pieces() {
    let pieces = ["a", "\"", "\"\"", ",", "\n", "\r", " ", "=", "1", "event", "\0", "\u{FF}", "time", "-", "."];
    let mut numbers = Random::new(7);
    let mut random = |below: usize| numbers.index(below);
    let setup = setup(&["a"], &["1"], &["time", "a"]);
    for _ in 0..3000 {
        let mut text = String::from(["", "event, time\n", "event,a,time\n", "a, a=1\n"][random(4)]);
        for _ in 0..random(24) {
            text += pieces[random(pieces.len())];
        }
        csv_with(&text, &setup);
    }
}

/// Rows that lie across the end of the buffer, wherever it falls.
#[test]
fn rows_across_the_end_of_the_buffer() {
    let mut text = String::from("event, time, x\n");
    let mut expected = String::new();
    let mut index = 0;
    while text.len() < 600 << 10 {
        let name = ["start", "a-name-of-twenty-one", "stop"][index % 3];
        writeln!(text, "{name}, {index}, {}", "x".repeat(index % 7)).unwrap();
        let field =
            if index % 7 > 0 && name == "stop" { format!(" x=\"{}\"", "x".repeat(index % 7)) } else { String::new() };
        writeln!(expected, "{index} {name}@{index}{field}").unwrap();
        index += 1;
    }
    assert_eq!(csv_with(&text, &setup(&[], &["stop"], &["x"])), expected);
}

#[test]
fn other_separators() {
    let wanted = setup(&["pay"], &[], &["user", "amount"]);
    let expected = "0 pay@1.5 user=\"ann, b\" amount=3 (\"ann, b\", 3)\n1 logon@2\n";
    for text in [
        "event;time;user;amount\npay;1.5;ann, b;3\nlogon;2;;\n",
        "event\ttime\tuser\tamount\r\npay\t1.5\t ann, b\t3\r\nlogon\t2\t\t\r\n",
        "\"event\" | time | user | amount\npay | 1.5 | \"ann, b\" | 3\n\nlogon|2\n",
        "event,time,user,amount,\"a;b;\n;c;d;e\"\npay,1.5,\"ann, b\",3\nlogon,2\n",
    ] {
        assert_eq!(csv_with(text, &wanted), expected, "{text:?}");
    }
    assert_eq!(csv_with("\"a;b;\nc\",time=1\n", &ReaderSetup::default()), "0 a;b;\nc@1\n");
    let by_column = ReaderSetup { event_field: Some("activity".to_owned()), ..ReaderSetup::default() };
    assert_eq!(csv_with("activity;time,x\na;1\n", &by_column), "0 a@0\n");
}

#[test]
fn tables_without_a_header() {
    let columns = |names: &[&str]| LogFormat::Csv(names.iter().map(|name| (*name).to_owned()).collect());
    for (text, separated) in [("logon,1,ann\npay,2,bob\n", ','), ("\nlogon; 1; ann\npay; 2; bob\n", ';')] {
        let log = Some(columns(&["event", "time", "user"]));
        let declared = ReaderSetup { log, ..setup(&[], &["pay"], &["user"]) };
        assert_eq!(csv_with(text, &declared), "0 logon@1\n1 pay@2 user=\"bob\"\n", "{separated}");
    }
    let unnamed = ReaderSetup { log: Some(columns(&["a", "b"])), ..ReaderSetup::default() };
    assert!(csv_with("1,2\n", &unnamed).starts_with("G0503 1:1 none of the declared columns"));
}
