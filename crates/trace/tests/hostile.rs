// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files made to do harm: each gives an error with its place, soon and in bounded memory, in every format.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{self, Read};

use gnomon_trace::{
    AnyReader, Format, LogFormat, OrderPolicy, OrderedReader, Reader, ReaderSetup, TextPattern, TraceError, open,
};

/// The formats that are texts, or come as such.
const FORMATS: [Format; 10] = match Format::ALL.first_chunk() {
    Some(texts) => *texts,
    None => panic!("there are more"),
};

fn setup(base: ReaderSetup) -> ReaderSetup {
    let lines = TextPattern::holes("{time} {event} {x}").unwrap().strict(true);
    ReaderSetup { log: Some(LogFormat::Lines(lines)), ..base }
}

fn read_all(format: Format, input: impl Read + Send, base: ReaderSetup) -> Result<u64, TraceError> {
    let mut reader = OrderedReader::new(open(input, "t", Some(format), setup(base))?, OrderPolicy::Strict);
    let mut count = 0;
    while reader.advance()?.is_some() {
        reader.entries();
        count += 1;
    }
    Ok(count)
}

/// The code, line and column of the error that it must be.
fn fault(format: Format, input: impl Read + Send) -> (&'static str, u64, u64) {
    let error = read_all(format, input, ReaderSetup::everything()).expect_err(format.word());
    assert!(!error.message().is_empty());
    (error.code(), error.line(), error.column())
}

/// A trace of two events with these times and this value of the field `x`.
fn trace(format: Format, times: [&str; 2], value: &str) -> String {
    let [first, second] = times;
    match format {
        Format::Csv => format!("event,time,x\na,{first},{value}\na,{second},{value}\n"),
        Format::Ndjson => {
            format!(
                "{{\"event\":\"a\",\"time\":{first},\"x\":\"{value}\"}}\n{{\"event\":\"a\",\"time\":{second},\"x\":\"{value}\"}}\n"
            )
        }
        Format::Json => {
            format!(
                "[{{\"a\":{{\"time\":{first},\"x\":\"{value}\"}}}},\n{{\"a\":{{\"time\":{second},\"x\":\"{value}\"}}}}]\n"
            )
        }
        Format::Xml => {
            let event = |time| {
                format!(
                    "<event><name>a</name><field><name>time</name><value>{time}</value></field>\
                     <field><name>x</name><value>{value}</value></field></event>\n"
                )
            };
            format!("<log>{}{}</log>", event(first), event(second))
        }
        Format::Xes => {
            let event = |time| {
                format!(
                    "<event><string key=\"concept:name\" value=\"a\"/><int key=\"time:timestamp\" value=\"{time}\"/>\
                     <string key=\"x\" value=\"{value}\"/></event>\n"
                )
            };
            format!("<log><trace>{}{}</trace></log>", event(first), event(second))
        }
        Format::Monpoly => format!("@{first} a ({value})\n@{second} a ({value})\n"),
        Format::Text => format!("{first} a {value}\n{second} a {value}\n"),
        Format::Logfmt => format!("time={first} event=a x={value}\ntime={second} event=a x={value}\n"),
        Format::Messages => {
            let message = |time| {
                format!(
                    "{{\"time\":{time},\"body\":\"<s:Envelope xmlns:s='u'><s:Body><a><x>{value}</x></a></s:Body></s:Envelope>\"}}\n"
                )
            };
            format!("{}{}", message(first), message(second))
        }
        Format::Otlp => {
            let request = |time| {
                format!(
                    "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{{\"name\":\"a\",\"startTimeUnixNano\":\"{time}\",\
                     \"attributes\":[{{\"key\":\"x\",\"value\":{{\"stringValue\":\"{value}\"}}}}]}}]}}]}}]}}\n"
                )
            };
            format!("{}{}", request(first), request(second))
        }
        Format::Parquet => unreachable!("it is not a text"),
    }
}

/// Where the second event of [`trace`] begins.
fn second_line(format: Format) -> u64 {
    if format == Format::Csv { 3 } else { 2 }
}

