// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits on what the pages of a column claim, checked before the Parquet library allocates memory for them.
//!
//! The library trusts numbers in a file: the size of a page once it is unpacked, the number of entries of a dictionary, the number of
//! values in a list, the length of values of fixed length. A file of a kilobyte could claim gigabytes. Each of these is
//! compared here with the number of bytes that the file has for it.
//!
//! COST: the headers of the pages of the wanted columns are read twice, some dozen bytes for each page of a megabyte. Pages of
//! texts in a delta encoding, which few programs write, are unpacked twice.

use std::sync::Arc;

use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use gnomon_scan::{Code, Fault};
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader as _};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::read::RandomAccess;

/// A page may have this size, however well it is packed: most writers begin a new page after a megabyte.
const USUAL_PAGE: u64 = 2 << 20;
/// A larger page has at most this many bytes for each packed byte.
const PACKED_RATIO: u64 = 2_048;
/// Levels of lists take at least so little: a bit for each value, packed.
const VALUES_PER_BYTE: u64 = 4_096;
const FEW_VALUES: u64 = 1 << 14;
/// Limit on the length of a value of fixed length, and on the number of items of a list of fixed length: a null takes as much.
const LONGEST_FIXED: usize = 4_096;

/// Checks the types of the wanted columns.
pub(super) fn check_fields(schema: &Schema, columns: &[usize]) -> Result<(), Fault> {
    let too_long = |column: &usize| fixed_length(schema.field(*column).data_type()) > LONGEST_FIXED;
    match columns.iter().find(|column| too_long(column)) {
        Some(column) => Err(implausible(&format!(
            "the values of `{}` have a length beyond the limit",
            schema.field(*column).name()
        ))),
        None => Ok(()),
    }
}

/// Returns the number of items or bytes that a null of this type takes.
fn fixed_length(kind: &DataType) -> usize {
    match kind {
        DataType::FixedSizeBinary(length) => usize::try_from(*length).unwrap_or(usize::MAX),
        DataType::FixedSizeList(item, length) => {
            let length = usize::try_from(*length).unwrap_or(usize::MAX);
            length.saturating_mul(fixed_length(item.data_type()).max(1))
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => fixed_length(item.data_type()),
        DataType::Struct(fields) => fields.iter().map(|field| fixed_length(field.data_type())).max().unwrap_or(0),
        _ => 0,
    }
}

/// Checks the pages of a column of a row group.
pub(super) fn check<S: RandomAccess>(store: &S, column: &ColumnChunkMetaData) -> Result<(), Fault> {
    let kind = column.column_descr();
    if kind.physical_type() == Type::FIXED_LEN_BYTE_ARRAY && !(0..=LONGEST_FIXED as i32).contains(&kind.type_length()) {
        return Err(implausible("values of fixed length are longer than the limit"));
    }
    let (mut at, length) = column.byte_range();
    let end = at.checked_add(length).filter(|end| *end <= store.len()).ok_or_else(truncated)?;
    let is_list = kind.max_rep_level() > 0;
    let (mut values, mut has_delta_texts) = (0_u64, false);
    while at < end {
        let (header, header_length) = read_header(store, at, end)?;
        header.check()?;
        values += header.values;
        has_delta_texts |= header.encoding.is_some_and(is_delta_text);
        at += header_length + header.packed;
    }
    if is_list && values > FEW_VALUES + length.saturating_mul(VALUES_PER_BYTE) {
        return Err(implausible(&format!("{values} values in {length} bytes")));
    }
    if has_delta_texts && kind.physical_type() != Type::INT32 && kind.physical_type() != Type::INT64 {
        check_delta_texts(store, column)?;
    }
    Ok(())
}

#[cold]
fn implausible(what: &str) -> Fault {
    Fault::new(Code::Columns, 0, format!("the columns cannot be read: a page claims more than the file has: {what}"))
        .help("the file is damaged; write it again")
}

#[cold]
fn truncated() -> Fault {
    Fault::new(Code::Columns, 0, "the columns cannot be read: a page of the file is damaged")
        .help("write the file again")
}

/// The numbers in the header of a page.
#[derive(Default)]
struct PageHeader {
    unpacked: u64,
    packed: u64,
    /// The number of values of a data page.
    values: u64,
    /// The number of entries of a dictionary page.
    entries: u64,
    encoding: Option<i64>,
}

impl PageHeader {
    fn check(&self) -> Result<(), Fault> {
        let largest = self.packed.saturating_mul(PACKED_RATIO).max(USUAL_PAGE);
        if self.unpacked > largest {
            return Err(implausible(&format!("{} bytes unpacked from {}", self.unpacked, self.packed)));
        }
        // An entry takes a byte at least; texts have their lengths in front.
        if self.entries > self.unpacked {
            return Err(implausible(&format!("{} entries of a dictionary in {} bytes", self.entries, self.unpacked)));
        }
        Ok(())
    }
}

/// Header lengths to try: headers with statistics may be long.
const HEADER_LENGTHS: [u64; 3] = [128, 1 << 13, 16 << 20];

/// Reads the header of the page at an offset. Returns the length of the header, too.
fn read_header<S: RandomAccess>(store: &S, at: u64, end: u64) -> Result<(PageHeader, u64), Fault> {
    for length in HEADER_LENGTHS {
        let length = length.min(end - at);
        let bytes = store.get_bytes(at, length as usize).map_err(|_| truncated())?;
        let mut thrift = Thrift { bytes: &bytes };
        if let Some(header) = thrift.page_header() {
            return Ok((header, length - thrift.bytes.len() as u64));
        }
        if length == end - at {
            break;
        }
    }
    Err(truncated())
}

/// A reader of Thrift's compact protocol. Its functions return `None` at the end of the bytes, or where they are damaged.
struct Thrift<'a> {
    bytes: &'a [u8],
}

