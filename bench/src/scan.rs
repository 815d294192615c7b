// SPDX-License-Identifier: MIT OR Apache-2.0
//! The baseline of all speeds: a bare scan of a CSV file that finds commas and newlines and parses numbers.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

/// Result of a scan; the sum keeps the compiler from removing the parsing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ScanTotals {
    pub(crate) rows: u64,
    pub(crate) sum: u64,
}

/// Scans an input row by row: the numbers after the first comma are parsed, the header counts as a row.
pub(crate) fn scan(mut input: impl Read) -> io::Result<ScanTotals> {
    let mut buffer = vec![0; 256 << 10];
    let mut kept = 0;
    let mut total = ScanTotals::default();
    loop {
        let read = input.read(&mut buffer[kept..])?;
        let end = kept + read;
        let whole = if read == 0 { end } else { memrchr(b'\n', &buffer[..end]).map_or(0, |newline| newline + 1) };
        scan_rows(&buffer[..whole], &mut total);
        if read == 0 {
            return Ok(total);
        }
        buffer.copy_within(whole..end, 0);
        kept = end - whole;
        if kept == buffer.len() {
            return Err(io::Error::other("a row longer than the buffer"));
        }
    }
}

fn scan_rows(mut rows: &[u8], total: &mut ScanTotals) {
    while !rows.is_empty() {
        let comma = memchr(b',', rows).map_or(rows.len(), |comma| comma + 1);
        rows = &rows[comma..];
        loop {
            let mut number = 0_u64;
            let mut length = 0;
            for &byte in rows {
                match byte {
                    b'0'..=b'9' => number = number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')),
                    b' ' => {}
                    _ => break,
                }
                length += 1;
            }
            rows = &rows[length..];
            total.sum = total.sum.wrapping_add(number);
            if rows.first() != Some(&b',') {
                break;
            }
            rows = &rows[1..];
        }
        // A number is nearly always the last cell: that saves a search.
        let newline = match rows.first() {
            Some(b'\n') => 1,
            _ => memchr(b'\n', rows).map_or(rows.len(), |newline| newline + 1),
        };
        rows = &rows[newline..];
        total.rows += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_numbers() {
        let scanned = scan("event, time\na, 1\nb, 20\nc, 300".as_bytes()).unwrap();
        assert_eq!(scanned, ScanTotals { rows: 4, sum: 321 });
        let several = scan("event, time, c, i\na, 1, 20, 300\nb, 1, , 20\nc, 1".as_bytes()).unwrap();
        assert_eq!(several, ScanTotals { rows: 4, sum: 343 });
        let text = "a, 1\n".repeat(100_000);
        assert_eq!(scan(text.as_bytes()).unwrap(), ScanTotals { rows: 100_000, sum: 100_000 });
    }
}
