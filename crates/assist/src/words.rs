// SPDX-License-Identifier: MIT OR Apache-2.0
//! A property given in words all at once, without a conversation.

use gnomon_core::value::write_quoted;

/// The parts of a property, each in the words of the language.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// What it is called.
    pub name: String,
    /// Names of values that it is judged for one by one.
    pub for_every: Vec<String>,
    /// `between open and close`; `None`: always.
    pub scope: Option<String>,
    /// `absence of write`
    pub behaviour: String,
    /// `10s` or `[2s, 10s]`
    pub within: Option<String>,
}

impl Words {
    /// The property as a block.
    ///
    /// ```
    /// let words = gnomon_assist::Words {
    ///     name: "answered".to_owned(),
    ///     for_every: vec!["id".to_owned()],
    ///     behaviour: "reply(id) responds to request(id)".to_owned(),
    ///     within: Some("10s".to_owned()),
    ///     ..Default::default()
    /// };
    /// let block = "pattern answered { for every id: globally: reply(id) responds to request(id) within 10s }\n";
    /// assert_eq!(words.block(), block);
    /// ```
    pub fn block(&self) -> String {
        let Words { name, for_every, scope, behaviour, within } = self;
        let prefix = if for_every.is_empty() { String::new() } else { format!("for every {}: ", for_every.join(", ")) };
        let scope = scope.as_deref().unwrap_or("globally").trim().trim_end_matches(':').trim_end();
        let within = within.as_ref().map_or(String::new(), |within| format!(" within {}", within.trim()));
        let behaviour = behaviour.trim();
        format!("pattern {} {{ {prefix}{scope}: {behaviour}{within} }}\n", shown_name(name))
    }
}

/// A name as it may stand after the word that opens a block, in quotes where it must.
pub fn shown_name(name: &str) -> String {
    let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .split('-')
            .all(|part| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'));
    let mut out = String::new();
    if is_word {
        out.push_str(name);
    } else {
        write_quoted(&mut out, name).expect("writing to a string cannot fail");
    }
    out
}
