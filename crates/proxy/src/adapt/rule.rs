// SPDX-License-Identifier: MIT OR Apache-2.0
//! A rule: which messages it is for, and what it makes of them.

use hyper::header::HeaderName;

use super::pattern::Pattern;
use super::template::Template;
use crate::tap::{Direction, Tapped};

/// A rule. What it does not mention, anything fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rule {
    pub(super) proxy: Option<String>,
    pub(super) direction: Option<Direction>,
    /// One of these, or any if there are none.
    pub(super) methods: Vec<String>,
    pub(super) path: Option<Pattern>,
    /// From, to; both count.
    pub(super) status: Option<(u16, u16)>,
    /// Each with the value it must have, or with any.
    pub(super) headers: Vec<(HeaderName, Option<String>)>,
    pub(super) failed: Option<bool>,
    /// Whether there is no event.
    pub(super) skip: bool,
    /// Whether what the body contains are fields.
    pub(super) body: bool,
    pub(super) name: Option<Template>,
    pub(super) fields: Vec<(String, Template)>,
}

impl Rule {
    /// What the holes of the path stand for, if the message fits.
    pub(super) fn matches(&self, tapped: &Tapped) -> Option<Vec<(&str, String)>> {
        let fits = self.proxy.as_ref().is_none_or(|proxy| *proxy == tapped.proxy)
            && self.direction.is_none_or(|direction| direction == tapped.direction)
            && (self.methods.is_empty()
                || self.methods.iter().any(|method| method.eq_ignore_ascii_case(&tapped.method)))
            && self.status.is_none_or(|(from, to)| tapped.status.is_some_and(|status| (from..=to).contains(&status)))
            && self.failed.is_none_or(|failed| failed == tapped.failed)
            && self.headers.iter().all(|(name, value)| has_header(tapped, name, value.as_deref()));
        if !fits {
            return None;
        }
        self.path.as_ref().map_or_else(|| Some(Vec::new()), |pattern| pattern.matches(&tapped.path))
    }
}

fn has_header(tapped: &Tapped, name: &HeaderName, value: Option<&str>) -> bool {
    // SOAP writes the action in quotes.
    let fits = |found: &[u8], value: &str| found == value.as_bytes() || found == format!("\"{value}\"").as_bytes();
    tapped.headers.get_all(name).iter().any(|found| value.is_none_or(|value| fits(found.as_bytes(), value)))
}
