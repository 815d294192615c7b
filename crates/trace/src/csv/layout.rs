// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which cell of a row is what: told by the first line, which is a header or already an event of `name=value` cells.

use gnomon_core::event::{Projection, Want};
use gnomon_core::symbols::{Key, Name, Symbols};
use memchr::memchr;

use super::split::Cell;
use crate::arrow::no_column;
use crate::error::{Code, Fault, quote};
use crate::roles::{Keys, Roles, no_time_field};
use crate::times::{USUAL_FIELDS, usual_field};

pub(super) enum Layout {
    Header(Header),
    /// The first cell is the event's name, the others say what they are.
    Assignments(Roles),
}

/// What a header tells.
pub(super) struct Header {
    pub(super) columns: usize,
    /// The names of the columns.
    pub(super) texts: Vec<String>,
    pub(super) name: usize,
    pub(super) time: Option<usize>,
    /// The column of each key, where it has one.
    column_of: Vec<Option<u32>>,
    /// The columns of the positional parameters.
    pub(super) parameters: Vec<u32>,
    /// How many cells of a row must be kept, by event name.
    needs: Vec<u32>,
    /// Of the names beyond.
    other_need: u32,
}

impl Layout {
    /// Reads the first line.
    pub(super) fn detect(
        row: &[u8],
        cells: &[Cell],
        symbols: &Symbols,
        projection: &Projection,
        [event_field, time_field]: [Option<String>; 2],
    ) -> Result<Layout, Fault> {
        let is_assignment = |cell: &Cell| memchr(b'=', cell.raw(row)).is_some();
        if cells.len() > 1 && cells[1..].iter().all(is_assignment) {
            return Ok(Layout::Assignments(Roles::new(symbols, projection, time_field, Keys::UNNAMED)));
        }
        let texts: Vec<String> =
            cells.iter().map(|cell| String::from_utf8_lossy(&cell.bytes(row)).into_owned()).collect();
        let find = |wanted: &str| texts.iter().position(|text| text == wanted);
        let name = match &event_field {
            Some(declared) => find(declared).ok_or_else(|| no_column(declared, &texts))?,
            None => find("event").or_else(|| find("name")).ok_or_else(|| no_header(row, &texts))?,
        };
        let fields: Vec<&str> = texts.iter().map(String::as_str).collect();
        let time = match &time_field {
            Some(declared) => Some(find(declared).ok_or_else(|| no_time_field(declared, &fields))?),
            None => usual_field(&fields, USUAL_FIELDS),
        };
        for (column, &text) in fields.iter().enumerate() {
            let is_known = symbols.find_key(text).is_some() || projection.wants_all();
            let used = column == name || Some(column) == time || is_known;
            if used && fields.iter().filter(|&&other| other == text).count() > 1 {
                let message = format!("the column {} occurs twice", quote(text.as_bytes()));
                let second = fields.iter().rposition(|&other| other == text).unwrap_or(column);
                return Err(Fault::new(Code::RepeatedColumn, cells[second].start as usize, message)
                    .help("give the columns different names, so that it is clear which is meant"));
            }
        }
        Ok(Layout::Header(Header::new(&fields, name, time, symbols, projection)))
    }

    /// The layout of a trace without a single line.
    pub(super) fn empty() -> Layout {
        Layout::Header(Header::new(&["event"], 0, None, &Symbols::default(), &Projection::default()))
    }
}

impl Header {
    fn new(fields: &[&str], name: usize, time: Option<usize>, symbols: &Symbols, projection: &Projection) -> Self {
        let columns = fields.len();
        let key_text = |key| symbols.key_text(Key(key));
        let column_of: Vec<Option<u32>> = (0..symbols.key_count() as u32)
            .map(|key| fields.iter().position(|&field| field == key_text(key)).map(|column| column as u32))
            .map(|column| column.filter(|&column| column as usize != name))
            .collect();
        let parameters = (0..columns).filter(|&column| column != name && Some(column) != time);
        let need = |want: &Want| match want {
            Want::Nothing => 0,
            Want::All => columns as u32,
            Want::Fields(keys) => {
                let columns = keys.iter().filter_map(|key| column_of.get(key.0 as usize).copied().flatten());
                columns.map(|column| column + 1).max().unwrap_or(0)
            }
        };
        let needs = (0..symbols.name_count() as u32).map(|name| need(projection.want(Name(name)))).collect();
        let other_need = need(projection.others());
        let parameters = parameters.map(|column| column as u32).collect();
        let texts = fields.iter().map(|&text| text.to_owned()).collect();
        Header { columns, texts, name, time, column_of, parameters, needs, other_need }
    }

    /// The column of a field.
    pub(super) fn column(&self, key: Key) -> Option<usize> {
        self.column_of.get(key.0 as usize).copied().flatten().map(|column| column as usize)
    }

    /// How many cells must be kept of an event with this name.
    #[inline]
    pub(super) fn need(&self, name: Name) -> usize {
        *self.needs.get(name.0 as usize).unwrap_or(&self.other_need) as usize
    }

    /// The last column that every row must have.
    pub(super) fn last_vital(&self) -> usize {
        self.name.max(self.time.unwrap_or(0))
    }
}

#[cold]
fn no_header(row: &[u8], texts: &[String]) -> Fault {
    let line = row.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let fault = Fault::new(
        Code::NoHeader,
        0,
        format!("the first line, {}, is no header: no cell of it is `event` or `name`", quote(line.trim_ascii())),
    );
    let cased = |wanted: &str| texts.iter().find(|text| text.eq_ignore_ascii_case(wanted));
    if let Some(text) = cased("event").or_else(|| cased("name")) {
        return fault.help(format!("write `{}`: names are told apart by case", text.to_lowercase()));
    }
    let other = |separator| memchr(separator, line).is_some() && memchr(b',', line).is_none();
    if let Some(separator) = [b';', b'\t', b'|'].into_iter().find(|&separator| other(separator)) {
        return fault.help(format!("separate the cells with commas, not with {}", quote(&[separator])));
    }
    match line.trim_ascii().first() {
        Some(b'<') => fault.help("this looks like XML: add `--format xml` or `--format xes`"),
        Some(b'[' | b'{') => fault
            .help("this looks like JSON: add `--format json`, or `--format ndjson` if it has one flat object per line"),
        Some(b'@') => fault.help("this looks like a log of MonPoly: add `--format monpoly`"),
        _ => fault
            .help("begin with a line such as `event, time, user`, or write every cell after the name as `user=ann`; for a text log put its pattern into the spec, such as `log text \"{time} {event}\"`"),
    }
}
