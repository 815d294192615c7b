// SPDX-License-Identifier: MIT OR Apache-2.0
//! The value inside an answer: by the steps of a path into JSON, by row and column in a table.

use gnomon_core::value::Value;
use gnomon_trace::message::Json;
use gnomon_trace::table;

/// What an answer is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Json,
    Csv,
}

impl Form {
    /// What the name of a file, or of what an address names, tells.
    pub(super) fn of(source: &str) -> Form {
        let name = source.split(['?', '#']).next().unwrap_or(source);
        let is_table = name.len() >= 4 && name.is_char_boundary(name.len() - 4);
        if is_table && name[name.len() - 4..].eq_ignore_ascii_case(".csv") { Form::Csv } else { Form::Json }
    }
}

/// The value that a path leads to, or why there is none.
pub(super) fn value(bytes: Vec<u8>, form: Form, path: Option<&str>) -> Result<Value<'static>, String> {
    let text = String::from_utf8(bytes).map_err(|_| "the answer is not UTF-8 text".to_owned())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let steps = steps(path.unwrap_or_default());
    let whole = match form {
        Form::Json => Json::any(text, "the answer").map_err(|error| format!("the answer is no JSON: {error}"))?,
        Form::Csv => {
            let mut rows = table(text, "the answer").map_err(|error| format!("the answer is no table: {error}"))?;
            // The latest row is the last, unless a row is asked for by its number.
            let by_number = steps.first().is_none_or(|step| step.bytes().all(|byte| byte.is_ascii_digit()));
            if by_number { Value::List(rows) } else { rows.pop().ok_or("the table has no rows")? }
        }
    };
    let found = steps.iter().try_fold(&whole, |value, step| value.step(step));
    found.cloned().ok_or_else(|| format!("the answer has no `{}`", path.unwrap_or_default()))
}

/// The steps of a JSON pointer (RFC 6901).
fn steps(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, form: Form, path: &str) -> String {
        let path = (!path.is_empty()).then_some(path);
        match value(text.as_bytes().to_vec(), form, path) {
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
            assert_eq!(found(text, Form::Json, path), expected, "{path}");
        }
        assert_eq!(found("7", Form::Json, ""), "7");
        assert!(found("<html>", Form::Json, "/eur").starts_with("the answer is no JSON"));
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
            assert_eq!(found(text, Form::Csv, path), expected, "{path}");
        }
        assert_eq!(found("day, limit\n", Form::Csv, "/limit"), "the table has no rows");
        assert_eq!(found("day\n\"", Form::Csv, "/day").split(':').next(), Some("the answer is no table"));
    }

    #[test]
    fn names_tell_the_form() {
        let forms = ["a.csv", "http://x/a.CSV?b=.json", "a.json", "csv", "http://x/", "é.c"].map(Form::of);
        assert_eq!(forms, [Form::Csv, Form::Csv, Form::Json, Form::Json, Form::Json, Form::Json]);
    }

    #[test]
    fn what_is_no_text_has_no_value() {
        assert_eq!(value(vec![0xff], Form::Json, None), Err("the answer is not UTF-8 text".to_owned()));
    }
}
