// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captured messages: judged by their names and what is inside, listed, converted.

use std::fs;

use serde_json::{Value, json};

use crate::support::{TestFolder, fenced, root};

#[test]
fn the_page_about_messages_is_accurate() {
    let page = fs::read_to_string(root().join("docs/messages.md")).unwrap();
    let (spec, capture) = (fenced(&page, "rv")[0].clone(), fenced(&page, "messages")[0].clone());
    let folder = TestFolder::with(&[("shop.rv", &spec), ("capture.ndjson", &capture), ("capture.log", &capture)]);
    let violation = fenced(&page, "text")[0].clone();
    let output = folder.run(&["check", "shop.rv", "capture.ndjson"]);
    assert!(output.stdout.contains(&violation), "{}", output.stdout);
    for arguments in [
        &["check", "shop.rv", "capture.log"][..],
        &["check", "shop.rv", "capture.ndjson", "--format", "messages"],
        &["check", "shop.rv", "capture.ndjson", "--reference"],
    ] {
        let output = folder.run(arguments);
        assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{arguments:?}: {}", output.stdout);
        assert!(output.stdout.contains("violation[paid]: ") && output.stdout.contains("id = 7\n"), "{}", output.stdout);
    }
}

#[test]
fn the_messages_of_a_capture_are_listed_and_converted() {
    let page = fs::read_to_string(root().join("docs/messages.md")).unwrap();
    let folder = TestFolder::with(&[("capture.ndjson", &fenced(&page, "messages")[0])]);
    let output = folder.run(&["events", "capture.ndjson"]);
    let expected = "\
capture.ndjson: 3 events, from 0 to 9 (field `time`)

  1  order
       id           number  7
       user/name    text    Ann
       time         number  0
       source       text    client
       destination  text    Shop
  1  charge
       type         text    charge
       order/id     number  7
       amount       number  12.5
       time         number  2
       source       text    Shop
       destination  text    Bank
  1  charged
       type         text    charged
       order/id     number  7
       time         number  9
       source       text    Bank
       destination  text    Shop
";
    assert_eq!((output.status, output.stdout.as_str()), (0, expected), "{}", output.stderr);
    let output = folder.run(&["convert", "capture.ndjson", "-", "--to", "ndjson"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let first: Value = serde_json::from_str(output.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(
        first,
        json!({"event": "order", "time": 0, "id": 7, "user": {"name": "Ann"}, "source": "client", "destination": "Shop"})
    );
    let output = folder.run(&["convert", "capture.ndjson", "out", "--to", "messages"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.starts_with("error[G0711]: the format messages can only be read\n"), "{}", output.stderr);
    let output = folder.run(&["generate", "capture.ndjson", "--format", "messages"]);
    assert_eq!(output.status, 2);
}

#[test]
fn a_broken_message_is_shown_with_its_place() {
    let capture = "{\"time\": 1, \"body\": \"<a/>\"}\n{\"time\": 2, \"body\": \"<a>\\u00e9</b>\"}\n";
    let folder = TestFolder::with(&[("any.rv", "soloist any { G(true) }\n"), ("capture.ndjson", capture)]);
    let output = folder.run(&["check", "any.rv", "capture.ndjson"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert_eq!(output.stderr, "error[G0520]: `</b>` is inside `<a>`\n --> capture.ndjson:2:31\n");
}
