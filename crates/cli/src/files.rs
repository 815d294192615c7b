// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opens specs and traces, and explains what is wrong with a path.

use std::fs::{self, File};
use std::io::{self, Read, Seek as _};
use std::path::Path;

use gnomon::diagnostic::line_column;
use gnomon::offline::NamedInput;
pub(crate) use gnomon::report::{STDIN, display_name, file_name};
use gnomon::trace::TraceInput;

use crate::failure::Failure;
use crate::similar::closest;

/// Returns a failure if standard input is given more than once.
pub(crate) fn at_most_one_stdin<'a>(paths: impl Iterator<Item = &'a String>) -> Result<(), Failure> {
    if paths.filter(|path| *path == STDIN).count() > 1 {
        return Err(Failure::new("G0706", "standard input (`-`) is given more than once")
            .help("name it once, and give the others as files"));
    }
    Ok(())
}

/// Expands patterns (`logs/*.csv`, `day-?.xml`, `[ab].csv`, `**/*.ndjson`) that are not names of files: a shell does not expand
/// them inside quotes, and Windows has none that does. The files of a pattern are sorted, and a file that several patterns match
/// is listed once. A pattern without a match stays in the list, so that opening it fails.
pub(crate) fn expand_patterns(paths: &[String]) -> Vec<String> {
    let mut expanded: Vec<String> = Vec::new();
    for path in paths {
        let matches = if is_pattern(path) { matching_files(path) } else { Vec::new() };
        if matches.is_empty() {
            expanded.push(path.clone());
        }
        for found in matches {
            if !expanded.contains(&found) {
                expanded.push(found);
            }
        }
    }
    expanded
}

/// Returns true for a path with wildcards that is not the name of a file.
fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[']) && !Path::new(path).exists()
}

fn matching_files(pattern: &str) -> Vec<String> {
    let Ok(found) = glob::glob(pattern) else { return Vec::new() };
    found.filter_map(Result::ok).filter(|path| !path.is_dir()).map(|path| path.display().to_string()).collect()
}

/// A second handle of an open file, which shows how much of it was read: the bytes on the disk, also if they are compressed.
pub(crate) struct FilePosition(File);

impl FilePosition {
    /// Returns the size of the file.
    pub(crate) fn size(&self) -> Option<u64> {
        self.0.metadata().ok().map(|metadata| metadata.len())
    }

    /// Returns the number of bytes before the position, if the system knows it.
    pub(crate) fn bytes(&mut self) -> Option<u64> {
        self.0.stream_position().ok()
    }
}

/// Opens a file or standard input as a byte stream. Also returns the position in a file.
pub(crate) fn open(path: &str) -> Result<(Box<dyn Read + Send>, Option<FilePosition>), Failure> {
    let (input, position) = input(path)?;
    Ok(match input.content {
        TraceInput::Stream(bytes) => (bytes, position),
        TraceInput::File(file) => (Box::new(file), position),
        TraceInput::Memory(_) | TraceInput::Batches(_) | TraceInput::Events(_) | TraceInput::Repeatable { .. } => {
            (Box::new(io::empty()), position)
        }
    })
}

/// Opens a trace. Also returns the position in a file.
pub(crate) fn input(path: &str) -> Result<(NamedInput, Option<FilePosition>), Failure> {
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
        let position = file.try_clone().map_err(|error| cannot_open(path, &error))?;
        (NamedInput::file(name, file), Some(FilePosition(position)))
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
        Failure::new("G0704", format!("the {what} is not UTF-8 text: byte 0x{byte:02x} does not begin a character"))
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
            "rv", "qea", "mcf", "mop", "rvm", "wsdl", "bpel", "yaml", "csv", "ndjson", "jsonl", "json", "xml", "xes",
            "monpoly", "otlp", "parquet",
        ]
        .contains(&extension)
    })
}

fn not_found(path: &str) -> Failure {
    if is_pattern(path) {
        return Failure::new("G0701", format!("no file matches the pattern `{path}`")).help(
            "check the pattern and the folder you are in: `*` and `?` match within a name, `**/` matches folders, `[ab]` one of several \
             characters",
        );
    }
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
