// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pruning: the parts of a row group that need not be read.
//!
//! A row group is read column by column. For each group the reader first finds out which event names it may contain
//! ([`GroupNames`]):
//! 1. the dictionary of the column of names lists them exactly, if all pages of the column use it;
//! 2. otherwise the minimum and maximum in the statistics bound them;
//! 3. otherwise any name may occur.
//!
//! Then it reads only the columns that some event of the group needs ([`WantedColumns::columns`]). If no property
//! mentions any of the names ([`WantedColumns::is_idle`]), the whole group is offered as a gap: the monitor may skip it
//! if no position between the first and the last time of the group matters, such as a deadline.
//!
//! Example: properties want `amount` of `pay` and nothing of others. A group with the dictionary {`logon`, `pay`} is
//! read with the columns event, time and amount; a group with {`logon`} and `logon` mentioned, with event and time; one
//! with {`ping`} not at all.

use std::ops::RangeInclusive;

use gnomon_core::event::{FieldSelection, Projection};
use gnomon_core::symbols::{Name, Symbols};
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader as _};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;

use crate::header::TableHeader;

/// Limit on the size of a dictionary that is searched; a larger one has too many names to exclude any.
const LARGEST_DICTIONARY: usize = 1 << 20;

/// The columns that are wanted, by event name.
pub(super) struct WantedColumns {
    /// The names of which fields are wanted, with the columns.
    named: Vec<(String, Vec<bool>)>,
    /// The columns that are wanted of all other events.
    others: Vec<bool>,
    has_others: bool,
    /// The columns of name and time, which are always read.
    always: Vec<bool>,
    /// The names that some property mentions.
    known: Vec<String>,
}

impl WantedColumns {
    pub(super) fn new(header: &TableHeader, symbols: &Symbols, projection: &Projection) -> WantedColumns {
        let columns = header.texts.len();
        let marked = |want: &FieldSelection| {
            let mut wanted = vec![false; columns];
            header.wanted(want).into_iter().for_each(|column| wanted[column] = true);
            wanted
        };
        let wanted = (0..symbols.name_count() as u32)
            .map(Name)
            .filter(|name| *projection.selection(*name) != FieldSelection::Nothing);
        let named =
            wanted.map(|name| (symbols.name_text(name).to_owned(), marked(projection.selection(name)))).collect();
        let mut always = vec![false; columns];
        header.name.columns().iter().for_each(|column| always[*column] = true);
        header.time.into_iter().for_each(|time| always[time] = true);
        let others = marked(projection.default_selection());
        let known = (0..symbols.name_count() as u32).map(|name| symbols.name_text(Name(name)).to_owned()).collect();
        WantedColumns {
            named,
            has_others: *projection.default_selection() != FieldSelection::Nothing,
            others,
            always,
            known,
        }
    }

    /// Returns the columns that must be read where events may have these names.
    pub(super) fn columns(&self, names: &GroupNames) -> Vec<usize> {
        let mut wanted = self.always.clone();
        let mut add = |columns: &[bool]| wanted.iter_mut().zip(columns).for_each(|(all, this)| *all |= this);
        if self.has_others {
            add(&self.others);
        }
        self.named.iter().filter(|(name, _)| names.may_contain(name)).for_each(|(_, columns)| add(columns));
        (0..wanted.len()).filter(|column| wanted[*column]).collect()
    }

    /// Returns true if no property mentions any of these names and nothing is wanted of others.
    pub(super) fn is_idle(&self, names: &GroupNames) -> bool {
        !self.has_others && !self.known.iter().any(|name| names.may_contain(name))
    }

    /// Returns true if knowing the names of a group can exclude columns.
    pub(super) fn can_spare(&self) -> bool {
        self.columns(&GroupNames::Any).len() > self.columns(&GroupNames::Listed(vec![])).len()
    }
}

/// The names that the events of a row group may have.
pub(super) enum GroupNames {
    Any,
    Between(RangeInclusive<Vec<u8>>),
    Listed(Vec<Vec<u8>>),
}

impl GroupNames {
    /// Returns names that certainly occur.
    pub(super) fn certain(&self) -> Vec<String> {
        let texts: Vec<&[u8]> = match self {
            GroupNames::Any => vec![],
            GroupNames::Between(range) => vec![range.start(), range.end()],
            GroupNames::Listed(names) => names.iter().map(Vec::as_slice).collect(),
        };
        texts.into_iter().filter_map(|text| String::from_utf8(text.to_vec()).ok()).collect()
    }

    fn may_contain(&self, name: &str) -> bool {
        match self {
            GroupNames::Any => true,
            GroupNames::Between(range) => {
                range.start().as_slice() <= name.as_bytes() && name.as_bytes() <= range.end().as_slice()
            }
            GroupNames::Listed(names) => names.iter().any(|known| known == name.as_bytes()),
        }
    }
}

/// Returns the names of a group as far as its metadata determine them.
pub(super) fn names<T: ChunkReader + 'static>(file: T, group: &RowGroupMetaData, leaf: usize) -> GroupNames {
    let Some(column) = group.columns().get(leaf) else { return GroupNames::Any };
    if column.column_type() != Type::BYTE_ARRAY {
        return GroupNames::Any;
    }
    let by_dictionary = if uses_only_dictionary(column) { listed(file, group, column) } else { None };
    by_dictionary.or_else(|| between(column)).unwrap_or(GroupNames::Any)
}

fn between(column: &ColumnChunkMetaData) -> Option<GroupNames> {
    let statistics = column.statistics()?;
    // Deprecated bounds may use another order of strings.
    if statistics.is_min_max_deprecated() {
        return None;
    }
    Some(GroupNames::Between(statistics.min_bytes_opt()?.to_vec()..=statistics.max_bytes_opt()?.to_vec()))
}

/// Returns true if all data pages of a column are known to use its dictionary.
fn uses_only_dictionary(column: &ColumnChunkMetaData) -> bool {
    column.dictionary_page_offset().is_some()
        && column
            .page_encoding_stats_mask()
            .is_some_and(|used| used.is_only(Encoding::PLAIN_DICTIONARY) || used.is_only(Encoding::RLE_DICTIONARY))
}

/// Returns the entries of the dictionary.
fn listed<T: ChunkReader + 'static>(
    file: T,
    group: &RowGroupMetaData,
    column: &ColumnChunkMetaData,
) -> Option<GroupNames> {
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
    Some(GroupNames::Listed(names))
}
