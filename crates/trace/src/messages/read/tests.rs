// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads captured messages, in pieces of several sizes.

use crate::message::{Adapter, FieldQuery, Query};
use crate::testing::{read, setup};
use crate::{Format, ReaderSetup};

const CAPTURE: &str = r#"{"time": 1, "source": "ann", "destination": "shop", "body": "<s:Envelope xmlns:s=\"u\"><s:Body><p:getProduct><user><name>Ann \u00e9</name></user><n>3</n></p:getProduct></s:Body></s:Envelope>"}
{"body": {"type": "found", "n": 3, "source": "inner", "user": {"name": "Ann"}}, "time": 2, "destination": "ann", "service": "shop"}

{"time": 3, "body": "{\"operation\": \"bye\", \"n\": [1, 2]}", "source": null}
"#;

fn messages(text: &str, setup: &ReaderSetup) -> String {
    read(Format::Messages, text.as_bytes(), setup)
}

#[test]
fn names_times_and_fields() {
    assert_eq!(messages(CAPTURE, &ReaderSetup::default()), "0 getProduct@1\n1 found@2\n2 bye@3\n");
    assert_eq!(
        messages(CAPTURE, &setup(&["getProduct", "found", "bye"], &[], &["n", "source"])),
        "0 getProduct@1 n=3 source=\"ann\" ({\"name\": \"Ann é\"}, 3, \"ann\", \"shop\")\n\
         1 found@2 n=3 source=\"inner\" (\"found\", 3, \"inner\", {\"name\": \"Ann\"}, \"ann\", \"shop\")\n\
         2 bye@3 n=[1, 2] source=null (\"bye\", [1, 2], null)\n"
    );
    assert_eq!(
        messages(CAPTURE, &setup(&[], &["found", "getProduct"], &["user", "destination", "time", "x"])),
        "0 getProduct@1 user={\"name\": \"Ann é\"} destination=\"shop\" time=1\n\
         1 found@2 user={\"name\": \"Ann\"} destination=\"ann\" time=2\n2 bye@3\n"
    );
}

#[test]
fn the_capture_counts_before_the_body() {
    let text = r#"{"body": {"type": "a", "source": 1, "time": 9, "id": 2}, "source": 3, "id": 4, "id": 5}"#;
    assert_eq!(messages(text, &setup(&["a"], &[], &["source", "id"])), "0 a@0 source=3 id=5 (\"a\", 9, 3, 5)\n");
}

#[test]
fn queries_of_the_setup_are_asked() {
    let query = |text: &str| Query::parse(text).unwrap();
    let messages = Adapter {
        name: Some(query("user/name")),
        fields: vec![FieldQuery { message: None, field: "who".to_owned(), query: query("//name") }],
        service: Some(query("n")),
        ..Adapter::default()
    };
    let setup = ReaderSetup { messages, ..setup(&[], &["Ann", "bye"], &["who", "service", "n"]) };
    assert_eq!(
        read(Format::Messages, CAPTURE.as_bytes(), &setup),
        "0 Ann é@1\n1 Ann@2 who=\"Ann\" service=\"shop\" n=3\n2 bye@3 service=[1, 2] n=[1, 2]\n"
    );
}

#[test]
fn faults_have_a_place() {
    let all = ReaderSetup::everything();
    for (line, place) in [
        ("x", "G0514 1:1"),
        ("{\"time\": 1}", "G0720 1:1"),
        ("{\"body\": 3}", "G0721 1:10"),
        ("{\"body\": \"hello\"}", "G0721 1:10"),
        ("{\"body\": \"\"}", "G0721 1:10"),
        ("{\"body\": [1]}", "G0721 1:10"),
        ("{\"body\": {}}", "G0509 1:10"),
        ("{\"body\": {\"n\": }}", "G0513 1:16"),
        ("{\"body\": \"{\\\"n\\\": }\"}", "G0513 1:19"),
        ("{\"body\": \"<a>\\n</b>\"}", "G0520 1:16"),
        ("{\"body\": \"<Envelope><Body/></Envelope>\"}", "G0721 1:21"),
        ("{\"body\": \"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>\"}", "G0521 1:11"),
        ("{\"body\": \"<a>&lol;</a>\"}", "G0521 1:14"),
        ("{\"time\": \"x\", \"body\": \"<a/>\"}", "G0506 1:10"),
    ] {
        let shown = messages(line, &all);
        assert!(shown.starts_with(&format!("{place} ")), "{line}: {shown}");
        assert!(messages(line, &ReaderSetup::default()).starts_with(&place[..5]), "{line}");
    }
    let second = "{\"time\":1,\"body\":\"<a/>\"}\n{\"body\":\"<a/>\"}\n";
    assert!(messages(second, &all).starts_with("G0505 2:1 "));
    let late = "{\"body\":\"<a/>\"}\n{\"time\":1,\"body\":\"<a/>\"}\n";
    assert!(messages(late, &all).starts_with("G0505 2:9 "), "{}", messages(late, &all));
}
