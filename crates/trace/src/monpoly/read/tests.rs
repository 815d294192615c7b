// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads logs of `MonPoly`, in pieces of several sizes.

use crate::testing::{read, setup};
use crate::{Format, ReaderSetup};

fn monpoly(text: &str) -> String {
    monpoly_with(text, &ReaderSetup::default())
}

fn monpoly_with(text: &str, setup: &ReaderSetup) -> String {
    read(Format::Monpoly, text.as_bytes(), setup)
}

#[test]
fn time_points() {
    let plain = "0 start@1\n1 stop@12\n2 start@12\n3 start@12\n";
    for text in [
        "@1 start ()\n@12 stop () start ()()\n",
        "@1 start\n@12 stop start start\n",
        "# a log\n@1 start; # so it begins\n@12\n  stop (\"x\")\n  start (1,2)\n  (3 , 4);\n",
        "@1 start()@12 stop()start()()",
        "@0;\n@1 start(a)\r\n> get_pos <\n@12 \"stop\" start (\"a)b\", c-d.e:f) (\"\n\")\n@13",
        "@1.0 start # ()\n()\n@1.2e1 stop start start",
    ] {
        assert_eq!(monpoly(text), plain, "{text}");
    }
    assert_eq!(monpoly(""), "");
    assert_eq!(monpoly("@5\n@6;\n"), "");
    assert_eq!(monpoly("@-0.5 a\n@2024 b\n"), "0 a@-0.5\n1 b@2024\n");
}

#[test]
fn arguments() {
    let text = "@1 pay (\"ann\", 3) (bob, \"4\")\n@2 show (1.50,true,null,x)\n@3 pay\n@4 pay (a b)";
    assert_eq!(
        monpoly_with(&text[..text.len() - 10], &setup(&["pay"], &["show"], &["arg1", "arg2", "arg9", "time"])),
        "0 pay@1 arg1=\"ann\" arg2=3 time=1 (\"ann\", 3)\n1 pay@1 arg1=\"bob\" arg2=\"4\" time=1 (\"bob\", \"4\")\n\
         2 show@2 arg1=1.5 arg2=true time=2\n3 pay@3 time=3 ()\n"
    );
    assert!(monpoly(text).starts_with("G0524 4:11 found `b)` where `,` or `)` should be"), "{}", monpoly(text));
}

#[test]
fn a_declared_time_field_is_the_time() {
    let declared = ReaderSetup { time_field: Some("when".to_owned()), ..setup(&[], &["a"], &["when"]) };
    assert_eq!(monpoly_with("@7 a", &declared), "0 a@7 when=7\n");
}

#[test]
fn errors_have_a_location() {
    for (text, expected) in [
        ("start ()", "G0524 1:1 found `start` where a time point such as `@3` should be"),
        ("@1 a;\nb ()", "G0524 2:1 found `b` where a time point"),
        ("@1 (1)", "G0524 1:4 found `(1)` where a name in front of the tuple should be"),
        ("@1 a )", "G0524 1:6 found `)` where a name, `@` or `;` should be"),
        ("@1 a (1", "G0524 1:6 this tuple is not closed"),
        ("@1 a (1,)", "G0524 1:9 found `)` where a value should be"),
        ("@1 a (,1)", "G0524 1:7 found `,1)` where a value should be"),
        ("@1 a (1 2)", "G0524 1:9 found `2)` where `,` or `)` should be"),
        ("@1 a (\"x)", "G0524 1:7 this quote is not closed"),
        ("@1 \"a", "G0524 1:4 this quote is not closed"),
        ("@1 \"\"", "G0509 1:4 this event has no name"),
        ("@", "G0524 1:2 the input ends where the time should be"),
        ("@ (1)", "G0524 1:3 found `(1)` where the time should be"),
        ("@x a", "G0506 1:2 the time `x` is neither"),
        ("@1 a\n@99999999999999999999 a", "G0506 2:2 the time `99999999999999999999` is too large"),
        ("@1 a\n@2024-05-01 a", "G0507 2:2 "),
        ("@1 a > get_pos", "G0524 1:6 this command is not closed"),
        ("a, b\n", "G0524 1:1 found `a,` where a time point"),
    ] {
        let result = monpoly(text);
        assert!(result.starts_with(expected), "{text:?}: {result}");
    }
    let bytes = b"@1 a (\xFF)";
    assert_eq!(read(Format::Monpoly, bytes, &ReaderSetup::default()), "0 a@1\n");
    assert!(read(Format::Monpoly, bytes, &setup(&["a"], &[], &[])).starts_with("G0512 1:7 "));
}
