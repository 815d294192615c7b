// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time and memory of a child process, as the kernel reports them under `/proc`.
//!
//! No system call that would need unsafe code is made. The processor time is read from the ended child before it is
//! reaped, so it is complete. The peak memory is a high-water mark of the kernel's, looked up every millisecond: only
//! what a child allocates in its last millisecond can be missed.

use std::error::Error;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time and memory of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    /// In user and kernel mode, all threads; to the kernel's clock tick.
    pub(crate) processor: Duration,
    pub(crate) peak_bytes: u64,
}

/// Runs a command to its end, with its standard output in a file. Returns the exit status too.
pub(crate) fn run(command: &mut Command, output: &Path) -> Result<(Cost, i32), Box<dyn Error>> {
    command.stdin(Stdio::null()).stdout(File::create(output)?);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let process = Path::new("/proc").join(child.id().to_string());
    let mut peak_bytes = 0;
    let mut text = String::new();
    let wall = loop {
        read(&process.join("status"), &mut text)?;
        if let Some(peak) = field(&text, "VmHWM:") {
            peak_bytes = peak * 1024;
        }
        if text.lines().any(|line| line.starts_with("State:\tZ")) {
            break start.elapsed();
        }
        sleep(Duration::from_millis(1));
    };
    read(&process.join("stat"), &mut text)?;
    let processor = processor_time(&text).ok_or("`/proc/PID/stat` does not look as expected")?;
    let status = child.wait()?.code().ok_or("the process was ended by a signal")?;
    Ok((Cost { wall, processor, peak_bytes }, status))
}

fn read(path: &Path, text: &mut String) -> Result<(), Box<dyn Error>> {
    text.clear();
    fs::File::open(path)?.read_to_string(text)?;
    Ok(())
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// User and system time from `/proc/PID/stat`: the 14th and 15th field. The second is a name in parentheses, which
/// may contain anything.
fn processor_time(stat: &str) -> Option<Duration> {
    const TICKS_PER_SECOND: u64 = 100;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 1000 / TICKS_PER_SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_proc() {
        assert_eq!(field("Name:\tx\nVmHWM:\t    1234 kB\n", "VmHWM:"), Some(1234));
        let stat = "42 (a b) c) Z 1 2 3 4 5 6 7 8 9 10 150 25 0 0";
        assert_eq!(processor_time(stat), Some(Duration::from_millis(1750)));
    }
}
