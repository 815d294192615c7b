// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pseudo-terminal with `gnomon` in it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::support::{CommandOutput, TestFolder};

/// Timeout for expected output; only a hanging test takes so long.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) const DOWN: &str = "\x1b[B";
pub(crate) const UP: &str = "\x1b[A";
pub(crate) const LEFT: &str = "\x1b[D";
pub(crate) const ENTER: &str = "\r";
pub(crate) const BACKSPACE: &str = "\x7f";
pub(crate) const TAB: &str = "\t";
pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const ESCAPE: &str = "\x1b";

/// A terminal of 80 columns and 24 rows. Standard output of the command is a pipe, so that what it reports is distinguished from what
/// it draws.
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    drawn: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Runs `gnomon` in a folder.
    pub(crate) fn run(folder: &TestFolder, arguments: &[&str]) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are pseudo-terminals");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("it is ours");
        tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).expect("it has a size");
        let name = ptsname(&master, Vec::new()).expect("it has a name");
        let slave = File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes()));
        let slave = slave.expect("it can be opened");
        let child = Command::new(env!("CARGO_BIN_EXE_gnomon"))
            .args(arguments)
            .current_dir(folder.path("."))
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .stdin(slave.try_clone().expect("a handle can be copied"))
            .stderr(slave)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary was built");
        let keyboard = File::from(master);
        let mut display = keyboard.try_clone().expect("a handle can be copied");
        let (sender, drawn) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // When the command has ended, reading fails.
            while let Ok(count @ 1..) = display.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keyboard, drawn, bytes: vec![] }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) -> &mut Terminal {
        self.keyboard.write_all(keys.as_bytes()).expect("the command listens");
        self
    }

    /// Waits until the page shows this.
    pub(crate) fn sees(&mut self, text: &str) -> &mut Terminal {
        while !page(&self.bytes).contains(text) {
            let more = self.drawn.recv_timeout(PATIENCE);
            let more = more.unwrap_or_else(|error| panic!("`{text}` is not on the page ({error}):\n{}", self.page()));
            self.bytes.extend(more);
        }
        self
    }

    /// Returns the current page.
    pub(crate) fn page(&self) -> String {
        page(&self.bytes)
    }

    /// Waits for the end, and tells whether the terminal echoes and waits for lines again.
    pub(crate) fn ends(mut self) -> (CommandOutput, bool) {
        let mut stdout = String::new();
        let mut pipe = self.child.stdout.take().expect("it was piped");
        pipe.read_to_string(&mut stdout).expect("reports are UTF-8");
        let status = self.child.wait().expect("the command ends");
        let modes = tcgetattr(&self.keyboard).map(|modes| modes.local_modes);
        let is_sane = modes.is_ok_and(|modes| modes.contains(LocalModes::ICANON | LocalModes::ECHO));
        while let Ok(more) = self.drawn.recv_timeout(Duration::from_millis(200)) {
            self.bytes.extend(more);
        }
        let left = "\x1b[?1049l";
        let all = String::from_utf8_lossy(&self.bytes).into_owned();
        let stderr = all.rsplit_once(left).map_or(String::new(), |(_, rest)| rest.replace("\r\n", "\n"));
        (CommandOutput { status: status.code().unwrap_or(-1), stdout, stderr }, is_sane)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // After a failed assertion nobody presses another key.
        let _ = self.child.kill();
    }
}

/// The page drawn last, without colours.
fn page(bytes: &[u8]) -> String {
    let all = String::from_utf8_lossy(bytes);
    let last = all.rsplit("\x1b[2J").next().unwrap_or_default();
    let mut out = String::new();
    let mut parts = last.split('\x1b');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|letter: char| letter.is_ascii_alphabetic()).map_or(part.len(), |end| end + 1);
        out.push_str(&part[end..]);
    }
    out.replace('\r', "")
}
