// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon plan`: the fields by which a trace can be partitioned.

use serde_json::{Value, json};

use crate::support::TestFolder;

const SPEC: &str = "\
event login(user)
event logout(user)
event pay(user, item)
mtl served { forall u. G(login(u) -> F[0,10] logout(u)) }
mtl audited { forall u. G(login(u) -> F audit) }
soloist calm { G(!alarm) }
mtl unnamed { forall u. G(open(u) -> F close(u)) }
pattern once { for every u: globally: at most 1 login(u) }
nomad shipped { P(start(order) | O[0,5] done(ship)) / {{order.id, ship.id}} }
";

fn plan(arguments: &[&str]) -> (i32, String) {
    let folder = TestFolder::with(&[("shop.rv", SPEC)]);
    let output = folder.run(&[&["plan", "shop.rv"], arguments].concat());
    assert_eq!(output.stderr, "");
    (output.status, output.stdout)
}

fn keys(arguments: &[&str]) -> Value {
    let (status, text) = plan(&[arguments, &["--format", "json"]].concat());
    assert!(status < 2, "{text}");
    serde_json::from_str(&text).expect("the answer is JSON")
}

#[test]
fn a_key_with_its_reason() {
    let (status, text) = plan(&["--property", "served", "--property", "audited"]);
    assert_eq!(status, 0);
    let expected = "\
served (mtl)
  as one trace: by `user`
    every event that it mentions has `u`, in the field `user`
    shop.rv:4:13
    each part must know the last event of the whole trace
audited (mtl)
  as one trace: no
    it relates different values of `u`: `audit` has no place for `u`, so such an event concerns them all
    shop.rv:5:41

all properties: no field

This is about a trace as one trace. `gnomon check --by FIELD` checks every case separately.
";
    assert_eq!(text, expected);
}

#[test]
fn keys_for_programs() {
    let found = keys(&["--property", "served"]);
    let property = &found["properties"][0];
    assert_eq!((&property["property"], &property["language"]), (&json!("served"), &json!("mtl")));
    let key = json!({
        "variable": "u",
        "field": "user",
        "places": [{"event": "login", "field": "user"}, {"event": "logout", "field": "user"}],
        "told": ["last"],
        "without": "ignored",
    });
    assert_eq!(property["keys"], json!([key]));
    assert_eq!(property["reasons"][0]["kind"], json!("bound"));
    assert_eq!(found["fields"], json!(["user"]));
    assert_eq!(found.get("by"), None);
}

#[test]
fn one_field_can_be_queried() {
    let names = ["served", "audited", "calm", "unnamed", "once", "shipped"];
    let answers: Vec<(i32, Value)> = names
        .iter()
        .map(|name| {
            let (status, _) = plan(&["--property", name, "--by", "user"]);
            let found = keys(&["--property", name, "--by", "user"]);
            (status, found["by"]["refused"][0]["kind"].clone())
        })
        .collect();
    let refused = |kind: &str| (1, json!(kind));
    let expected = [
        (0, Value::Null),
        refused("relates-keys"),
        refused("no-variables"),
        refused("positional"),
        (0, Value::Null),
        refused("other-field"),
    ];
    assert_eq!(answers, expected);
}

#[test]
fn required_bounds_of_a_part_are_listed() {
    let found = keys(&[]);
    let bounds = |index: usize| found["properties"][index]["keys"][0]["told"].clone();
    assert_eq!([bounds(0), bounds(4), bounds(5)], [json!(["last"]), json!(["first", "last"]), json!(["last"])]);
    let rule = &found["properties"][5]["keys"][0];
    assert_eq!((&rule["field"], &rule["without"]), (&json!("id"), &json!("refused")));
    assert_eq!(found["properties"][3]["keys"][0]["places"][0], json!({"event": "close", "parameter": 0}));
}