#[test]
fn the_traces_of_these_tests_are_fine() {
    for format in FORMATS {
        assert_eq!(read_all(format, trace(format, ["1", "2"], "v").as_bytes(), ReaderSetup::everything()).unwrap(), 2);
    }
}

/// Cut anywhere, a trace is read or refused, and XML and lists that are cut are always refused.
#[test]
fn truncated() {
    for format in FORMATS {
        let text = trace(format, ["1", "2"], "v");
        for length in 0..text.trim_end().len() {
            let result = read_all(format, &text.as_bytes()[..length], ReaderSetup::everything());
            let is_closed = matches!(format, Format::Xml | Format::Xes) || format == Format::Json && length > 0;
            assert!(!is_closed || result.is_err(), "{format} {length}");
        }
    }
}

#[test]
fn binary() {
    let mut bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
    for format in FORMATS {
        fault(format, &bytes[..]);
    }
    bytes.reverse();
    for format in FORMATS {
        fault(format, &bytes[..]);
    }
}

#[test]
fn time_that_goes_back() {
    for format in FORMATS.into_iter().filter(|format| *format != Format::Otlp) {
        let (code, line, _) = fault(format, trace(format, ["2", "1"], "v").as_bytes());
        assert_eq!((code, line), ("G0508", second_line(format)), "{format}");
    }
    // Spans are exported as they end, and sorted here.
    assert_eq!(
        read_all(Format::Otlp, trace(Format::Otlp, ["2", "1"], "v").as_bytes(), ReaderSetup::everything()).unwrap(),
        2
    );
}

#[test]
fn times_beyond_64_bits() {
    for format in FORMATS.into_iter().filter(|format| *format != Format::Otlp) {
        for time in ["9223372036854775808", "99999999999999999999999999", "1e30"] {
            let (code, line, column) = fault(format, trace(format, ["1", time], "v").as_bytes());
            assert_eq!((code, line), ("G0506", second_line(format)), "{format}");
            assert!(column > 1 || format == Format::Text, "{format}");
        }
        let edge = trace(format, ["-9223372036854775807", "9223372036854775807"], "9223372036854775808");
        assert_eq!(read_all(format, edge.as_bytes(), ReaderSetup::everything()).unwrap(), 2, "{format}");
    }
    for time in ["18446744073709551616", "-1", "1e3", "1.5"] {
        assert_eq!(fault(Format::Otlp, trace(Format::Otlp, ["1", time], "v").as_bytes()), ("G0528", 2, 76), "{time}");
    }
    let edge = trace(Format::Otlp, ["1", "18446744073709551615"], "v");
    assert_eq!(read_all(Format::Otlp, edge.as_bytes(), ReaderSetup::everything()).unwrap(), 2);
    assert_eq!(fault(Format::Otlp, trace(Format::Otlp, ["1", "0"], "v").as_bytes()), ("G0505", 2, 44));
}

#[test]
fn wrong_encoding() {
    for format in FORMATS {
        let bytes: Vec<u8> =
            trace(format, ["1", "2"], "\u{1}").bytes().map(|byte| if byte == 1 { 0xE9 } else { byte }).collect();
        let (code, line, column) = fault(format, &bytes[..]);
        assert_eq!((code, line), ("G0512", second_line(format) - 1), "{format}");
        assert!(column > 1);
        let utf16: Vec<u8> = "\u{FEFF}event, time".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(fault(format, &utf16[..]), ("G0502", 1, 1), "{format}");
    }
    let latin1 = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><log/>";
    assert_eq!(fault(Format::Xml, &latin1[..]), ("G0502", 1, 1));
    assert_eq!(fault(Format::Xes, &latin1[..]), ("G0502", 1, 1));
}

/// An input without an end, of one piece again and again.
struct Endless {
    head: &'static [u8],
    body: Vec<u8>,
    at: usize,
}