/// Types of the compact protocol.
const BYTE: u8 = 3;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;
/// Elements in elements that are skipped.
const DEEPEST: u32 = 8;

impl Thrift<'_> {
    /// Reads a `PageHeader` of the Parquet format.
    fn page_header(&mut self) -> Option<PageHeader> {
        let mut header = PageHeader::default();
        let mut last = 0;
        while let Some((field, kind)) = self.field(&mut last)? {
            match field {
                2 => header.unpacked = u64::try_from(self.integer()?).ok()?,
                3 => header.packed = u64::try_from(self.integer()?).ok()?,
                // Data pages of both versions, and dictionary pages. The number of values is the first field of all of them; the encoding
                // is the second, and the fourth of a data page of the second version.
                5 | 7 | 8 if kind == STRUCT => {
                    let mut last = 0;
                    while let Some((inner, kind)) = self.field(&mut last)? {
                        match (field, inner) {
                            (5 | 8, 1) => header.values = u64::try_from(self.integer()?).ok()?,
                            (7, 1) => header.entries = u64::try_from(self.integer()?).ok()?,
                            (5, 2) | (8, 4) => header.encoding = Some(self.integer()?),
                            _ => self.skip(kind, 0)?,
                        }
                    }
                }
                _ => self.skip(kind, 0)?,
            }
        }
        Some(header)
    }

    /// Reads the head of a field: its number and its type. The inner `None` is the end of the structure.
    #[expect(clippy::option_option, reason = "the end of the bytes differs from the end of a structure")]
    fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        let step = i64::from(head >> 4);
        *last = if step == 0 { self.integer()? } else { *last + step };
        Some(Some((*last, head & 0xF)))
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        match kind {
            1 | 2 => {}
            BYTE => {
                self.byte()?;
            }
            4..=6 => {
                self.varint()?;
            }
            DOUBLE => self.bytes = self.bytes.get(8..)?,
            BINARY => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.bytes = self.bytes.get(length..)?;
            }
            LIST | SET if depth < DEEPEST => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // Truth values in a list take a byte each.
                let item = if head & 0xF <= 2 { BYTE } else { head & 0xF };
                (0..count).try_for_each(|_| self.skip(item, depth + 1))?;
            }
            STRUCT if depth < DEEPEST => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// Returns true for `DELTA_LENGTH_BYTE_ARRAY` and `DELTA_BYTE_ARRAY`.
fn is_delta_text(encoding: i64) -> bool {
    matches!(encoding, 6 | 7)
}

