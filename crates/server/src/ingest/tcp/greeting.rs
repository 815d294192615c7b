// SPDX-License-Identifier: MIT OR Apache-2.0
//! The greeting of a connection: sender, first event number, acknowledgements, and token.

use gnomon_live::Numbering;
use serde::Deserialize;

use super::super::http::LONGEST_PRODUCER;
use crate::problem::Problem;

/// The greeting of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Greeting {
    pub(super) numbering: Option<Numbering>,
    pub(super) acknowledge: bool,
    pub(super) token: Option<String>,
}

#[derive(Deserialize)]
struct GreetingLine {
    gnomon: GreetingFields,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GreetingFields {
    producer: Option<String>,
    first: Option<u64>,
    #[serde(default)]
    acknowledge: bool,
    token: Option<String>,
}

/// Maximum length of a greeting.
const LONGEST: usize = 4096;

impl Greeting {
    /// Returns true if a line is meant as a greeting.
    pub(super) fn is_greeting(line: &[u8]) -> bool {
        let inside = line.trim_ascii().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        let rest = inside.and_then(|inside| inside.strip_prefix(b"\"gnomon\"")).map(<[u8]>::trim_ascii_start);
        rest.is_some_and(|rest| rest.starts_with(b":")) && line.len() <= LONGEST
    }

    pub(super) fn parse(line: &[u8]) -> Result<Greeting, Problem> {
        let said: GreetingLine = serde_json::from_slice(line).map_err(|error| {
            Problem::bad(format!(
                "the first line is not a greeting: {error}; write {{\"gnomon\": {{\"producer\": \"till-7\", \"first\": 1}}}}"
            ))
        })?;
        let GreetingFields { producer, first, acknowledge, token } = said.gnomon;
        let numbering = match (producer, first) {
            (None, None) => None,
            (Some(producer), Some(first)) if (1..=LONGEST_PRODUCER).contains(&producer.len()) => {
                Some(Numbering { producer, first })
            }
            _ => {
                return Err(Problem::bad(format!(
                    "`producer` (1 to {LONGEST_PRODUCER} bytes) and `first` belong together; give both or neither"
                )));
            }
        };
        Ok(Greeting { numbering, acknowledge, token })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_distinguished_from_events() {
        for line in [r#"{"gnomon": {}}"#, r#" { "gnomon" :{"first":1}}"#] {
            assert!(Greeting::is_greeting(line.as_bytes()), "{line}");
        }
        for line in [r#"{"event": "gnomon"}"#, r#"{"gnomon2": 1}"#, "<log>", ""] {
            assert!(!Greeting::is_greeting(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn it_says_who_and_from_where() {
        let greeting =
            Greeting::parse(br#"{"gnomon": {"producer": "till", "first": 41, "acknowledge": true}}"#).unwrap();
        let numbering = greeting.numbering.unwrap();
        assert_eq!((numbering.producer.as_str(), numbering.first, greeting.acknowledge), ("till", 41, true));
        for wrong in [
            r#"{"gnomon": 1}"#,
            r#"{"gnomon": {"producer": "x"}}"#,
            r#"{"gnomon": {"colour": 1}}"#,
            r#"{"gnomon": {"producer": "", "first": 1}}"#,
        ] {
            assert!(Greeting::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
