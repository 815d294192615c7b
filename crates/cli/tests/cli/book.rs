// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the blocks of the book, page by page, in a folder of their own.
//!
//! | block | what happens |
//! |---|---|
//! | `rv [FILE [add]]` | the spec is written (or appended) to FILE, and its examples must pass |
//! | `csv holds`, `csv violates`, with `by FIELD` | the spec before it must have this verdict on the log |
//! | `csv` | the log can be read |
//! | `log FILE` | the log is written to FILE |
//! | `console` | each line that begins with `$` is run, and the lines after it are its output |
//! | `sh watch` | is started and runs until the end of the page |
//! | `sh` | is run |
//! | `sh not-run` | its options must exist |
//! | `json` | is JSON |
//! | `text` | while a watch runs: it prints these lines |
//!
//! A comment `<!-- files: PATH -->` copies a file of the repository to the folder. With `GNOMON_BLESS=1` the test writes the
//! actual output into `console` blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{env, fs, net, thread};

use crate::support::{TestFolder, blocks, root};

/// The address of a watch on the pages of the book.
const ADDRESS: &str = "127.0.0.1:7317";
/// Longest time until a running watch prints a line: a deadline of ten seconds, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn the_blocks_of_the_book_work() {
    let (mut pages, mut ran) = (0, 0);
    for page in markdown(&root().join("docs/book/src")) {
        ran += BookPage::read(&page).run();
        pages += 1;
    }
    assert!(pages >= 12 && ran >= 60, "{pages} pages, {ran} blocks");
}

