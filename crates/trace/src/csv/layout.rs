// SPDX-License-Identifier: MIT OR Apache-2.0
//! The layout of the rows. The first line decides: it is a header, or already an event of `name=value` cells.

use gnomon_core::event::FieldSelection;
use gnomon_core::symbols::Name;
use gnomon_scan::{Code, Fault, quote};
use memchr::{memchr, memchr_iter};

use super::split::CsvCell;
use crate::advice::{likely_name, likely_time, name_declaration, time_declaration};
use crate::dates::is_date;
use crate::header::{RowName, TableHeader};
use crate::reader::ReaderSetup;
use crate::roles::{FieldRoles, FormatKeys, find_other_case, list_names};
use crate::state::ReaderState;
use crate::text::is_epoch;

#[derive(Clone)]
pub(super) enum CsvLayout {
    Header(HeaderLayout),
    /// The first cell is the event's name; each other cell names its field.
    Assignments(FieldRoles),
}

/// The layout of a table with a header.
#[derive(Clone)]
pub(super) struct HeaderLayout {
    pub(super) header: TableHeader,
    /// The number of leading cells that must be kept, by event name.
    needs: Vec<u32>,
    /// The number for all other names.
    other_need: u32,
    /// The name of all rows, if it is constant.
    pub(super) constant: Option<Name>,
    /// The byte between cells.
    pub(super) separator: u8,
}

/// The bytes that separate cells.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Returns the byte that separates the cells of a line. If the line is a header, that is the one by which a column of `names` is found;
/// if the columns are declared, the one that gives their number; else the comma, if there is one, or the one that is there most often.
pub(super) fn find_separator(line: &[u8], names: &[&str], columns: Option<usize>) -> u8 {
    // The parts between quotes alternate with those outside; a doubled quote has an empty part outside.
    let bare = || line.split(|byte| *byte == b'"').step_by(2);
    let count = |separator: &u8| bare().map(|part| memchr_iter(*separator, part).count()).sum::<usize>();
    let has_name = |separator: &u8| {
        let mut cells = line.split(|byte| byte == separator).map(|cell| {
            let cell = cell.trim_ascii();
            cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell)
        });
        count(separator) > 0 && cells.any(|cell| names.iter().any(|name| name.as_bytes() == cell))
    };
    let has_columns = |separator: &u8| columns.is_some_and(|columns| count(separator) + 1 == columns && columns > 1);
    let fitting = SEPARATORS.into_iter().find(|separator| has_columns(separator) || has_name(separator));
    let most = || SEPARATORS.into_iter().rev().max_by_key(count).filter(|most| count(most) > 0 && count(&b',') == 0);
    fitting.or_else(most).unwrap_or(b',')
}

impl CsvLayout {
    /// Returns the layout of a table with declared columns and no header.
    pub(super) fn declared(
        columns: &[String],
        separator: u8,
        state: &mut ReaderState,
        setup: &ReaderSetup,
    ) -> Result<CsvLayout, Fault> {
        let without_name = |texts: &[String]| {
            let message = format!("none of the declared columns is `event` or `name`: they are {}", list_names(texts));
            Fault::new(Code::NoHeader, 0, message)
                .help("declare the names of events: `name COLUMN`, or `name \"row\"` for all rows")
        };
        let header = TableHeader::new(columns.to_vec(), (state.symbols(), &state.projection), setup, without_name)?;
        Ok(CsvLayout::with_header(header, separator, state))
    }

    /// Detects the layout from the first line.
    pub(super) fn detect(
        row: &[u8],
        cells: &[CsvCell],
        separator: u8,
        state: &mut ReaderState,
        setup: &ReaderSetup,
    ) -> Result<CsvLayout, Fault> {
        let is_assignment = |cell: &CsvCell| memchr(b'=', cell.raw(row)).is_some();
        if cells.len() > 1 && cells[1..].iter().all(is_assignment) {
            return Ok(CsvLayout::Assignments(FieldRoles::new(state, setup.time_field.clone(), FormatKeys::UNNAMED)));
        }
        let texts = cells.iter().map(|cell| String::from_utf8_lossy(&cell.bytes(row)).into_owned()).collect();
        let header =
            TableHeader::new(texts, (state.symbols(), &state.projection), setup, |texts| no_header(row, texts));
        let header = header.map_err(|fault| match fault.code() {
            Code::RepeatedColumn => {
                let column = fault.at();
                fault.placed(cells[column].start as usize)
            }
            _ => fault,
        })?;
        Ok(CsvLayout::with_header(header, separator, state))
    }