impl Endless {
    fn new(head: &'static [u8], piece: &[u8]) -> Self {
        Endless { head, body: piece.repeat(4096), at: 0 }
    }
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let source = match self.at.checked_sub(self.head.len()) {
            None => &self.head[self.at..],
            Some(beyond) => &self.body[beyond % self.body.len()..],
        };
        let length = source.len().min(into.len());
        into[..length].copy_from_slice(&source[..length]);
        self.at += length;
        Ok(length)
    }
}

/// An input without an end is refused at 64 MiB, or earlier.
#[test]
fn gigantic() {
    let cases: [(Format, &[u8], &[u8]); 31] = [
        (Format::Csv, b"event,x\na,\"", b"x"),
        (Format::Csv, b"event,x\n", b"a"),
        (Format::Csv, b"event,x\n", b" "),
        (Format::Ndjson, b"{\"event\":\"", b"x"),
        (Format::Ndjson, b"", b" "),
        (Format::Json, b"[{\"a\":{\"x\":\"", b"x"),
        (Format::Json, b"", b"{\"a\":"),
        (Format::Json, b"[", b" "),
        (Format::Xml, b"<log><event><name>", b"x"),
        (Format::Xml, b"<log><!--", b"x"),
        (Format::Xml, b"<log><", b"x"),
        (Format::Xml, b"<log a=\"", b"x"),
        (Format::Xml, b"<log>", b" "),
        (Format::Xml, b"<?", b"x"),
        (Format::Xes, b"<log><trace><event><string key=\"", b"x"),
        (Format::Xes, b"<log><trace><event>", b"<string key=\"a\" value=\"b\"/>"),
        (Format::Xes, b"<log><global>", b"<a>"),
        (Format::Xes, b"<log><event><container key=\"a\">", b"<container key=\"a\">"),
        (Format::Monpoly, b"@1 ", b"a"),
        (Format::Monpoly, b"@1 a (", b"1,"),
        (Format::Monpoly, b"#", b"a"),
        (Format::Text, b"", b"a"),
        (Format::Messages, b"{\"body\":\"<a>", b"<b>"),
        (Format::Messages, b"{\"body\":{\"event\":\"", b"x"),
        (Format::Messages, b"", b" "),
        (Format::Otlp, b"{\"resourceSpans\":[{\"", b"x"),
        (Format::Otlp, b"{\"resourceSpans\":[", b"{},"),
        (Format::Otlp, b"", b" "),
        (Format::Otlp, b"", b"\n"),
        (Format::Otlp, b"\x0A\xFF\xFF\xFF\x1F", b"\x0A\x00"),
        (Format::Otlp, b"\xFF\xFF\xFF\x7F\x0A", b"\x0A\x00"),
    ];
    for (format, head, body) in cases {
        let (code, _, _) = fault(format, Endless::new(head, body));
        assert!(matches!(code, "G0510" | "G0515" | "G0516"), "{format} {:?}: {code}", String::from_utf8_lossy(body));
    }
}

/// Nesting costs no stack, wherever it is and whether or not somebody looks.
#[test]
fn deeply_nested() {
    let deep = |open: &str| open.repeat(100_000);
    for (format, head, open) in [
        (Format::Ndjson, "{\"event\":\"a\",\"x\":", "["),
        (Format::Ndjson, "{\"event\":\"a\",\"x\":", "{\"y\":"),
        (Format::Xml, "<log><event><name>", "<x>"),
        (Format::Xml, "", "<log>"),
        (Format::Xes, "<log>", "<x>"),
        (Format::Xes, "<log><event>", "<list key=\"x\">"),
        (Format::Xes, "<log><trace>", "<list key=\"x\">"),
        (Format::Messages, "{\"body\":{\"event\":\"a\",\"x\":", "["),
    ] {
        for base in [ReaderSetup::default(), ReaderSetup::everything()] {
            let text = format!("{head}{}", deep(open));
            let error = read_all(format, text.as_bytes(), base).unwrap_err();
            assert!(matches!(error.code(), "G0515" | "G0522"), "{format} {open}: {error}");
        }
    }
    let text = format!("{{\"a\":{{\"x\":{}1{}}}}}", deep("["), deep("]"));
    assert_eq!(fault(Format::Json, text.as_bytes()).0, "G0515");
    assert_eq!(fault(Format::Otlp, text.as_bytes()).0, "G0515");
    for body in [deep("<x>"), format!("{{\\\"x\\\":{}", deep("[")), deep("<x a='b'><y/>")] {
        assert_eq!(fault(Format::Messages, format!("{{\"body\":\"{body}\"}}").as_bytes()).0, "G0515");
    }
}

