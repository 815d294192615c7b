// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the places at which a stream of XML can be split: after each complete `<event>`. Only the nesting is
//! examined; the reader checks the rest.

/// Scans a stream of XML incrementally.
#[derive(Clone, Debug, Default)]
pub(super) struct XmlSplitter {
    depth: usize,
    /// Depth of events: 1 inside a root element, 0 without one.
    events_at: usize,
    state: ScanState,
    /// The first bytes of the current tag.
    tag: Vec<u8>,
    /// The last byte inside a tag, and the open quote.
    last: u8,
    quote: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum ScanState {
    #[default]
    Text,
    Tag,
    /// Inside `<!-- -->`, `<![CDATA[ ]]>` or `<? ?>`: the terminator, and how much of it was matched.
    Section(&'static [u8], usize),
}

/// A place to split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CutPoint {
    /// A root element was opened: bytes before it belong to no event.
    Opened(usize),
    /// An event ends here.
    Event(usize),
    /// The root element was closed.
    Closed(usize),
}

/// Number of bytes that identify a tag: `<![CDATA[` is the longest.
const TAG_PREFIX_BYTES: usize = 9;

impl XmlSplitter {
    /// Scans the next bytes. Calls `cut` with offsets in them (one past the last byte).
    pub(super) fn read(&mut self, bytes: &[u8], mut cut: impl FnMut(CutPoint)) {
        for (at, byte) in bytes.iter().copied().enumerate() {
            match self.state {
                ScanState::Text => {
                    if byte == b'<' {
                        self.state = ScanState::Tag;
                        self.tag.clear();
                        (self.last, self.quote) = (0, None);
                    }
                }
                ScanState::Section(end, matched) => self.state = next_in_section(end, matched, byte),
                ScanState::Tag => {
                    if self.tag.len() < TAG_PREFIX_BYTES {
                        self.tag.push(byte);
                    }
                    match (self.quote, byte) {
                        (Some(quote), _) if quote == byte => self.quote = None,
                        (None, b'"' | b'\'') => self.quote = Some(byte),
                        (None, b'>') => {
                            self.state = ScanState::Text;
                            self.close(at + 1, &mut cut);
                            continue;
                        }
                        (Some(_) | None, _) => {}
                    }
                    self.last = byte;
                    match self.tag.as_slice() {
                        b"?" => self.state = ScanState::Section(b"?>", 0),
                        b"!--" => self.state = ScanState::Section(b"-->", 0),
                        b"![CDATA[" => self.state = ScanState::Section(b"]]>", 0),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Handles the end of a tag before `at`.
    fn close(&mut self, at: usize, cut: &mut impl FnMut(CutPoint)) {
        match self.tag.first() {
            // A declaration; the reader will refuse it.
            Some(b'!') => {}
            Some(b'/') => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == self.events_at {
                    cut(CutPoint::Event(at));
                } else if self.depth == 0 {
                    cut(CutPoint::Closed(at));
                }
            }
            _ => {
                let is_empty = self.last == b'/';
                if self.depth == 0 {
                    let is_event = self.tag.strip_prefix(b"event").is_some_and(|rest| !is_name(rest.first()));
                    self.events_at = usize::from(!is_event);
                    match (is_event, is_empty) {
                        (true, true) => cut(CutPoint::Event(at)),
                        (false, true) => cut(CutPoint::Closed(at)),
                        (true, false) => self.depth = 1,
                        (false, false) => {
                            self.depth = 1;
                            cut(CutPoint::Opened(at));
                        }
                    }
                } else if !is_empty {
                    self.depth += 1;
                } else if self.depth == self.events_at {
                    cut(CutPoint::Event(at));
                }
            }
        }
    }
}

fn is_name(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| !matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))
}

fn next_in_section(end: &'static [u8], matched: usize, byte: u8) -> ScanState {
    if byte == end[matched] {
        return if matched + 1 == end.len() { ScanState::Text } else { ScanState::Section(end, matched + 1) };
    }
    // `--->` and `]]]>` are terminators: the byte before the last may repeat.
    let repeats = matched + 1 == end.len() && end.len() == 3 && byte == end[0];
    ScanState::Section(end, if repeats { matched } else { usize::from(byte == end[0]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(text: &str, piece: usize) -> Vec<String> {
        let (mut splitter, mut found) = (XmlSplitter::default(), Vec::new());
        let (mut start, mut offset) = (0, 0);
        for part in text.as_bytes().chunks(piece) {
            splitter.read(part, |cut| match cut {
                CutPoint::Opened(at) | CutPoint::Closed(at) => start = offset + at,
                CutPoint::Event(at) => {
                    found.push(text[start..offset + at].trim().to_owned());
                    start = offset + at;
                }
            });
            offset += part.len();
        }
        found
    }

    #[test]
    fn every_whole_event_is_cut_off_however_it_comes() {
        let text = "<?xml version=\"1.0\"?><!-- <event> ---><log a='>'>\n<event><name>a</name></event> <event/>\
                    <event><name><![CDATA[</event>]]]></name><field><name>x</name></field></event></log> \
                    <event><name>b</name></event><log/><events><event x='/'></event></events>";
        let expected = [
            "<event><name>a</name></event>",
            "<event/>",
            "<event><name><![CDATA[</event>]]]></name><field><name>x</name></field></event>",
            "<event><name>b</name></event>",
            "<event x='/'></event>",
        ];
        for piece in 1..=text.len() {
            assert_eq!(cuts(text, piece), expected, "{piece}");
        }
    }

    #[test]
    fn what_is_never_closed_is_never_cut_and_what_was_never_opened_is_left_to_the_reader() {
        for text in ["<!DOCTYPE x [", "<a b=\">", "<![CDATA[</event>", "<event", "<log><event>", "]]>-->"] {
            assert_eq!(cuts(text, 1), Vec::<String>::new(), "{text}");
        }
        assert_eq!(cuts("</a></b><c>", 1), ["</a>", "</b>"]);
    }
}
