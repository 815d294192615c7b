// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table that is no trace: a header, and rows under it.

use std::borrow::Cow;

use gnomon_core::value::Value;

use super::split::{Cell, Quoting, split};
use crate::buffer::Buffer;
use crate::error::{Fault, TraceError};
use crate::reader::Place;

/// The rows of a table as maps from the names in the header to the cells that are not empty. Unquoted cells are what they
/// look like. `name` stands for the table in messages.
pub fn table(text: &str, name: &str) -> Result<Vec<Value<'static>>, TraceError> {
    let mut buffer = Buffer::of(text.as_bytes());
    let (mut header, mut rows): (Option<Vec<String>>, Vec<Value<'static>>) = (None, Vec::new());
    let mut line = 1;
    while !buffer.row().is_empty() {
        let cells = row(&mut buffer).map_err(|fault| {
            let place = Place::within(line, buffer.row(), fault.at());
            TraceError::new(name, place, fault)
        })?;
        let bytes = buffer.row();
        let is_filled = cells.cells.iter().any(|cell| !cell.is_empty());
        match &header {
            _ if !is_filled => {}
            None => header = Some(cells.cells.iter().map(|cell| written(*cell, bytes)).collect()),
            Some(names) => {
                let pairs = names.iter().zip(&cells.cells).filter(|(_, cell)| !cell.is_empty());
                rows.push(Value::Map(pairs.map(|(name, cell)| (name.clone().into(), value(*cell, bytes))).collect()));
            }
        }
        line = Place::within(line, bytes, cells.length).line;
        buffer.set_length(cells.length);
        buffer.turn();
    }
    Ok(rows)
}

/// The cells of a row, and its length in bytes.
struct Row {
    cells: Vec<Cell>,
    length: usize,
}

fn row(buffer: &mut Buffer<std::io::Empty>) -> Result<Row, Fault> {
    let (mut cells, mut length) = (Vec::new(), 0);
    loop {
        let found = split(buffer, length)?;
        cells.push(found.cell);
        length = found.next;
        if found.last {
            return Ok(Row { cells, length });
        }
    }
}

fn written(cell: Cell, row: &[u8]) -> String {
    String::from_utf8_lossy(&cell.bytes(row)).into_owned()
}

fn value(cell: Cell, row: &[u8]) -> Value<'static> {
    let text = Cow::Owned(written(cell, row));
    if cell.quoting == Quoting::Bare { Value::from_cell(text) } else { Value::Text(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match table(text, "t.csv") {
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
