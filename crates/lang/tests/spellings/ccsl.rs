// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spellings of clock constraints.

use gnomon_ir::{Body, Property};
use gnomon_lang::ccsl;

use crate::forget::forget_property;

fn read(body: &str) -> Property {
    let mut property = crate::property(&format!("ccsl p {{ {body} }}"));
    forget_property(&mut property);
    property
}

#[test]
fn spellings_of_one_property() {
    for spellings in [
        &["a < b", "a<b", "\"a\" < \"b\"", "a < b // before\n", "// before\na < b"][..],
        &["a <= b", "a ≤ b"],
        &["a <[3] b", "a < [ 3 ] b"],
        &["a # b", "\n# a comment\n  # another\n#\na # b", "a#b"],
        &["a subclock b a = b a ~ b", "a subclock b\na=b\na~b"],
        &["clock c := a + b c < d", "c < d clock c:=a+b"],
        &["clock c := a every 3 from 1 c < d", "clock c := a every 3 (from 1) c < d"],
        &["clock c := a $ 1 c < d", "clock c := a $1\nc < d"],
        &["clock c := a $ 2 on b", "clock c := a$2 on b"],
        &["clock c := a filter 0(10)", "clock c := a filter 0 ( 10 )"],
        &["clock c := inf(a, b) clock d := sup(c, b)", "clock c := inf ( a , b )\nclock d := sup ( c,b )"],
        &["clock c := a - b", "clock c := a − b"],
    ] {
        let plain = read(spellings[0]);
        for other in spellings {
            assert_eq!(read(other), plain, "{other}");
        }
        let printed = ccsl::print(&plain);
        let mut again = crate::property(&printed);
        forget_property(&mut again);
        assert_eq!(again, plain, "{printed}");
    }
}

#[test]
fn names_that_are_words_of_the_language_are_quoted() {
    let property = read("clock \"wait\" := \"on\" $ 1 on \"every\" \"wait\" < \"a b\" \"clock\" # \"event\"");
    let printed = ccsl::print(&property);
    let mut again = crate::property(&printed);
    forget_property(&mut again);
    assert_eq!(again, property, "{printed}");
    let Body::Clocks(clocks) = &property.body else { panic!("{property:?}") };
    assert_eq!((clocks.definitions.len(), clocks.relations.len()), (1, 2));
}

#[test]
fn a_hash_is_a_comment_outside_of_the_block() {
    let source = "# before\nccsl p \"title\" (severity high, critical) { a # b } # behind }\nmtl q { G a # not an operator }\n }\nevent a # { \n";
    let (spec, diagnostics) = gnomon_lang::parse(source);
    assert_eq!(diagnostics, []);
    assert_eq!((spec.properties.len(), spec.events.len()), (2, 1));
}
