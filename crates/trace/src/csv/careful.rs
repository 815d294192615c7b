// SPDX-License-Identifier: MIT OR Apache-2.0
//! The careful path: parses one row cell by cell, whatever it contains.

use std::str;

use gnomon_core::event::FieldSelection;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::value::{Value, is_out_of_range};
use gnomon_scan::{Buffer, ByteSource, Code, Fault, MOST_FIELDS, last_wins, out_of_range, quote, too_many_fields};
use memchr::{memchr, memchr2};

use super::layout::HeaderLayout;
use super::row::Assignment;
use super::split::{CsvCell, Quoting, SplitCell, split, trim};
use crate::header::{RowName, TableHeader};
use crate::name_template::NameTemplate;
use crate::names::EventNames;
use crate::roles::{FieldRoles, RoleKind};
use crate::state::{ReaderState, no_time};

/// The name and the time of a row; its cells are stored separately.
pub(super) struct ParsedRow {
    pub(super) name: Name,
    /// `None` where positions are times.
    pub(super) time: Option<Timestamp>,
    /// The distance to the start of the next row, in bytes.
    pub(super) length: usize,
}

/// Parses a row under a header. The first cell was split off before.
pub(super) fn table_row<R: ByteSource>(
    buffer: &mut Buffer<R>,
    table: &HeaderLayout,
    cells: &mut Vec<CsvCell>,
    state: &mut ReaderState,
    mut found: SplitCell,
) -> Result<ParsedRow, Fault> {
    let header = &table.header;
    let mut name = table.constant;
    let mut need = match (&header.name, name) {
        // The name, and therefore the number of cells that it needs, is known at the end of the row.
        (RowName::Template(..), _) => table.columns(),
        (_, name) => name.map_or(0, |name| table.need(name)).max(table.last_required() + 1),
    };
    let mut count = 1;
    let mut from = 0;
    loop {
        if count <= need {
            cells.push(found.cell);
        }
        if header.name.column() == Some(count - 1) {
            let event = name_of(&mut state.names, buffer, from, &found)?;
            need = need.max(table.need(event));
            name = Some(event);
        }
        if found.last {
            break;
        }
        if count == table.columns() {
            let message = format!("this row has more cells than the header, which has {}", table.columns());
            return Err(Fault::new(Code::TooManyCells, found.next, message)
                .help("put a cell that contains a separator in quotes, or name the column in the header"));
        }
        from = found.next;
        found = split(buffer, from, table.separator)?;
        count += 1;
    }
    let row = buffer.row();
    let name = match &header.name {
        RowName::Template(template, columns) => {
            template_name(&mut state.names, row, (header, cells), template, columns)?
        }
        RowName::Column(_) | RowName::Constant(_) => name.ok_or_else(|| Fault::no_name(0))?,
    };
    let time = match header.time {
        Some(column) => {
            let cell = cells.get(column).copied();
            let cell = cell
                .filter(|cell| !cell.is_empty())
                .ok_or_else(|| no_time(cell.map_or(0, |cell| cell.start as usize)))?;
            Some(state.times.parse(&cell.bytes(row), cell.start as usize)?)
        }
        None => None,
    };
    check_cells(row, header, cells, state.projection.selection(name))?;
    Ok(ParsedRow { name, time, length: found.next })
}

/// Parses a row of `name=value` cells. The first cell was split off before.
pub(super) fn assignment_row<R: ByteSource>(
    buffer: &mut Buffer<R>,
    roles: &mut FieldRoles,
    pairs: &mut Vec<Assignment>,
    state: &mut ReaderState,
    mut found: SplitCell,
) -> Result<ParsedRow, Fault> {
    let name = name_of(&mut state.names, buffer, 0, &found)?;
    let want = state.projection.selection(name);
    let (wants_any, wants_all) = (*want != FieldSelection::Nothing, *want == FieldSelection::All);
    // The time field is chosen from all keys of the first event.
    let keep_all = roles.is_open() || wants_all;
    let mut time = None;
    while !found.last {
        found = split(buffer, found.next, b',')?;
        let (text, value) = assignment(buffer.row(), found.cell)?;
        let at = buffer.row_start() + text.start as usize;
        let role = roles.find(buffer.padded(), at, (text.end - text.start) as usize);
        let is_time = role.kind == RoleKind::Time;
        if is_time {
            time = Some(value);
        }
        if keep_all || (wants_any && role.key != Key::OTHER) {
            if pairs.len() >= MOST_FIELDS {
                return Err(too_many_fields(text.start as usize));
            }
            pairs.push(Assignment { key: role.key, text, value, is_time });
        }
    }
    let row = buffer.row();
    if roles.is_open() {
        let text = |pair: &Assignment| String::from_utf8_lossy(&pair.text.bytes(row)).into_owned();
        let keys: Vec<String> = pairs.iter().map(text).collect();
        roles.choose_time_field(&keys, state)?;
        for (pair, key) in pairs.iter_mut().zip(&keys) {
            pair.is_time = roles.time_field() == Some(key);
            if pair.is_time {
                time = Some(pair.value);
            }
        }
    }
    let is_set = |value: &CsvCell| roles.time_field().is_none() || !value.is_empty();
    let read = |value: CsvCell| state.times.parse(&value.bytes(row), value.start as usize);
    let time = roles.time(time.filter(is_set), |value| value.start as usize, read)?;
    if wants_any {
        for pair in pairs.iter() {
            check_utf8(row, pair.text, "the field")?;
            check_value(row, pair.value, "the value")?;
        }
        last_wins(pairs, |pair| pair.text.bytes(row));
    } else {
        pairs.clear();
    }
    Ok(ParsedRow { name, time, length: found.next })
}

