// SPDX-License-Identifier: MIT OR Apache-2.0
//! One row, cell by cell, whatever it holds.

use std::io::Read;
use std::str;

use gnomon_core::event::Want;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use memchr::{memchr, memchr2};

use super::layout::Header;
use super::row::Pair;
use super::split::{Cell, Quoting, Split, split, trim};
use crate::buffer::Buffer;
use crate::context::{Context, late_time, no_name, no_time};
use crate::error::{Code, Fault, quote};
use crate::fields::{MOST_FIELDS, last_wins, too_many_fields};
use crate::names::Names;
use crate::roles::{Kind, Roles};

/// What a row says; its cells are kept apart.
pub(super) struct Parsed {
    pub(super) name: Name,
    /// None where places are times.
    pub(super) time: Option<Timestamp>,
    /// To the start of the next row, in bytes.
    pub(super) length: usize,
}

/// Reads a row under a header, of which the first cell was found.
pub(super) fn table_row<R: Read>(
    buffer: &mut Buffer<R>,
    header: &Header,
    cells: &mut Vec<Cell>,
    context: &mut Context,
    mut found: Split,
) -> Result<Parsed, Fault> {
    let mut need = header.last_vital() + 1;
    let mut name = None;
    let mut count = 1;
    let mut from = 0;
    loop {
        if count <= need {
            cells.push(found.cell);
        }
        if count == header.name + 1 {
            let event = name_of(&mut context.names, buffer, from, &found)?;
            need = need.max(header.need(event));
            name = Some(event);
        }
        if found.last {
            break;
        }
        if count == header.columns {
            let message = format!("this row has more cells than the header, which has {}", header.columns);
            return Err(Fault::new(Code::TooManyCells, found.next, message)
                .help("put a cell that contains a comma in quotes, or name the column in the header"));
        }
        from = found.next;
        found = split(buffer, from)?;
        count += 1;
    }
    let row = buffer.row();
    let name = name.ok_or_else(|| no_name(0))?;
    let time = match header.time {
        Some(column) => {
            let cell = cells.get(column).copied();
            let cell = cell
                .filter(|cell| !cell.is_empty())
                .ok_or_else(|| no_time(cell.map_or(0, |cell| cell.start as usize)))?;
            Some(context.times.parse(&cell.bytes(row), cell.start as usize)?)
        }
        None => None,
    };
    check_cells(row, header, cells, context.projection.want(name))?;
    Ok(Parsed { name, time, length: found.next })
}

/// Reads a row of `name=value` cells, of which the first cell was found.
pub(super) fn assignment_row<R: Read>(
    buffer: &mut Buffer<R>,
    roles: &mut Roles,
    pairs: &mut Vec<Pair>,
    context: &mut Context,
    mut found: Split,
) -> Result<Parsed, Fault> {
    let name = name_of(&mut context.names, buffer, 0, &found)?;
    let want = context.projection.want(name);
    // The first event's keys tell where the time is.
    let keep_all = roles.is_open() || *want == Want::All;
    let mut time = None;
    while !found.last {
        found = split(buffer, found.next)?;
        let (text, value) = assignment(buffer.row(), found.cell)?;
        let at = buffer.row_start() + text.start as usize;
        let role = roles.find(buffer.padded(), at, (text.end - text.start) as usize);
        let is_time = role.kind == Kind::Time;
        if is_time {
            time = Some(value);
        }
        if keep_all || (*want != Want::Nothing && role.key != Key::OTHER) {
            if pairs.len() >= MOST_FIELDS {
                return Err(too_many_fields(text.start as usize));
            }
            pairs.push(Pair { key: role.key, text, value, is_time });
        }
    }
    let row = buffer.row();
    if roles.is_open() {
        let text = |pair: &Pair| String::from_utf8_lossy(&pair.text.bytes(row)).into_owned();
        let keys: Vec<String> = pairs.iter().map(text).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        roles.settle(&keys)?;
        if roles.time_field().is_none() {
            context.times.count_positions();
        }
        for (pair, key) in pairs.iter_mut().zip(keys) {
            pair.is_time = roles.time_field() == Some(key);
            if pair.is_time {
                time = Some(pair.value);
            }
        }
    }
    let time = match (time, roles.time_field()) {
        (Some(value), Some(_)) if !value.is_empty() => {
            Some(context.times.parse(&value.bytes(row), value.start as usize)?)
        }
        (_, Some(_)) => return Err(no_time(0)),
        (Some(value), None) => return Err(late_time(value.start as usize)),
        (None, None) => None,
    };
    if *want == Want::Nothing {
        pairs.clear();
    } else {
        pairs.iter().try_for_each(|pair| check_utf8(row, pair.value, "the value"))?;
        last_wins(pairs, |pair| pair.text.bytes(row));
    }
    Ok(Parsed { name, time, length: found.next })
}

