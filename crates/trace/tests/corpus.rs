// SPDX-License-Identifier: MIT OR Apache-2.0
//! The seeds of the fuzz targets and thousands of mutations of them, through every reader. What fuzzing does for
//! minutes this does for seconds, the same each time.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../../fuzz/src/exercise.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets are a package of their own")]
mod exercise;

use std::fs;
use std::path::Path;

use gnomon_core::random::Random;
use gnomon_trace::Format;

/// Pieces that mean something in some format.
const PIECES: [&[u8]; 40] = [
    b"\"",
    b"'",
    b"\\",
    b",",
    b"\n",
    b"\r",
    b" ",
    b"\t",
    b"=",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"<",
    b">",
    b"/",
    b"&",
    b";",
    b"@",
    b"(",
    b")",
    b"#",
    b"-",
    b".",
    b"1",
    b"e9",
    b"99999999999999999999",
    b"\0",
    b"\xFF",
    "é".as_bytes(),
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"&amp;",
    b"&x;",
    b"null",
    b"time",
    b"event",
];

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for folder in ["seeds", "regressions"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(folder).join(target);
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        seeds.extend(paths.iter().map(|path| fs::read(path).unwrap()));
    }
    assert!(!seeds.is_empty(), "{target} has no seeds");
    seeds
}

/// A few changes at random places.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.index(3) {
        let at = random.index(bytes.len() + 1);
        let length = random.index(12).min(bytes.len() - at);
        match random.index(6) {
            0 => drop(bytes.drain(at..at + length)),
            1 => bytes.truncate(at),
            2 => {
                let copy = bytes[at..at + length].to_vec();
                let to = random.index(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.index(8);
                }
            }
            _ => {
                let piece = PIECES[random.index(PIECES.len())];
                let end = at + if random.index(2) == 0 { 0 } else { piece.len().min(bytes.len() - at) };
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
}

fn replay(target: &str, format: Option<Format>, rounds: usize) {
    let seeds = seeds(target);
    for seed in &seeds {
        exercise::trace(format, seed);
    }
    let mut random = Random::new(target.len() as u64 + 17);
    for round in 0..rounds {
        let mut bytes = seeds[round % seeds.len()].clone();
        mutate(&mut bytes, &mut random);
        exercise::trace(format, &bytes);
    }
}

#[test]
fn csv() {
    replay("csv", Some(Format::Csv), 3000);
}

#[test]
fn ndjson() {
    replay("ndjson", Some(Format::Ndjson), 3000);
}

#[test]
fn json() {
    replay("json", Some(Format::Json), 3000);
}

#[test]
fn xml() {
    replay("xml", Some(Format::Xml), 3000);
}

#[test]
fn xes() {
    replay("xes", Some(Format::Xes), 3000);
}

#[test]
fn monpoly() {
    replay("monpoly", Some(Format::Monpoly), 3000);
}

#[test]
fn text() {
    replay("text", Some(Format::Text), 3000);
}

#[test]
fn logfmt() {
    replay("logfmt", Some(Format::Logfmt), 3000);
}

#[test]
fn message() {
    replay("message", Some(Format::Messages), 3000);
}

#[test]
fn otlp() {
    replay("otlp", Some(Format::Otlp), 3000);
}

#[test]
fn parquet() {
    replay("parquet", Some(Format::Parquet), 3000);
}

#[test]
fn packed() {
    replay("packed", None, 3000);
}