/// Checks the numbers of lengths inside pages of texts in a delta encoding.
fn check_delta_texts<S: RandomAccess>(store: &S, column: &ColumnChunkMetaData) -> Result<(), Fault> {
    let store = Arc::new(store.again().map_err(|error| Fault::io(0, error))?);
    let mut pages = SerializedPageReader::new(store, column, 0, None).map_err(|_| truncated())?;
    let (definition, repetition) = (column.column_descr().max_def_level(), column.column_descr().max_rep_level());
    while let Some(page) = pages.get_next_page().map_err(|_| truncated())? {
        let (data, values, encoding) = match page {
            Page::DataPage { buf, num_values, encoding, .. } => {
                let levels = usize::from(definition > 0) + usize::from(repetition > 0);
                (skip_levels(buf, levels).ok_or_else(truncated)?, num_values, encoding)
            }
            Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let levels = def_levels_byte_len as usize + rep_levels_byte_len as usize;
                let data = buf.len().checked_sub(levels).map(|_| buf.slice(levels..));
                (data.ok_or_else(truncated)?, num_values, encoding)
            }
            Page::DictionaryPage { .. } => continue,
        };
        let lists = match encoding {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => continue,
        };
        let mut rest = Thrift { bytes: &data };
        for _ in 0..lists {
            let count = skip_lengths(&mut rest).ok_or_else(truncated)?;
            if count > u64::from(values) {
                return Err(implausible(&format!("{count} lengths of {values} texts")));
            }
        }
    }
    Ok(())
}

/// Skips the levels at the front of a data page of the first version. Each list of them has its length in front.
fn skip_levels(mut data: Bytes, lists: usize) -> Option<Bytes> {
    for _ in 0..lists {
        let length = u32::from_le_bytes(*data.first_chunk::<4>()?) as usize;
        data = (data.len() >= 4 + length).then(|| data.slice(4 + length..))?;
    }
    Some(data)
}

/// Skips numbers in the encoding `DELTA_BINARY_PACKED`. Returns how many there are.
fn skip_lengths(rest: &mut Thrift<'_>) -> Option<u64> {
    let (block, parts, count) = (rest.varint()?, rest.varint()?, rest.varint()?);
    rest.varint()?;
    let per_part = block.checked_div(parts).filter(|per_part| *per_part > 0)?;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        rest.varint()?;
        let widths = rest.bytes.get(..usize::try_from(parts).ok()?)?;
        rest.bytes = &rest.bytes[widths.len()..];
        for width in widths {
            if left == 0 {
                break;
            }
            let bytes = usize::try_from(per_part.checked_mul(u64::from(*width))?.div_ceil(8)).ok()?;
            // The last part may be cut off after its last value.
            rest.bytes = rest.bytes.get(bytes..).unwrap_or_default();
            left = left.saturating_sub(per_part);
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes numbers as zigzag varints behind heads of fields that follow each other.
    fn structure(fields: &[(u8, &[u8])]) -> Vec<u8> {
        let mut bytes: Vec<u8> = fields.iter().flat_map(|(head, value)| [&[*head], *value].concat()).collect();
        bytes.push(0);
        bytes
    }

    fn integer(mut value: u64) -> Vec<u8> {
        value <<= 1;
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    #[test]
    fn headers_are_read_and_compared() {
        let dictionary = structure(&[(0x15, &integer(67_000_000)), (0x15, &integer(0)), (0x11, &[])]);
        let page = |unpacked: u64| {
            structure(&[(0x15, &integer(2)), (0x15, &integer(unpacked)), (0x15, &integer(20)), (0x4C, &dictionary)])
        };
        let header = |bytes: &[u8]| Thrift { bytes }.page_header().unwrap();
        let small = header(&page(100));
        assert_eq!((small.unpacked, small.packed, small.entries), (100, 20, 67_000_000));
        assert!(small.check().is_err());
        assert!(header(&page(1_000_000_000)).check().is_err());
        let data = structure(&[(0x15, &integer(5)), (0x15, &integer(6)), (0x1C, &structure(&[(0x18, &[1, 7])]))]);
        let data = structure(&[(0x15, &integer(0)), (0x15, &integer(40)), (0x15, &integer(40)), (0x2C, &data)]);
        assert_eq!((header(&data).values, header(&data).encoding), (5, Some(6)));
        assert!(header(&data).check().is_ok());
        for length in 0..data.len() {
            assert!(Thrift { bytes: &data[..length] }.page_header().is_none(), "{length}");
        }
    }

    #[test]
    fn lengths_are_counted() {
        // Blocks of 128 in 4 parts, 3 numbers from 5 on, deltas of 2 bits in the first part.
        let bytes = [128, 1, 4, 3, 10, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 99];
        let mut rest = Thrift { bytes: &bytes };
        assert_eq!(skip_lengths(&mut rest), Some(3));
        assert_eq!(rest.bytes, [99]);
        assert_eq!(skip_lengths(&mut Thrift { bytes: &[128, 1, 4, 255, 255, 255, 255, 15, 10] }), None);
        assert_eq!(skip_lengths(&mut Thrift { bytes: &[0, 0, 1, 10] }), None);
    }
}
