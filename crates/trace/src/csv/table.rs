// SPDX-License-Identifier: MIT OR Apache-2.0
//! CSV tables that are not traces: a header, and rows under it.

use std::borrow::Cow;

use gnomon_core::value::Value;
use gnomon_scan::{Buffer, Cursor, TraceError};

use super::split::{CsvCell, Quoting, split};

/// Parses a table into one map per row, from the names in the header to the cells that are not empty. An unquoted cell gets the type
/// that it looks like. `name` stands for the table in messages.
pub fn parse_csv_table(text: &str, name: &str) -> Result<Vec<Value<'static>>, TraceError> {
    let mut cursor = Cursor::new(Buffer::from_bytes(text.as_bytes()));
    let (mut header, mut rows): (Option<Vec<String>>, Vec<Value<'static>>) = (None, Vec::new());
    while !cursor.row().is_empty() {
        let mut cells = Vec::new();
        loop {
            let found = split(&mut cursor.buffer, cursor.at, b',').map_err(|fault| cursor.error(name, fault))?;
            cells.push(found.cell);
            cursor.at = found.next;
            if found.last {
                break;
            }
        }
        let bytes = cursor.row();
        let is_filled = cells.iter().any(|cell| !cell.is_empty());
        match &header {
            _ if !is_filled => {}
            None => header = Some(cells.iter().map(|cell| written(*cell, bytes)).collect()),
            Some(names) => {
                let pairs = names.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty());
                rows.push(Value::Map(pairs.map(|(name, cell)| (name.clone().into(), value(*cell, bytes))).collect()));
            }
        }
        cursor.start_row();
    }
    Ok(rows)
}

fn written(cell: CsvCell, row: &[u8]) -> String {
    String::from_utf8_lossy(&cell.bytes(row)).into_owned()
}

fn value(cell: CsvCell, row: &[u8]) -> Value<'static> {
    let text = Cow::Owned(written(cell, row));
    if cell.quoting == Quoting::Bare { Value::from_cell(text) } else { Value::Text(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match parse_csv_table(text, "t.csv") {
            Ok(rows) => Value::List(rows).to_string(),
            Err(error) => format!("{} {}:{}", error.code(), error.line(), error.column()),
        }
    }

    #[test]
    fn rows_are_maps() {
        for (text, expected) in [
            ("", "[]"),
            ("a,b\n", "[]"),
            ("a, b\n1, x\n\n2.50,\"3\"\n", r#"[{"a": 1, "b": "x"}, {"a": 2.5, "b": "3"}]"#),
            ("a,b\r\n1,2\r\n", r#"[{"a": 1, "b": 2}]"#),
            ("\"a\"\"b\",c\n\"x\ny\"\n,true", r#"[{"a\"b": "x\ny"}, {"c": true}]"#),
            ("a\n1,2,3", r#"[{"a": 1}]"#),
            ("a\nb\nc\"d", "G0511 3:2"),
            ("a\n\"b", "G0511 2:1"),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }
}
