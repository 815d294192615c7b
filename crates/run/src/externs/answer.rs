// SPDX-License-Identifier: MIT OR Apache-2.0
//! Extracts a value from an answer: by a path into JSON, or by row and column of a table.

use gnomon_core::value::Value;
use gnomon_message::JsonMessage;
use gnomon_trace::parse_csv_table;

/// The format of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AnswerFormat {
    Json,
    Csv,
}

impl AnswerFormat {
    /// Detects the format from the name of a file or from an address.
    pub(super) fn of(source: &str) -> AnswerFormat {
        let name = source.split(['?', '#']).next().unwrap_or(source);
        let is_table = name.len() >= 4 && name.is_char_boundary(name.len() - 4);
        if is_table && name[name.len() - 4..].eq_ignore_ascii_case(".csv") {
            AnswerFormat::Csv
        } else {
            AnswerFormat::Json
        }
    }
}

/// Returns the value at a path, or the reason why there is none.
pub(super) fn value(bytes: Vec<u8>, format: AnswerFormat, path: Option<&str>) -> Result<Value<'static>, String> {
    let text = String::from_utf8(bytes).map_err(|_| "the answer is not UTF-8 text".to_owned())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let steps = steps(path.unwrap_or_default());
    let whole = match format {
        AnswerFormat::Json => {
            JsonMessage::any(text, "the answer").map_err(|error| format!("the answer is not JSON: {error}"))?
        }
        AnswerFormat::Csv => {
            let mut rows =
                parse_csv_table(text, "the answer").map_err(|error| format!("the answer is not a table: {error}"))?;
            // The latest row is the last one, unless the path names a row by its number.
            let by_number = steps.first().is_none_or(|step| step.bytes().all(|byte| byte.is_ascii_digit()));
            if by_number { Value::List(rows) } else { rows.pop().ok_or("the table has no rows")? }
        }
    };
    let found = steps.iter().try_fold(&whole, |value, step| value.step(step));
    found.cloned().ok_or_else(|| format!("the answer has no `{}`", path.unwrap_or_default()))
}

/// Splits a JSON pointer (RFC 6901) into its steps.
fn steps(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, format: AnswerFormat, path: &str) -> String {
        let path = (!path.is_empty()).then_some(path);
        match value(text.as_bytes().to_vec(), format, path) {
            Ok(value) => value.to_string(),
            Err(reason) => reason,
        }
    }

    #[test]
    fn json_by_a_pointer() {
        let text = r#"{"eur": 1.10, "a/b": {"~": [1, {"c": true}]}, "": null}"#;
        for (path, expected) in [
            ("/eur", "1.1"),
            ("/a~1b/~0/1/c", "true"),
            ("/a~1b/~0/0", "1"),
            ("/", "null"),
            ("/usd", "the answer has no `/usd`"),
            ("/eur/x", "the answer has no `/eur/x`"),
            ("/a~1b/~0/2", "the answer has no `/a~1b/~0/2`"),
        ] {
            assert_eq!(found(text, AnswerFormat::Json, path), expected, "{path}");
        }
        assert_eq!(found("7", AnswerFormat::Json, ""), "7");
        assert!(found("<html>", AnswerFormat::Json, "/eur").starts_with("the answer is not JSON"));
    }

    #[test]
    fn a_table_by_its_columns() {
        let text = "day, limit\nmon, 5\ntue, 7\n";
        for (path, expected) in [
            ("/limit", "7"),
            ("/0/limit", "5"),
            ("/0", r#"{"day": "mon", "limit": 5}"#),
            ("", r#"[{"day": "mon", "limit": 5}, {"day": "tue", "limit": 7}]"#),
            ("/2/limit", "the answer has no `/2/limit`"),
            ("/size", "the answer has no `/size`"),
        ] {
            assert_eq!(found(text, AnswerFormat::Csv, path), expected, "{path}");
        }
        assert_eq!(found("day, limit\n", AnswerFormat::Csv, "/limit"), "the table has no rows");
        assert_eq!(found("day\n\"", AnswerFormat::Csv, "/day").split(':').next(), Some("the answer is not a table"));
    }

    #[test]
    fn formats_are_detected_by_name() {
        let forms = ["a.csv", "http://x/a.CSV?b=.json", "a.json", "csv", "http://x/", "é.c"].map(AnswerFormat::of);
        assert_eq!(
            forms,
            [
                AnswerFormat::Csv,
                AnswerFormat::Csv,
                AnswerFormat::Json,
                AnswerFormat::Json,
                AnswerFormat::Json,
                AnswerFormat::Json
            ]
        );
    }

    #[test]
    fn bytes_that_are_not_text_have_no_value() {
        assert_eq!(value(vec![0xff], AnswerFormat::Json, None), Err("the answer is not UTF-8 text".to_owned()));
    }
}
