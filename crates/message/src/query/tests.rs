// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queries on values, and syntax errors.

use gnomon_core::value::Value;

use super::*;
use crate::JsonMessage;

const ORDER: &str = r##"{
    "order": {"@id": 7, "user": {"name": "ann", "#text": "x"}, "items": {"item": [
        {"@sku": "a", "price": 3, "tag": ["new", "red"]}, {"@sku": "b", "price": 5}]}},
    "ns:note": "hello", "a/b": {"m~n": [10, 20]}, "empty": null
}"##;

fn ask(query: &Query) -> String {
    let json = JsonMessage::parse(ORDER).unwrap();
    let root: Value<'_> = json.value().clone();
    query.find(&root).map_or("-".to_owned(), |value| value.to_string())
}

#[test]
fn steps_of_every_kind() {
    for (query, found) in [
        ("order/user/name", "\"ann\""),
        ("/order/user/name", "\"ann\""),
        ("x:order/y:user/name", "\"ann\""),
        ("order/@id", "7"),
        ("order/user/text()", "\"x\""),
        ("order/user/name/text()", "\"ann\""),
        ("order/items/item/price", "[3, 5]"),
        ("order/items/item[2]/price", "5"),
        ("order/items/item[3]/price", "-"),
        ("order/items/item/0/price", "-"),
        ("order/items/item[@sku='b']/price", "5"),
        ("order/items/item[ price = \"3\" ]/@sku", "\"a\""),
        ("order/items/item[price='4']", "-"),
        ("order/items/item[tag='red']/price", "3"),
        ("order/items/item[@sku='b'][1]/price", "5"),
        ("//price", "[3, 5]"),
        ("//item[1]/price", "3"),
        ("order//name", "\"ann\""),
        ("//order//item//price", "[3, 5]"),
        ("//@sku", "[\"a\", \"b\"]"),
        ("order/*/item[2]/price", "5"),
        ("note", "\"hello\""),
        ("empty", "null"),
        ("missing/part", "-"),
        ("note/part", "-"),
        ("#/a~1b/m~0n/1", "20"),
        ("#/order/items/item/1/price", "5"),
        ("#/order/items/item/2", "-"),
        ("#/order/nothing", "-"),
    ] {
        let parsed = Query::parse(query).unwrap();
        assert_eq!((ask(&parsed).as_str(), parsed.to_string().as_str()), (found, query), "{query}");
    }
    assert_eq!(ask(&Query::pointer("/order/@id").unwrap()), "7");
    assert!(ask(&Query::pointer("").unwrap()).starts_with("{\"order\": "));
    assert!(ask(&Query::parse("#").unwrap()).starts_with("{\"order\": "));
}

#[test]
fn texts_that_are_no_queries() {
    for (text, at) in [
        ("", 0),
        ("/", 1),
        ("//", 2),
        ("a/", 2),
        ("a//", 3),
        ("a///b", 3),
        ("a b", 2),
        ("a[", 2),
        ("a[0]", 2),
        ("a[1", 3),
        ("a[b]", 3),
        ("a[b=v]", 4),
        ("a[b='v]", 4),
        ("a[*='v']", 3),
        ("a]", 1),
        ("..", 0),
        ("a/..", 2),
        (".", 0),
        ("count(a)", 0),
        ("ancestor::a", 0),
        ("@", 1),
        ("@@a", 1),
        (":", 0),
        ("#a", 1),
        ("#/a~2", 3),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.at(), at, "{text}: {error}");
    }
    assert!(Query::parse(&"a/".repeat(1000)).is_err());
    assert!(Query::pointer(&"/a".repeat(1000)).is_err());
    assert!(Query::pointer("a").is_err());
}
