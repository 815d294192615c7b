// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puts the answers so far into the texts of questions: `How are {first} and {then} related?`

use gnomon_core::list::enumeration;

use super::Draft;
use crate::tree::{BehaviourKind, EventRole};

impl Draft {
    /// Replaces the names in braces by what they stand for.
    pub(crate) fn worded(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else { break };
            out.push_str(before);
            out.push_str(&self.word(name));
            rest = after;
        }
        out + rest
    }

    fn word(&self, name: &str) -> String {
        let events = |role| -> Vec<String> {
            self.slots.iter().filter(|slot| slot.role == role).map(|slot| quoted(&slot.atom.name)).collect()
        };
        let one = |role| events(role).first().cloned().unwrap_or_else(|| "it".to_owned());
        match name {
            "start" => one(EventRole::Start),
            "end" => one(EventRole::End),
            "event" => one(EventRole::Event),
            "first" => in_order(&events(EventRole::First)),
            "then" => in_order(&events(EventRole::Then)),
            "then-first" => one(EventRole::Then),
            "then-last" => events(EventRole::Then).pop().unwrap_or_default(),
            "last" => self.slots.last().map(|slot| quoted(&slot.atom.name)).unwrap_or_default(),
            "chain" => enumeration(&[events(EventRole::First), events(EventRole::Then)].concat(), "and"),
            "current" => quoted(self.current_event()),
            "field" => quoted(&self.field),
            _ => format!("{{{name}}}"),
        }
    }

    /// Returns the ways to divide the chain of events, each as a sentence.
    pub(crate) fn splits(&self) -> Vec<String> {
        let chain = (0..self.slots.len()).filter(|index| self.is_in_chain(*index));
        let names: Vec<String> = chain.map(|index| quoted(&self.slots[index].atom.name)).collect();
        let sentence = |number: usize| {
            let (first, then) = names.split_at(number);
            let have = if number == 1 { "has" } else { "have" };
            let happen = if then.len() == 1 { "happens" } else { "happen" };
            let (first, then) = (in_order(first), in_order(then));
            match self.behaviour_kind() {
                Some(BehaviourKind::Precedence) => format!("{then} {happen} only after {first}"),
                _ => format!("When {first} {have} happened, {then} must follow"),
            }
        };
        (1..names.len()).map(sentence).collect()
    }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

/// Returns `a and then b`.
fn in_order(names: &[String]) -> String {
    names.join(" and then ")
}
