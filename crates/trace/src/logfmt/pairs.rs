// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pairs of a line.

use std::borrow::Cow;

use gnomon_core::value::Value;
use gnomon_scan::json::{JsonString, text};
use gnomon_scan::{Buffer, ByteRange};
use memchr::{memchr, memchr2};

use crate::row::RawField;

/// A key and its value, as ranges of the line or of the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) key: ByteRange,
    pub(super) value: ByteRange,
    pub(super) kind: PairKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PairKind {
    Bare,
    Quoted,
    /// A key without a value.
    Flag,
}

impl Pair {
    /// Returns the pair with its ranges moved.
    pub(super) fn shifted(self, by: usize) -> Pair {
        Pair { key: self.key.shifted(by), value: self.value.shifted(by), ..self }
    }

    /// Returns the text of the value.
    pub(super) fn written(self, bytes: &[u8]) -> Cow<'_, str> {
        let has_escapes = self.kind == PairKind::Quoted && memchr(b'\\', self.value.of(bytes)).is_some();
        text(bytes, JsonString { range: self.value, has_escapes })
    }

    /// Returns the value.
    pub(super) fn value_in(self, bytes: &[u8]) -> Value<'_> {
        match self.kind {
            PairKind::Bare => Value::from_cell(self.written(bytes)),
            PairKind::Quoted => Value::Text(self.written(bytes)),
            PairKind::Flag => Value::Bool(true),
        }
    }
}

impl RawField for Pair {
    fn name<R>(self, buffer: &Buffer<R>) -> Cow<'_, str> {
        String::from_utf8_lossy(self.key.of(buffer.padded()))
    }

    fn value<R>(self, buffer: &Buffer<R>) -> Value<'_> {
        self.value_in(buffer.padded())
    }
}

/// Reads the pair from `at` on, which is moved behind it; `None` at the end of the line, an error if there is something else.
pub(super) fn next_pair(line: &[u8], at: &mut usize) -> Result<Option<Pair>, &'static str> {
    while matches!(line.get(*at), Some(b' ' | b'\t')) {
        *at += 1;
    }
    let start = *at;
    let rest = &line[start..];
    if rest.is_empty() {
        return Ok(None);
    }
    let length = rest.iter().position(|byte| matches!(byte, b'=' | b' ' | b'\t' | b'"')).unwrap_or(rest.len());
    let key = ByteRange { start, end: start + length };
    let nothing = ByteRange { start: key.end, end: key.end };
    *at = key.end;
    match rest.get(length) {
        _ if length == 0 => return Err("a key is missing"),
        Some(b'"') => return Err("a quote is inside a key"),
        Some(b'=') => *at += 1,
        _ => return Ok(Some(Pair { key, value: nothing, kind: PairKind::Flag })),
    }
    let start = *at;
    if line.get(start) != Some(&b'"') {
        let rest = &line[start..];
        let length = memchr2(b' ', b'\t', rest).unwrap_or(rest.len());
        *at += length;
        return Ok(Some(Pair { key, value: ByteRange { start, end: *at }, kind: PairKind::Bare }));
    }
    let mut end = start + 1;
    loop {
        end += memchr2(b'"', b'\\', line.get(end..).unwrap_or_default()).ok_or("a quote is not closed")?;
        if line[end] == b'"' {
            break;
        }
        end += 2;
    }
    *at = end + 1;
    Ok(Some(Pair { key, value: ByteRange { start: start + 1, end }, kind: PairKind::Quoted }))
}

/// Returns true if a line plainly consists of pairs: it begins with one, has another, and few words that are none.
pub(crate) fn is_line(line: &[u8]) -> bool {
    let (mut at, mut pairs, mut flags) = (0, 0, 0);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@' | b'/');
    loop {
        match next_pair(line, &mut at) {
            Ok(Some(pair)) if pair.kind == PairKind::Flag && pairs > 0 => flags += 1,
            Ok(Some(pair)) if pair.kind == PairKind::Flag => return false,
            Ok(Some(pair)) if pair.key.of(line).iter().all(is_name) => pairs += 1,
            Ok(None) => return pairs > 1 && flags < pairs,
            Ok(Some(_)) | Err(_) => return false,
        }
    }
}
