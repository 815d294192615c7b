// SPDX-License-Identifier: MIT OR Apache-2.0
//! SWAR: operations on eight bytes at a time in a 64-bit word, the first byte lowest. Cells and numbers are short, so
//! that this is faster than a call to a vectorised search.

const LOW: u64 = splat(1);
const HIGH: u64 = splat(0x80);

/// Returns a word of eight equal bytes.
#[inline]
pub const fn splat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Returns the eight bytes at an offset; zeros if fewer exist.
#[inline]
pub fn load(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// Sets the high bit of each byte that equals the pattern's. Only the lowest mark is reliable: a carry may add marks
/// above it.
#[inline]
pub const fn mark_equal(word: u64, pattern: u64) -> u64 {
    let difference = word ^ pattern;
    difference.wrapping_sub(LOW) & !difference & HIGH
}

/// Returns the index of the byte with the lowest mark; 8 if there is none.
#[inline]
pub const fn first_marked(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// Returns the first `count` bytes of a word, `count <= 8`.
#[inline]
pub const fn low_bytes(word: u64, count: usize) -> u64 {
    if count >= 8 { word } else { word & ((1 << (8 * count)) - 1) }
}

/// Returns the first offset from here on that is not white space, in padded bytes.
#[inline]
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let others = load(bytes, at) ^ splat(b' ');
        if others == 0 {
            at += 8;
            continue;
        }
        at += (others.trailing_zeros() / 8) as usize;
        match bytes.get(at) {
            Some(b'\n' | b'\r' | b'\t') => at += 1,
            _ => return at,
        }
    }
}

/// Returns the offset of the first byte from here on that is the delimiter, `&` or a control character, in padded bytes. The
/// padding consists of control characters, so the search ends there at the latest.
#[inline]
pub fn text_end(bytes: &[u8], mut at: usize, delimiter: u8) -> usize {
    const BLANKS: u64 = splat(b' ');
    loop {
        let word = load(bytes, at);
        // A byte below a blank borrows; one above ASCII is excluded by its own high bit.
        let control = word.wrapping_sub(BLANKS) & !word & splat(0x80);
        let marks = mark_equal(word, splat(delimiter)) | mark_equal(word, splat(b'&')) | control;
        at += first_marked(marks);
        if marks != 0 {
            return at;
        }
    }
}

/// Returns the offset of the first double quote, backslash or control character from here on, in padded bytes, and true if all bytes
/// before it are ASCII.
#[inline]
pub fn string_end(bytes: &[u8], mut at: usize) -> (usize, bool) {
    const BLANKS: u64 = splat(b' ');
    let mut passed = 0;
    loop {
        let word = load(bytes, at);
        // See `text_end`.
        let control = word.wrapping_sub(BLANKS) & !word & HIGH;
        let marks = mark_equal(word, splat(b'"')) | mark_equal(word, splat(b'\\')) | control;
        let length = first_marked(marks);
        passed |= low_bytes(word, length);
        at += length;
        if marks != 0 {
            return (at, passed & HIGH == 0);
        }
    }
}

/// Reads the whole number that begins here. Returns its value and its end; `None` if there is no digit, or so many that
/// the value might not fit.
#[inline(always)]
pub fn whole_number(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    const POWERS: [i64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    let (value, count) = digits(load(bytes, at));
    let mut value = value as i64;
    if count < 8 {
        return (count > 0).then_some((value, at + count));
    }
    let (more, count) = digits(load(bytes, at + 8));
    // 16 digits fit into 64 bits.
    value = value.wrapping_mul(POWERS[count]).wrapping_add(more as i64);
    (count < 8).then_some((value, at + 8 + count))
}

/// Returns the number that the leading digits of a word form, and their count.
#[inline]
const fn digits(word: u64) -> (u64, usize) {
    let values = word ^ splat(b'0');
    // A byte above 9 gets its high bit set; a carry out of it affects only bytes behind the first such byte.
    let count = first_marked((values.wrapping_add(splat(0x76)) | values) & HIGH);
    if count == 0 {
        return (0, 0);
    }
    // Shifting fills the word with leading zeros. Then pairs, quadruples and halves are combined, each step in one
    // multiplication.
    let pairs = (values << (64 - 8 * count)).wrapping_mul(10 * 256 + 1) >> 8;
    let quadruples = (pairs & 0x00FF_00FF_00FF_00FF).wrapping_mul(100 * 65_536 + 1) >> 16;
    let halves = (quadruples & 0x0000_FFFF_0000_FFFF).wrapping_mul(10_000 * (1 << 32) + 1) >> 32;
    (halves, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.extend([0; 24]);
        bytes
    }

    #[test]
    fn whole_numbers_of_every_length() {
        let digits = "123456789012345678901234";
        for length in 1..=15 {
            for after in [",", "\n", "x", "\u{FF}", "/", ":", "~\u{FF}\u{FF}"] {
                let text = format!("{}{after}", &digits[..length]);
                let expected = Some((digits[..length].parse().unwrap(), length));
                assert_eq!(whole_number(&padded(&text), 0), expected, "{text}");
            }
        }
        assert_eq!(whole_number(&padded("99999999"), 0), Some((99_999_999, 8)));
        assert_eq!(whole_number(&padded("999999999999999"), 0), Some((999_999_999_999_999, 15)));
        assert_eq!(whole_number(&padded(&digits[..16]), 0), None);
        for text in ["", "-1", " 1", "x", "\u{80}1"] {
            assert_eq!(whole_number(&padded(text), 0), None, "{text:?}");
        }
    }

    #[test]
    fn strings_end_at_quotes_escapes_and_control_characters() {
        for (text, end, is_ascii) in [
            ("abc\"def", 3, true),
            ("a longer string without end\\\"", 27, true),
            ("\u{E9}t\u{E9} \"", 6, false),
            ("12345678\u{E9}\t\"", 10, false),
            ("12345678\"\u{E9}", 8, true),
            ("\"\u{E9}", 0, true),
            ("no end", 6, true),
            ("", 0, true),
        ] {
            assert_eq!(string_end(&padded(text), 0), (end, is_ascii), "{text}");
        }
    }

    #[test]
    fn marks_find_the_first_match() {
        for (text, position) in [("abc,defg", 3), (",,,,,,,,", 0), ("abcdefgh", 8), ("-,\u{FF}abcde", 1)] {
            let word = load(&padded(text), 0);
            assert_eq!(first_marked(mark_equal(word, splat(b','))), position, "{text}");
        }
        assert_eq!(low_bytes(u64::MAX, 3), 0xFF_FFFF);
        assert_eq!((low_bytes(u64::MAX, 0), low_bytes(u64::MAX, 8)), (0, u64::MAX));
    }
}
