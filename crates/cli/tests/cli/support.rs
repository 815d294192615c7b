// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the binary in a folder of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use serde_json::Value;

/// The output of a command.
pub(crate) struct CommandOutput {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A folder that lives as long as the test.
pub(crate) struct TestFolder(PathBuf);

impl TestFolder {
    /// A new folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> TestFolder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gnomon-cli-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = TestFolder(env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).expect("a folder can be made");
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).expect("a file can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("the file is there")
    }

    /// Where a file of it is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of its files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs `gnomon` in the folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        run(&self.0, arguments, b"")
    }

    /// Runs `gnomon` in the folder with this standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> CommandOutput {
        run(&self.0, arguments, input)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes the places of events from a report: other files have the same events at other places.
pub(crate) fn without_places(mut report: Value) -> Value {
    match &mut report {
        Value::Object(fields) => {
            for place in ["line", "offset"] {
                fields.remove(place);
            }
            fields.values_mut().for_each(|field| *field = without_places(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_places(item.take())),
        _ => {}
    }
    report
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `gnomon` in a folder.
pub(crate) fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> CommandOutput {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    // A command that never reads its input closes it: that is not a failure of the test.
    let _ = child.stdin.take().expect("it was piped").write_all(input);
    let output = child.wait_with_output().expect("the command ends");
    CommandOutput {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("reports are UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("complaints are UTF-8"),
    }
}

/// A trace in CSV in which every other event is an alarm.
pub(crate) fn alarms(events: u32) -> String {
    let row = |time: u32| [if time.is_multiple_of(2) { "alarm" } else { "x" }, ", ", &time.to_string(), "\n"].concat();
    std::iter::once("event, time\n".to_owned()).chain((1..=events).map(row)).collect()
}

/// Language, word after it, and text of each fenced block.
pub(crate) fn blocks(page: &str) -> Vec<(String, String, String)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let (language, word) = info.split_once(' ').unwrap_or((info, ""));
        let body: String = lines.by_ref().take_while(|line| *line != "```").flat_map(|line| [line, "\n"]).collect();
        blocks.push((language.to_owned(), word.to_owned(), body));
    }
    blocks
}

/// The text of each fenced block in one language.
pub(crate) fn fenced(page: &str, language: &str) -> Vec<String> {
    blocks(page).into_iter().filter(|(found, ..)| found == language).map(|(.., body)| body).collect()
}
