// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace formats, and how one is told from another.

use std::fmt;
use std::path::Path;

/// A trace format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Comma-separated values, with a header or with `name=value` cells.
    Csv,
    /// One flat JSON object per line.
    Ndjson,
}

impl Format {
    /// Every format that can be read.
    pub const ALL: [Format; 2] = [Format::Csv, Format::Ndjson];

    /// The format with this [`Format::word`].
    pub fn parse(word: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.word() == word)
    }

    /// The word for it on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Ndjson => "ndjson",
        }
    }

    /// The file extensions that tell it.
    const fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Csv => &["csv"],
            Format::Ndjson => &["ndjson", "jsonl"],
        }
    }

    /// The format of an input: by its extension, else by how it begins.
    pub fn detect(path: Option<&Path>, head: &[u8]) -> Format {
        let extension = path.and_then(Path::extension).and_then(|extension| extension.to_str()).unwrap_or("");
        let named = |format: &Format| format.extensions().iter().any(|known| known.eq_ignore_ascii_case(extension));
        Format::ALL.into_iter().find(named).unwrap_or_else(|| {
            let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
            match head.iter().find(|byte| !byte.is_ascii_whitespace()) {
                Some(b'{') => Format::Ndjson,
                _ => Format::Csv,
            }
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.word()), Some(format));
        }
        assert_eq!(Format::parse("CSV"), None);
    }

    #[test]
    fn the_extension_decides_before_the_content() {
        for (path, head, format) in [
            ("a.csv", "{", Format::Csv),
            ("a.CSV", "{", Format::Csv),
            ("a.ndjson", "event, time", Format::Ndjson),
            ("a.jsonl", "", Format::Ndjson),
            ("a.log", " \n\t{\"event\"", Format::Ndjson),
            ("-", "\u{FEFF}{", Format::Ndjson),
            ("-", "event, time", Format::Csv),
            ("", "", Format::Csv),
        ] {
            assert_eq!(Format::detect(Some(Path::new(path)), head.as_bytes()), format, "{path} {head}");
        }
        assert_eq!(Format::detect(None, b"{}"), Format::Ndjson);
    }
}