#[test]
fn entity_bombs() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol1 \"&lol;&lol;&lol;\">]>\n<log>&lol1;</log>";
    for format in [Format::Xml, Format::Xes] {
        assert_eq!(fault(format, bomb.as_bytes()), ("G0521", 2, 1), "{format}");
    }
    let body = bomb.replace('"', "'").replace('\n', "\\n");
    assert_eq!(fault(Format::Messages, format!("{{\"body\":\"{body}\"}}").as_bytes()), ("G0521", 1, 33));
    let external = "<!DOCTYPE log SYSTEM \"file:///etc/passwd\"><log/>";
    assert_eq!(fault(Format::Xml, external.as_bytes()).0, "G0521");
    let used = "<log><event><name>a</name><field><name>x</name><value>&xxe;</value></field></event></log>";
    assert_eq!(fault(Format::Xml, used.as_bytes()), ("G0521", 1, 55));
}

#[test]
fn many_fields() {
    let fields = 70_000;
    let xml = "<field><name>x</name><value>1</value></field>".repeat(fields);
    let cases = [
        (Format::Csv, format!("a, {}", "x=1, ".repeat(fields))),
        (Format::Ndjson, format!("{{\"event\":\"a\"{}}}", ",\"x\":1".repeat(fields))),
        (Format::Json, format!("{{\"a\":{{\"y\":1{}}}}}", ",\"x\":1".repeat(fields))),
        (Format::Xml, format!("<log><event><name>a</name>{xml}</event></log>")),
        (
            Format::Xes,
            format!(
                "<log><event><string key=\"concept:name\" value=\"a\"/>{}</event></log>",
                "<int key=\"x\" value=\"1\"/>".repeat(fields)
            ),
        ),
        (Format::Monpoly, format!("@1 a (1{})", ",1".repeat(fields))),
        (Format::Messages, format!("{{\"body\":{{\"event\":\"a\"{}}}}}", ",\"x\":1".repeat(fields))),
        (Format::Messages, format!("{{\"body\":\"<a/>\"{}}}", ",\"x\":1".repeat(fields))),
        (
            Format::Otlp,
            format!(
                "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{{\"attributes\":[{{}}{}]}}]}}]}}]}}",
                ",{}".repeat(fields)
            ),
        ),
    ];
    for (format, text) in cases {
        let (code, ..) = fault(format, text.as_bytes());
        assert!(matches!(code, "G0510" | "G0517"), "{format} {code}");
    }
}

/// `event,time\na,1\nb,2\n`, packed by `xz`.
const XZ: &[u8] = b"\xFD\x37\x7A\x58\x5A\x00\x00\x04\xE6\xD6\xB4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2F\xE5\xA3\
    \x01\x00\x12\x65\x76\x65\x6E\x74\x2C\x74\x69\x6D\x65\x0A\x61\x2C\x31\x0A\x62\x2C\x32\x0A\x00\x00\
    \x78\xC0\x7D\x96\x30\xCC\xD4\x84\x00\x01\x2B\x13\x9C\x09\x48\xD2\x1F\xB6\xF3\x7D\x01\x00\x00\x00\
    \x00\x04\x59\x5A";

/// `event,time\na,1\nb,2\n`, packed by `bzip2`.
const BZIP2: &[u8] =
    b"\x42\x5A\x68\x39\x31\x41\x59\x26\x53\x59\xFF\xB4\x2E\x2F\x00\x00\x06\x59\x80\x00\x10\x00\x04\x30\
    \x00\x32\x23\x05\x00\x20\x00\x22\x00\x68\xD0\x40\xD0\x34\x2E\x26\xAC\x84\x09\xBC\xF2\x4F\x07\xF1\
    \x77\x24\x53\x85\x09\x0F\xFB\x42\xE2\xF0";

