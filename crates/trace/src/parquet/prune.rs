// SPDX-License-Identifier: MIT OR Apache-2.0
//! What need not be read of a row group: fields, where it has no event of which they are wanted; all of it, where it has no
//! event that anybody knows, and whoever judges need not look at any position between its first and its last time.
//!
//! Which names a group has is told by the dictionary of its column of names, where all its pages use it, else bounded
//! by the statistics.

use std::ops::RangeInclusive;

use gnomon_core::event::{Projection, Want};
use gnomon_core::symbols::{Name, Symbols};
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader as _};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;

use crate::arrow::Layout;

/// A dictionary with more bytes than this is not looked through: it would tell of too many names.
const LARGEST_DICTIONARY: usize = 1 << 20;

/// What is wanted of whom.
pub(super) struct Wanted {
    /// The names of which fields are wanted, and which.
    named: Vec<(String, Vec<bool>)>,
    /// What is wanted of all other events.
    others: Vec<bool>,
    has_others: bool,
    /// Name and time: always.
    vital: Vec<bool>,
    /// The names that someone knows.
    known: Vec<String>,
}

impl Wanted {
    pub(super) fn new(layout: &Layout, symbols: &Symbols, projection: &Projection) -> Wanted {
        let columns = layout.texts.len();
        let marked = |want: &Want| {
            let mut wanted = vec![false; columns];
            layout.mark(want, &mut wanted);
            wanted
        };
        let names = (0..symbols.name_count() as u32).map(Name).filter(|name| *projection.want(*name) != Want::Nothing);
        let asked = names.map(|name| (symbols.name_text(name).to_owned(), marked(projection.want(name)))).collect();
        let mut vital = vec![false; columns];
        vital[layout.name] = true;
        layout.time.into_iter().for_each(|time| vital[time] = true);
        let others = marked(projection.others());
        let known = (0..symbols.name_count() as u32).map(|name| symbols.name_text(Name(name)).to_owned()).collect();
        Wanted { named: asked, has_others: *projection.others() != Want::Nothing, others, vital, known }
    }

    /// The columns that must be read where events may have these names.
    pub(super) fn columns(&self, names: &Occurring) -> Vec<usize> {
        let mut wanted = self.vital.clone();
        let mut add = |columns: &[bool]| wanted.iter_mut().zip(columns).for_each(|(all, this)| *all |= this);
        if self.has_others {
            add(&self.others);
        }
        self.named.iter().filter(|(name, _)| names.may_have(name)).for_each(|(_, columns)| add(columns));
        (0..wanted.len()).filter(|column| wanted[*column]).collect()
    }

    /// Whether nothing is wanted of events with these names, and nobody knows one of them.
    pub(super) fn is_idle(&self, names: &Occurring) -> bool {
        !self.has_others && !self.known.iter().any(|name| names.may_have(name))
    }

    /// Whether knowing the names of a group could spare anything.
    pub(super) fn can_spare(&self) -> bool {
        self.columns(&Occurring::Any).len() > self.columns(&Occurring::Listed(vec![])).len()
    }
}

/// Which names the events of a row group may have.
pub(super) enum Occurring {
    Any,
    Between(RangeInclusive<Vec<u8>>),
    Listed(Vec<Vec<u8>>),
}

impl Occurring {
    /// Names that occur for certain.
    pub(super) fn certain(&self) -> Vec<String> {
        let texts: Vec<&[u8]> = match self {
            Occurring::Any => vec![],
            Occurring::Between(range) => vec![range.start(), range.end()],
            Occurring::Listed(names) => names.iter().map(Vec::as_slice).collect(),
        };
        texts.into_iter().filter_map(|text| String::from_utf8(text.to_vec()).ok()).collect()
    }

    fn may_have(&self, name: &str) -> bool {
        match self {
            Occurring::Any => true,
            Occurring::Between(range) => {
                range.start().as_slice() <= name.as_bytes() && name.as_bytes() <= range.end().as_slice()
            }
            Occurring::Listed(names) => names.iter().any(|known| known == name.as_bytes()),
        }
    }
}

/// The names of a group, as far as its metadata tell.
pub(super) fn names<T: ChunkReader + 'static>(file: T, group: &RowGroupMetaData, leaf: usize) -> Occurring {
    let Some(column) = group.columns().get(leaf) else { return Occurring::Any };
    if column.column_type() != Type::BYTE_ARRAY {
        return Occurring::Any;
    }
    let by_dictionary = if is_all_dictionary(column) { listed(file, group, column) } else { None };
    by_dictionary.or_else(|| between(column)).unwrap_or(Occurring::Any)
}

fn between(column: &ColumnChunkMetaData) -> Option<Occurring> {
    let statistics = column.statistics()?;
    // Deprecated bounds may be those of another order.
    if statistics.is_min_max_deprecated() {
        return None;
    }
    Some(Occurring::Between(statistics.min_bytes_opt()?.to_vec()..=statistics.max_bytes_opt()?.to_vec()))
}

/// Whether all data pages of a column are known to use its dictionary.
fn is_all_dictionary(column: &ColumnChunkMetaData) -> bool {
    column.dictionary_page_offset().is_some()
        && column
            .page_encoding_stats_mask()
            .is_some_and(|used| used.is_only(Encoding::PLAIN_DICTIONARY) || used.is_only(Encoding::RLE_DICTIONARY))
}

/// The entries of the dictionary.
fn listed<T: ChunkReader + 'static>(
    file: T,
    group: &RowGroupMetaData,
    column: &ColumnChunkMetaData,
) -> Option<Occurring> {
    let rows = usize::try_from(group.num_rows()).ok()?;
    let mut pages = SerializedPageReader::new(Arc::new(file), column, rows, None).ok()?;
    let Some(Page::DictionaryPage { buf, num_values, .. }) = pages.get_next_page().ok()? else { return None };
    if buf.len() > LARGEST_DICTIONARY {
        return None;
    }
    let (mut rest, mut names) = (&buf[..], Vec::new());
    for _ in 0..num_values {
        let (length, bytes) = rest.split_first_chunk::<4>()?;
        let (name, others) = bytes.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        names.push(name.to_vec());
        rest = others;
    }
    Some(Occurring::Listed(names))
}
