// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spellings of logic plug-ins.

use gnomon_ir::{Body, Property};
use gnomon_lang::mop;

use crate::forget::forget_property;

fn read(body: &str) -> Property {
    let mut property = crate::property(&format!("mop p {{ {body} }}"));
    forget_property(&mut property);
    property
}

#[test]
fn spellings_of_one_property() {
    let events = "parameters x events a(x), b(x), c(x)";
    for spellings in [
        &["ere: a b | c & a*", "ere:((a b)|(c&(a*)))", "ere : (a b) | c & (a)*"][..],
        &["ere: ~a* b", "ere: (~(a*)) b"],
        &["ere: a^2 b? c+", "ere: (a)^2 (b)? (c)+"],
        &["fsm: s [ a -> s b -> t default s ] t [ ]", "fsm: s[a->s, b->t, default -> s,] t[]"],
        &["fsm: s [ ] alias q = s fail", "fsm: s [ ] alias q = s, fail"],
        &["cfg: S -> a S | epsilon, T -> b", "cfg: S -> (a S) | (epsilon), T -> b,"],
        &["ltl: [] a and b or not c", "ltl: (([] a) && b) || !c"],
        &["ltl: [] a => b", "ltl: ([] a) -> b"],
        &["ltl: (a U b) <=> ~o c", "ltl: (a U b) <-> (~o (c))"],
        &["ptltl: (*) a S <*> b", "ptltl: ((*)a) S (<*>b)"],
    ] {
        let plain = read(&format!("{events} {}", spellings[0]));
        for other in spellings {
            assert_eq!(read(&format!("{events}\n{other}")), plain, "{other}");
            assert_eq!(read(&format!("{other} {events}")), plain, "{other}");
        }
        let printed = mop::print(&plain);
        let mut again = crate::property(&printed);
        forget_property(&mut again);
        assert_eq!(again, plain, "{printed}");
    }
}

#[test]
fn names_that_are_words_of_the_language_are_quoted() {
    let body = "events \"forbid\"(), \"o\"(), \"a b\"(), endProgram as \"end of it\"\n\
                creation \"forbid\"\nltl: \"o\" U \"forbid\" or \"a b\" or \"end of it\"\nforbid violation \"say \\\"no\\\"\" reset";
    let property = read(body);
    let printed = mop::print(&property);
    let mut again = crate::property(&printed);
    forget_property(&mut again);
    assert_eq!(again, property, "{printed}");
    let Body::Plugin(plugin) = &property.body else { panic!("{property:?}") };
    assert!(plugin.events[3].is_end && plugin.events[3].atom.name == "end of it");
    assert_eq!(plugin.forbidden[0].message.as_deref(), Some("say \"no\""));
}

#[test]
fn long_lists_nest_little() {
    let names: Vec<String> = (0..200).map(|number| format!("e{number}")).collect();
    let body = format!("events {} ere: {} | {}", names.join(", "), names.join(" | "), names.join(" "));
    let property = read(&body);
    let mut again = crate::property(&mop::print(&property));
    forget_property(&mut again);
    assert_eq!(again, property);
}