/// The cells that somebody will look at must be text.
pub(super) fn check_cells(row: &[u8], header: &Header, cells: &[Cell], want: &Want) -> Result<(), Fault> {
    let check = |cell: Option<&Cell>| cell.map_or(Ok(()), |&cell| check_utf8(row, cell, "the cell"));
    match want {
        Want::Nothing => Ok(()),
        Want::All => cells.iter().try_for_each(|cell| check(Some(cell))),
        Want::Fields(keys) => {
            keys.iter().try_for_each(|&key| check(header.column(key).and_then(|column| cells.get(column))))
        }
    }
}

/// The name in a cell, which begins (blanks and quotes included) at `from`.
fn name_of<R: Read>(names: &mut Names, buffer: &Buffer<R>, from: usize, found: &Split) -> Result<Name, Fault> {
    let row = buffer.row();
    let end = found.next - usize::from(found.delimited);
    if let Some(id) = names.raw().find(buffer.padded(), buffer.row_start() + from, end - from) {
        return Ok(Name(id));
    }
    if found.cell.is_empty() {
        return Err(no_name(found.cell.start as usize));
    }
    check_utf8(row, found.cell, "the event name")?;
    // The quick way ends a cell at the first comma or newline: a writing that has one inside cannot be told by it.
    let raw = Some(&row[from..end]).filter(|raw| memchr2(b',', b'\n', raw).is_none());
    Ok(names.intern(&String::from_utf8_lossy(&found.cell.bytes(row)), raw))
}

/// The part of a `name=value` cell before the sign and the part behind it, as ranges of the row.
fn assignment(row: &[u8], cell: Cell) -> Result<(Cell, Cell), Fault> {
    let (start, end) = (cell.start as usize, cell.end as usize);
    let Some(sign) = memchr(b'=', &row[start..end]).map(|sign| start + sign) else {
        let message = format!("the cell {} is not of the form `name=value`", quote(cell.raw(row)));
        return Err(Fault::new(Code::NotAnAssignment, start, message)
            .help("the first line of this trace is no header, so every cell after the name says which field it is"));
    };
    let (key_start, key_end) = trim(row, start, sign);
    let (value_start, value_end) = match cell.quoting {
        Quoting::Bare | Quoting::Digits => trim(row, sign + 1, end),
        Quoting::Quoted | Quoting::Doubled => (sign + 1, end),
    };
    Ok((Cell::new(key_start, key_end, cell.quoting), Cell::new(value_start, value_end, cell.quoting)))
}

/// A cell that is used must be text.
fn check_utf8(row: &[u8], cell: Cell, what: &str) -> Result<(), Fault> {
    str::from_utf8(cell.raw(row)).map(|_| ()).map_err(|error| {
        let message = format!("{what} {} is not UTF-8", quote(cell.raw(row)));
        Fault::new(Code::NotUtf8, cell.start as usize + error.valid_up_to(), message)
            .help("convert the trace to UTF-8: `iconv -f LATIN1 -t UTF-8 FILE`")
    })
}
