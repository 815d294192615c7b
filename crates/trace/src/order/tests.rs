// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time that goes back, refused and put right.

use crate::testing::{setup, transcript};
use crate::{OrderPolicy, OrderedReader, Reader, ReaderSetup, open};
use gnomon_core::time::Duration;

fn ordered(text: &str, order: OrderPolicy, setup: ReaderSetup) -> OrderedReader<crate::AnyReader<'_>> {
    OrderedReader::new(open(text.as_bytes(), "t.csv", None, setup).unwrap(), order)
}

fn within(units: i128) -> OrderPolicy {
    OrderPolicy::Within(Duration::from_ticks(units * 1_000_000_000))
}

#[test]
fn time_that_goes_back_names_both_events() {
    let mut reader = ordered("event, time\na, 1\nb, 5\n\nb, 5\nc, 4\n", OrderPolicy::Strict, ReaderSetup::default());
    let error = transcript(&mut reader).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.csv:6:1: time goes back: event 3 (`c` at 4, line 6) is earlier than event 2 (`b` at 5, line 5) before it"
    );
    assert_eq!(error.code(), "G0508");
    assert!(error.help().unwrap().contains("`--reorder 1`"));
    let mut reader =
        ordered("event, time\na, 2024-05-02\nb, 2024-05-01\n", OrderPolicy::Strict, ReaderSetup::default());
    assert!(transcript(&mut reader).unwrap_err().help().unwrap().contains("`--reorder 86400s`"));
}

#[test]
fn equal_times_keep_their_order() {
    let text = "event, time\na, 1\nb, 1\nc, 1\n";
    for order in [OrderPolicy::Strict, within(0), within(5)] {
        let mut reader = ordered(text, order, ReaderSetup::default());
        assert_eq!(transcript(&mut reader).unwrap(), "0 a@1\n1 b@1\n2 c@1\n");
    }
}

#[test]
fn events_are_sorted_within_the_delay() {
    let text = "event, time, x\na, 1, p\nb, 5, q\nc, 3,\nd, 5, r\ne, 9, s\nf, 4, t\ng, 5\nh, 3, late\n";
    let mut reader = ordered(text, within(5), setup(&["c", "d", "g"], &["a", "f"], &["x"]));
    assert_eq!(
        transcript(&mut reader).unwrap(),
        "0 a@1 x=\"p\"\n2 c@3 ()\n5 f@4 x=\"t\"\n1 b@5\n3 d@5 x=\"r\" (\"r\")\n6 g@5 ()\n4 e@9\n"
    );
    let late = reader.late().unwrap();
    assert_eq!(late.count, 1);
    let first = late.first[0];
    assert_eq!((first.origin.event_index, first.location.line, first.behind.ticks()), (7, 9, 6_000_000_000));
}

#[test]
fn the_place_is_that_of_the_event() {
    let mut reader = ordered("event, time\na, 2\nb, 1\n", within(9), ReaderSetup::default());
    let mut lines = Vec::new();
    while reader.advance().unwrap().is_some() {
        lines.push(reader.location().line);
    }
    assert_eq!(lines, [3, 2]);
    assert!(reader.advance().unwrap().is_none());
}

#[test]
fn late_events_are_counted_but_not_all_kept() {
    let mut text = String::from("event, time\na, 1000\n");
    text += &"a, 1\n".repeat(50);
    let mut reader = ordered(&text, within(10), ReaderSetup::default());
    assert_eq!(transcript(&mut reader).unwrap(), "0 a@1000\n");
    let late = reader.late().unwrap();
    assert_eq!((late.count, late.first.len()), (50, 10));
}