/// Checks the wanted cells.
pub(super) fn check_cells(
    row: &[u8],
    header: &TableHeader,
    cells: &[CsvCell],
    want: &FieldSelection,
) -> Result<(), Fault> {
    let check = |cell: Option<&CsvCell>| cell.map_or(Ok(()), |&cell| check_value(row, cell, "the cell"));
    match want {
        FieldSelection::Nothing => Ok(()),
        FieldSelection::All => {
            // The name is a text, whatever it looks like; its encoding was checked before.
            let fields = cells.iter().enumerate().filter(|(column, _)| Some(*column) != header.name.column());
            fields.map(|(_, cell)| cell).try_for_each(|cell| check(Some(cell)))
        }
        FieldSelection::Fields(keys) => {
            keys.iter().try_for_each(|&key| check(header.column(key).and_then(|column| cells.get(column))))
        }
    }
}

/// Returns the event name in a cell. `from` is the start of the cell with its blanks and quotes.
fn name_of<R: ByteSource>(
    names: &mut EventNames,
    buffer: &Buffer<R>,
    from: usize,
    found: &SplitCell,
) -> Result<Name, Fault> {
    let row = buffer.row();
    let end = found.next - usize::from(found.delimited);
    if let Some(name) = names.find(buffer.padded(), buffer.row_start() + from, end - from) {
        return Ok(name);
    }
    if found.cell.is_empty() {
        return Err(Fault::no_name(found.cell.start as usize));
    }
    check_utf8(row, found.cell, "the event name")?;
    // The fast path ends a cell at the first comma or newline and could not find a notation that contains one.
    let raw = Some(&row[from..end]).filter(|raw| memchr2(b',', b'\n', raw).is_none());
    Ok(names.intern(&String::from_utf8_lossy(&found.cell.bytes(row)), raw))
}

/// Returns the event name that a template makes of the cells of a row, as they are written.
fn template_name(
    names: &mut EventNames,
    row: &[u8],
    (header, cells): (&TableHeader, &[CsvCell]),
    template: &NameTemplate,
    columns: &[usize],
) -> Result<Name, Fault> {
    for &column in columns {
        cells.get(column).map_or(Ok(()), |&cell| check_utf8(row, cell, "the cell"))?;
    }
    let cell = |field: &str| {
        let column = columns.iter().find(|column| header.texts[**column] == field)?;
        let cell = cells.get(*column)?.trimmed(row);
        Some(Value::Text(String::from_utf8_lossy(&cell.bytes(row)).into_owned().into()))
    };
    Ok(names.find_or_intern(&template.fill(cell)?))
}

/// Splits a `name=value` cell into the ranges of its name and its value.
fn assignment(row: &[u8], cell: CsvCell) -> Result<(CsvCell, CsvCell), Fault> {
    let (start, end) = (cell.start as usize, cell.end as usize);
    let Some(sign) = memchr(b'=', &row[start..end]).map(|sign| start + sign) else {
        let message = format!("the cell {} is not of the form `name=value`", quote(cell.raw(row)));
        return Err(Fault::new(Code::NotAnAssignment, start, message).help(
            "the first line of this trace is not a header, so every cell after the name says which field it is",
        ));
    };
    let (key_start, key_end) = trim(row, start, sign);
    let (value_start, value_end) = match cell.quoting {
        Quoting::Bare | Quoting::Digits => trim(row, sign + 1, end),
        Quoting::Quoted | Quoting::Doubled => (sign + 1, end),
    };
    Ok((CsvCell::new(key_start, key_end, cell.quoting), CsvCell::new(value_start, value_end, cell.quoting)))
}

/// Checks that a cell is UTF-8 and no number out of range.
fn check_value(row: &[u8], cell: CsvCell, what: &str) -> Result<(), Fault> {
    let trimmed = cell.trimmed(row);
    if is_out_of_range(trimmed.raw(row)) {
        return Err(out_of_range(trimmed.raw(row), trimmed.start as usize));
    }
    check_utf8(row, cell, what)
}

/// Checks that a cell is UTF-8.
fn check_utf8(row: &[u8], cell: CsvCell, what: &str) -> Result<(), Fault> {
    str::from_utf8(cell.raw(row)).map(|_| ()).map_err(|error| {
        let message = format!("{what} {} is not UTF-8", quote(cell.raw(row)));
        Fault::new(Code::NotUtf8, cell.start as usize + error.valid_up_to(), message)
            .help("convert the trace to UTF-8: `iconv -f LATIN1 -t UTF-8 FILE`")
    })
}
