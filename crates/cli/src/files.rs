// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opens specs and traces, and explains what is wrong with a path.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use gnomon::diagnostic::line_column;
use gnomon::offline::NamedInput;
pub(crate) use gnomon::report::{STDIN, display_name, file_name};
use gnomon::trace::TraceInput;

use crate::failure::Failure;
use crate::similar::closest;

/// Returns a failure if standard input is named more than once.
pub(crate) fn at_most_one_stdin<'a>(paths: impl Iterator<Item = &'a String>) -> Result<(), Failure> {
    if paths.filter(|path| *path == STDIN).count() > 1 {
        return Err(Failure::new("G0706", "standard input (`-`) is named more than once")
            .help("name it once, and give the others as files"));
    }
    Ok(())
}

/// Opens a file or standard input as a byte stream. Also returns the size, if it is known.
pub(crate) fn open(path: &str) -> Result<(Box<dyn Read + Send>, Option<u64>), Failure> {
    let (input, size) = input(path)?;
    Ok(match input.content {
        TraceInput::Stream(bytes) => (bytes, size),
        TraceInput::File(file) => (Box::new(file), size),
        TraceInput::Memory(_) | TraceInput::Batches(_) | TraceInput::Events(_) => (Box::new(io::empty()), size),
    })
}

/// Opens a trace. Also returns the size, if it is known.
pub(crate) fn input(path: &str) -> Result<(NamedInput, Option<u64>), Failure> {
    let name = path.to_owned();
    if path == STDIN {
        return Ok((NamedInput::stream(name, io::stdin()), None));
    }
    let file = File::open(path).map_err(|error| cannot_open(path, &error))?;
    let metadata = file.metadata().map_err(|error| cannot_open(path, &error))?;
    if metadata.is_dir() {
        return Err(is_directory(path));
    }
    // A pipe or a device does not support random access.
    Ok(if metadata.is_file() {
        (NamedInput::file(name, file), Some(metadata.len()))
    } else {
        (NamedInput::stream(name, file), None)
    })
}

/// Reads a text file; `what` names its kind in messages.
pub(crate) fn read_text(path: &str, what: &str) -> Result<String, Failure> {
    let (mut reader, _) = open(path)?;
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| cannot_read(path, &error))?;
    text_of(path, what, bytes)
}

/// Decodes the bytes of a file as UTF-8.
pub(crate) fn text_of(path: &str, what: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
        let (line, column) = line_column(&before, valid);
        let byte = error.as_bytes()[valid];
        Failure::new("G0704", format!("the {what} is not UTF-8 text: byte 0x{byte:02x} begins no character"))
            .at(format!("{}:{line}:{column}", display_name(path)))
            .help("save the file as UTF-8; in a name, quote the character or write it in ASCII")
    })?;
    // A byte-order mark has no meaning in UTF-8, but some editors write it.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

pub(crate) fn cannot_read(path: &str, error: &io::Error) -> Failure {
    Failure::new("G0703", format!("`{}` cannot be read: {error}", display_name(path)))
        .help("check the file's permissions and the disk it is on")
}

fn cannot_open(path: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => not_found(path),
        io::ErrorKind::IsADirectory => is_directory(path),
        _ => cannot_read(path, error),
    }
}

fn is_directory(path: &str) -> Failure {
    let inside = names_in(Path::new(path));
    let help = match inside.iter().find(|name| has_known_extension(name)) {
        Some(name) => format!("name a file in it, for example `{}`", Path::new(path).join(name).display()),
        None => "name a file".to_owned(),
    };
    Failure::new("G0702", format!("`{path}` is a folder, not a file")).help(help)
}

fn has_known_extension(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        [
            "rv", "qea", "mcf", "wsdl", "bpel", "yaml", "csv", "ndjson", "jsonl", "json", "xml", "xes", "monpoly",
            "otlp", "parquet",
        ]
        .contains(&extension)
    })
}

fn not_found(path: &str) -> Failure {
    let failure = Failure::new("G0701", format!("there is no file `{path}`"));
    let wanted = Path::new(path);
    let folder = match wanted.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return failure.help(format!("there is no folder `{}` either: check the path", folder.display()));
    }
    let name = wanted.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let names = names_in(folder);
    let same_stem = |other: &&String| Path::new(other).file_stem() == wanted.file_stem();
    let near =
        closest(&name, names.iter().map(String::as_str)).or_else(|| names.iter().find(same_stem).map(String::as_str));
    match near {
        Some(near) => failure.help(format!("did you mean `{}`?", folder_join(folder, near))),
        None => failure.help("check the name, and the folder you are in"),
    }
}

fn folder_join(folder: &Path, name: &str) -> String {
    if folder == Path::new(".") { name.to_owned() } else { folder.join(name).display().to_string() }
}

/// Lists the files and folders in a folder, sorted; empty if it cannot be listed.
fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![] };
    let mut names: Vec<String> =
        entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