/// `event,time\na,1\nb,2\n`, packed by `lz4`.
const LZ4: &[u8] = b"\x04\x22\x4D\x18\x64\x40\xA7\x13\x00\x00\x80\x65\x76\x65\x6E\x74\x2C\x74\x69\x6D\x65\x0A\x61\x2C\
    \x31\x0A\x62\x2C\x32\x0A\x00\x00\x00\x00\x06\xC6\x4A\x56";

#[test]
fn damaged_packing() {
    let text = trace(Format::Csv, ["1", "2"], "v").repeat(1000);
    let gzip = {
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let events = "event,time,x\n".to_owned() + &"a,1,v\n".repeat(3000);
    let good = zstd::encode_all(events.as_bytes(), 1).unwrap();
    assert_eq!(read_all(Format::Csv, &good[..], ReaderSetup::everything()).unwrap(), 3000);
    for packed in [gzip, zstd] {
        for length in [5, 20, packed.len() - 1] {
            let error = read_all(Format::Csv, &packed[..length], ReaderSetup::everything()).unwrap_err();
            assert!(matches!(error.code(), "G0519" | "G0506"), "{error}");
        }
        let mut bytes = packed.clone();
        for at in 4..bytes.len() {
            bytes[at] ^= 0x55;
            let _ = read_all(Format::Csv, &bytes[..], ReaderSetup::everything());
            bytes[at] ^= 0x55;
        }
    }
    for (packed, cut) in [(XZ, XZ.len() - 1), (BZIP2, BZIP2.len() - 1), (LZ4, LZ4.len() - 8), (LZ4, LZ4.len() - 1)] {
        assert_eq!(read_all(Format::Csv, packed, ReaderSetup::everything()).unwrap(), 2);
        let again = [packed, packed].concat();
        // The header of the second is an event without a time.
        assert_eq!(fault(Format::Csv, &again[..]), ("G0506", 4, 7));
        assert_eq!(fault(Format::Csv, &packed[..cut]).0, "G0519");
        let mut bytes = packed.to_vec();
        for at in 6..bytes.len() {
            bytes[at] ^= 0x55;
            let _ = read_all(Format::Csv, &bytes[..], ReaderSetup::everything());
            bytes[at] ^= 0x55;
        }
    }
    let twice = zstd::encode_all(&good[..], 1).unwrap();
    assert_eq!(fault(Format::Csv, &twice[..]), ("G0502", 1, 1));
}

/// A few bytes that unpack to gigabytes cost time, not memory: here until the row is too long.
#[test]
fn a_packed_bomb() {
    let mut bomb = Vec::new();
    zstd::stream::copy_encode(io::repeat(b'a').take(300 << 20), &mut bomb, 3).unwrap();
    assert!(bomb.len() < 1 << 20);
    assert_eq!(fault(Format::Ndjson, &bomb[..]).0, "G0516");
}

/// An input that yields at most `step` bytes per read.
struct ShortReads<'a> {
    rest: &'a [u8],
    step: usize,
}

impl Read for ShortReads<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.step.min(into.len());
        self.rest.read(&mut into[..length])
    }
}

/// The detected format depends on the bytes, not on how many of them each read returns.
#[test]
fn the_format_does_not_depend_on_the_reads() {
    for blank in ["\n", "# a comment\n"] {
        for length in [0, 4_000, 5_000, 100_000, 1_000_000, 1_500_000] {
            let text = blank.repeat(length / blank.len()) + "[{\"a\": {\"time\": 1}}]";
            let is_csv = |step| {
                let input = ShortReads { rest: text.as_bytes(), step };
                matches!(open(input, "t", None, ReaderSetup::everything()), Ok(AnyReader::Csv(_)) | Err(_))
            };
            for step in [usize::MAX, 1000, 4096, 70_000] {
                assert_eq!(is_csv(step), length > 1 << 20, "{length} bytes of {blank:?} in steps of {step}");
            }
        }
    }
}