/// Every command in a shell block of a document that the index lists has only options that exist.
#[test]
fn commands_in_the_documents_have_existing_options() {
    let mut help: BTreeMap<String, String> = BTreeMap::new();
    let (mut commands, mut wrong) = (0, BTreeSet::new());
    for page in listed() {
        let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        let shell = blocks(&text).into_iter().filter(|(language, ..)| language == "sh" || language == "console");
        for (.., body) in shell {
            for line in body.replace("\\\n", " ").lines() {
                let Some(line) = line.trim_start_matches("$ ").strip_prefix("gnomon ") else { continue };
                let words = || line.split_whitespace().take_while(|word| !word.starts_with('#') && *word != "|");
                let command = words().next().unwrap_or_default().to_owned();
                let known = help
                    .entry(command)
                    .or_insert_with_key(|command| TestFolder::with(&[]).run(&["help", command]).stdout);
                commands += 1;
                for option in words().filter(|word| word.starts_with("--")) {
                    let option = option.split('=').next().unwrap_or(option);
                    if !known.split_whitespace().any(|word| word.trim_end_matches([',', '.']) == option) {
                        wrong.insert(format!("{}: `{option}` in `gnomon {line}`", page.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(commands >= 25, "{commands}");
}

#[test]
fn the_command_line_page_lists_every_command() {
    let page = fs::read_to_string(root().join("docs/book/src/reference/command-line.md")).expect("the page is there");
    let help = TestFolder::with(&[]).run(&["help"]).stdout;
    let (_, rest) = help.split_once("Commands:\n").expect("the help lists the commands");
    let names = rest.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let commands: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(commands.len() >= 12, "{commands:?}");
    for name in commands {
        assert!(page.contains(&format!("| `gnomon {name}` |")), "{name}");
    }
}

/// The pages that the index of the book lists.
fn listed() -> Vec<PathBuf> {
    let folder = root().join("docs/book/src");
    let index = fs::read_to_string(folder.join("SUMMARY.md")).expect("the index is there");
    let targets = index.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(|target| folder.join(target)).collect()
}

fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            found.extend(markdown(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A page of the book, while its blocks are run.
struct BookPage {
    path: PathBuf,
    text: String,
    folder: TestFolder,
    /// The spec that was written last.
    spec: String,
    watch: Option<RunningWatch>,
}

impl BookPage {
    fn read(path: &Path) -> BookPage {
        let text = fs::read_to_string(path).expect("the page is there");
        let folder = TestFolder::with(&[]);
        for files in text.lines().filter_map(|line| line.strip_prefix("<!-- files: ")?.strip_suffix(" -->")) {
            let name = Path::new(files).file_name().expect("it names a file").to_string_lossy().into_owned();
            folder.write(&name, &fs::read(root().join(files)).expect("the file is there"));
        }
        BookPage { path: path.to_owned(), text, folder, spec: String::new(), watch: None }
    }

    /// Runs the blocks and returns their number.
    fn run(mut self) -> usize {
        let blocks = blocks(&self.text);
        let mut text = self.text.clone();
        for (language, word, body) in &blocks {
            match (language.as_str(), word.as_str()) {
                ("rv", name) => self.spec(name, body),
                ("csv", "") => {
                    self.folder.write("sample.csv", body.as_bytes());
                    self.expect_status(&["events", "sample.csv"], 0, body);
                }
                ("csv", verdict) => self.log(verdict, body),
                ("log", name) => self.folder.write(name, body.as_bytes()),
                ("console", _) => {
                    let actual = self.console(body);
                    if env::var_os("GNOMON_BLESS").is_some() {
                        text = text.replace(&format!("```console\n{body}```"), &format!("```console\n{actual}```"));
                    } else {
                        let advice = "run this test with GNOMON_BLESS=1 to update the page";
                        assert_eq!(body, &actual, "{}: {advice}", self.path.display());
                    }
                }
                ("sh", "watch") => self.watch = Some(RunningWatch::start(&self.folder, body)),
                ("sh", "not-run") => {}
                ("sh", _) => self.shell(body),
                ("json", _) => {
                    let parsed: Result<serde_json::Value, _> = serde_json::from_str(body);
                    assert!(parsed.is_ok(), "{}: {body}", self.path.display());
                }
                ("text", _) if self.watch.is_some() => {
                    let watch = self.watch.as_mut().expect("it was just tested");
                    body.lines().for_each(|line| watch.wait_for(line));
                }
                (language, word) => panic!("{}: nothing runs a block `{language} {word}`", self.path.display()),
            }
        }
        if text != self.text {
            fs::write(&self.path, text).expect("the page can be written");
        }
        blocks.len()
    }

    fn expect_status(&self, arguments: &[&str], status: i32, about: &str) -> String {
        let output = self.folder.run(arguments);
        let place = self.path.display();
        assert_eq!(output.status, status, "{place}: {about}\n{}{}", output.stdout, output.stderr);
        output.stdout
    }

    fn spec(&mut self, words: &str, body: &str) {
        let (name, is_more) = words.split_once(' ').map_or((words, false), |(name, more)| (name, more == "add"));
        if name.is_empty() { "rule.rv" } else { name }.clone_into(&mut self.spec);
        let before = if is_more { self.folder.read(&self.spec) + "\n" } else { String::new() };
        self.folder.write(&self.spec, (before + body).as_bytes());
        // Declarations alone have no examples to run.
        if self.folder.read(&self.spec).contains(" {\n") || body.contains(" { ") {
            self.expect_status(&["test", &self.spec], 0, body);
        }
    }

    fn log(&self, words: &str, body: &str) {
        self.folder.write("log.csv", body.as_bytes());
        let (verdict, by) = words.split_once(" by ").map_or((words, "none"), |(verdict, by)| (verdict, by));
        let status = match verdict {
            "holds" => 0,
            "violates" => 1,
            other => panic!("{}: the verdict `{other}`", self.path.display()),
        };
        let report = self.expect_status(&["check", &self.spec, "log.csv", "--by", by], status, body);
        assert!(status == 1 || !report.contains("not exercised"), "{}: {body}\n{report}", self.path.display());
    }

    /// Runs the commands of a block and returns the block with their output.
    fn console(&self, body: &str) -> String {
        let mut actual = String::new();
        for line in body.lines().filter(|line| line.starts_with("$ ")) {
            let output = self.command(&line[2..]).output().expect("there is a shell");
            actual.push_str(line);
            actual.push('\n');
            for part in [&output.stdout, &output.stderr] {
                actual.push_str(&String::from_utf8_lossy(part));
            }
        }
        actual
    }

    fn shell(&self, body: &str) {
        let address = self.watch.as_ref().map_or(ADDRESS, |watch| watch.address.as_str());
        let output = self.command(&body.replace(ADDRESS, address)).output().expect("there is a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(2), "{}: {body}\n{errors}", self.path.display());
    }

    fn command(&self, line: &str) -> Command {
        shell(&self.folder, line)
    }
}

/// A shell in which `gnomon` is the binary under test.
fn shell(folder: &TestFolder, line: &str) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_gnomon")).parent().expect("it is in a folder").to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(binary).chain(env::split_paths(&path))).expect("no name has a colon");
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder.path("")).env("PATH", path).stdin(Stdio::null());
    command
}

/// The watch of a page.
struct RunningWatch {
    child: Child,
    address: String,
    lines: Receiver<String>,
}

impl RunningWatch {
    fn start(folder: &TestFolder, command: &str) -> RunningWatch {
        let listener = net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has an address").to_string();
        drop(listener);
        let command = format!("exec {} --listen-http {address}", command.trim_end());
        let mut child =
            shell(folder, &command).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("there is a shell");
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("it was piped"));
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut watch = RunningWatch { child, address, lines };
        for _ in 0..600 {
            if net::TcpStream::connect(&watch.address).is_ok() {
                return watch;
            }
            assert!(watch.child.try_wait().expect("it can be asked").is_none(), "it ended: {command}");
            thread::sleep(Duration::from_millis(100));
        }
        panic!("it did not start: {command}");
    }

    fn wait_for(&mut self, expected: &str) {
        let printed = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("it did not print: {expected}"));
        assert_eq!(printed, expected);
    }
}

impl Drop for RunningWatch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