    fn with_header(header: TableHeader, separator: u8, state: &mut ReaderState) -> CsvLayout {
        let need = |want: &FieldSelection| header.wanted(want).into_iter().max().map_or(0, |last| last as u32 + 1);
        let names = (0..state.symbols().name_count() as u32).map(Name);
        let needs = names.map(|name| need(state.projection.selection(name))).collect();
        let other_need = need(state.projection.default_selection());
        let constant = match &header.name {
            RowName::Constant(name) => Some(state.names.intern(name, None)),
            RowName::Column(_) | RowName::Template(..) => None,
        };
        CsvLayout::Header(HeaderLayout { header, needs, other_need, constant, separator })
    }

    /// Returns the layout of an empty trace.
    pub(super) fn empty() -> CsvLayout {
        let header = TableHeader::empty();
        CsvLayout::Header(HeaderLayout { header, needs: Vec::new(), other_need: 0, constant: None, separator: b',' })
    }
}

impl HeaderLayout {
    /// Returns the number of columns.
    pub(super) fn columns(&self) -> usize {
        self.header.texts.len()
    }

    /// Returns the number of leading cells that must be kept of an event with this name.
    #[inline]
    pub(super) fn need(&self, name: Name) -> usize {
        *self.needs.get(name.0 as usize).unwrap_or(&self.other_need) as usize
    }

    /// Returns the last column that every row must have.
    pub(super) fn last_required(&self) -> usize {
        self.header.name.columns().iter().copied().chain(self.header.time).max().unwrap_or(0)
    }
}

#[cold]
fn no_header(row: &[u8], texts: &[String]) -> Fault {
    let line = row.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let fault = Fault::new(
        Code::NoHeader,
        0,
        format!("the first line, {}, is not a header: no cell of it is `event` or `name`", quote(line.trim_ascii())),
    );
    if let Some(text) = find_other_case(texts) {
        return fault.help(format!("write `{}`: names are case-sensitive", text.to_lowercase()));
    }
    match line.trim_ascii().first() {
        Some(b'<') => fault.help("this looks like XML: add `--format xml` or `--format xes`"),
        Some(b'[' | b'{') => fault
            .help("this looks like JSON: add `--format json`, or `--format ndjson` if it has one flat object per line"),
        Some(b'@') => fault.help("this looks like a log of MonPoly: add `--format monpoly`"),
        _ if line.starts_with(b"sep=") => fault
            .help("leave out this line, which only spreadsheets understand: `tail -n +2 FILE | gnomon check SPEC -`"),
        _ => fault.help(if is_data(texts) { column_advice(texts) } else { header_advice(texts) }),
    }
}

/// Returns true if cells are data, not the names of columns: one of them is a number or a date-time.
fn is_data(texts: &[String]) -> bool {
    texts.iter().any(|text| is_date(text) || text.parse::<f64>().is_ok())
}

/// Returns advice for a table without a header: a name for each column.
pub(crate) fn column_advice(texts: &[String]) -> String {
    let is_word = |text: &String| !text.is_empty() && !is_date(text) && text.parse::<f64>().is_err();
    let (time, event) =
        (texts.iter().position(|text| is_date(text) || is_epoch(text.as_bytes())), texts.iter().position(is_word));
    let name = |index: usize| match Some(index) {
        column if column == time => "time".to_owned(),
        column if column == event => "event".to_owned(),
        _ => format!("column{}", index + 1),
    };
    let columns: Vec<String> = (0..texts.len()).map(name).collect();
    let name = if event.is_some() { "" } else { " and `name \"row\"`" };
    format!(
        "if the table has no header, declare its columns in the spec, such as `log csv \"{}\"`{name}",
        columns.join(", ")
    )
}

/// Returns advice for a header without a column `event` or `name`: the declaration of another one.
fn header_advice(texts: &[String]) -> String {
    let fields: Vec<&str> = texts.iter().map(String::as_str).collect();
    let name = likely_name(&fields).map_or_else(|| "name \"row\"".to_owned(), name_declaration);
    let time = likely_time(&fields).map_or_else(String::new, |time| format!(" and `{}`", time_declaration(time)));
    format!(
        "declare in the spec which column names the events, such as `{name}`{time}; if this is a text log, declare what its lines mean: `log text \"{{time}} {{event}}\"`"
    )
}
