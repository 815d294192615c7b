// SPDX-License-Identifier: MIT OR Apache-2.0
//! A property stated by its parts on the command line, without a session.

use gnomon_core::value::write_quoted;

/// The parts of a pattern property, each as text of the language `pattern`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PatternParts {
    /// The property's name.
    pub name: String,
    /// Quantified variables.
    pub for_every: Vec<String>,
    /// For example `between open and close`; `None` and `always` mean `globally`.
    pub scope: Option<String>,
    /// For example `absence of write`.
    pub behaviour: String,
    /// `10s` or `[2s, 10s]`
    pub within: Option<String>,
}

impl PatternParts {
    /// Returns the property as a block of a spec file.
    ///
    /// ```
    /// let parts = gnomon_assist::PatternParts {
    ///     name: "answered".to_owned(),
    ///     for_every: vec!["id".to_owned()],
    ///     behaviour: "reply(id) responds to request(id)".to_owned(),
    ///     within: Some("10s".to_owned()),
    ///     ..Default::default()
    /// };
    /// let block = "pattern answered { for every id: globally: reply(id) responds to request(id) within 10s }\n";
    /// assert_eq!(parts.block(), block);
    /// ```
    pub fn block(&self) -> String {
        let PatternParts { name, for_every, scope, behaviour, within } = self;
        let prefix = for_every_prefix(for_every);
        let scope = scope.as_deref().unwrap_or("globally").trim().trim_end_matches(':').trim_end();
        let scope = if scope == "always" { "globally" } else { scope };
        let within = within.as_ref().map_or(String::new(), |within| format!(" within {}", within.trim()));
        let behaviour = behaviour.trim();
        format!("pattern {} {{ {prefix}{scope}: {behaviour}{within} }}\n", printed_name(name))
    }
}

/// Returns `for every a, b: `, or nothing without variables.
pub(crate) fn for_every_prefix(variables: &[String]) -> String {
    if variables.is_empty() { String::new() } else { format!("for every {}: ", variables.join(", ")) }
}

/// Returns a property's name as a spec file writes it: in quotes unless it is a word.
pub fn printed_name(name: &str) -> String {
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
