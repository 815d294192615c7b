// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a stream of XML can be cut: after each whole `<event>`. Only the nesting is looked at; whether what lies between
//! the cuts is right is the reader's affair.

/// Follows a stream of XML as its bytes come.
#[derive(Clone, Debug, Default)]
pub(super) struct Cutter {
    depth: usize,
    /// How deep events are: 1 inside a root, 0 where they come without one.
    events_at: usize,
    place: Place,
    /// The first bytes of the tag that is being read.
    tag: Vec<u8>,
    /// The last byte inside a tag, and whether a quote is open in it.
    last: u8,
    quote: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Place {
    #[default]
    Text,
    Tag,
    /// Inside `<!-- -->`, `<![CDATA[ ]]>` or `<? ?>`: what ends it, and how much of that was seen.
    Aside(&'static [u8], usize),
}

/// A cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    /// A root element was opened: what lies before is no part of an event.
    Opened(usize),
    /// An event ends here.
    Event(usize),
    /// The root was closed.
    Closed(usize),
}

/// How much of a tag tells what it is: `<![CDATA[` is the longest.
const TOLD: usize = 9;

impl Cutter {
    /// Goes through bytes that follow those before; calls `cut` with places in them (one past the last byte).
    pub(super) fn read(&mut self, bytes: &[u8], mut cut: impl FnMut(Cut)) {
        for (at, byte) in bytes.iter().copied().enumerate() {
            match self.place {
                Place::Text => {
                    if byte == b'<' {
                        self.place = Place::Tag;
                        self.tag.clear();
                        (self.last, self.quote) = (0, None);
                    }
                }
                Place::Aside(end, seen) => self.place = aside(end, seen, byte),
                Place::Tag => {
                    if self.tag.len() < TOLD {
                        self.tag.push(byte);
                    }
                    match (self.quote, byte) {
                        (Some(quote), _) if quote == byte => self.quote = None,
                        (None, b'"' | b'\'') => self.quote = Some(byte),
                        (None, b'>') => {
                            self.place = Place::Text;
                            self.close(at + 1, &mut cut);
                            continue;
                        }
                        (Some(_) | None, _) => {}
                    }
                    self.last = byte;
                    match self.tag.as_slice() {
                        b"?" => self.place = Place::Aside(b"?>", 0),
                        b"!--" => self.place = Place::Aside(b"-->", 0),
                        b"![CDATA[" => self.place = Place::Aside(b"]]>", 0),
                        _ => {}
                    }
                }
            }
        }
    }

    /// A tag ended before `at`.
    fn close(&mut self, at: usize, cut: &mut impl FnMut(Cut)) {
        match self.tag.first() {
            // A declaration; the reader will refuse it.
            Some(b'!') => {}
            Some(b'/') => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == self.events_at {
                    cut(Cut::Event(at));
                } else if self.depth == 0 {
                    cut(Cut::Closed(at));
                }
            }
            _ => {
                let is_empty = self.last == b'/';
                if self.depth == 0 {
                    let is_event = self.tag.strip_prefix(b"event").is_some_and(|rest| !is_name(rest.first()));
                    self.events_at = usize::from(!is_event);
                    match (is_event, is_empty) {
                        (true, true) => cut(Cut::Event(at)),
                        (false, true) => cut(Cut::Closed(at)),
                        (true, false) => self.depth = 1,
                        (false, false) => {
                            self.depth = 1;
                            cut(Cut::Opened(at));
                        }
                    }
                } else if !is_empty {
                    self.depth += 1;
                } else if self.depth == self.events_at {
                    cut(Cut::Event(at));
                }
            }
        }
    }
}

fn is_name(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| !matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))
}

fn aside(end: &'static [u8], seen: usize, byte: u8) -> Place {
    if byte == end[seen] {
        return if seen + 1 == end.len() { Place::Text } else { Place::Aside(end, seen + 1) };
    }
    // `--->` and `]]]>` end what they are in: the byte before the last may repeat.
    let repeats = seen + 1 == end.len() && end.len() == 3 && byte == end[0];
    Place::Aside(end, if repeats { seen } else { usize::from(byte == end[0]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(text: &str, piece: usize) -> Vec<String> {
        let (mut cutter, mut found) = (Cutter::default(), Vec::new());
        let (mut start, mut offset) = (0, 0);
        for part in text.as_bytes().chunks(piece) {
            cutter.read(part, |cut| match cut {
                Cut::Opened(at) | Cut::Closed(at) => start = offset + at,
                Cut::Event(at) => {
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
