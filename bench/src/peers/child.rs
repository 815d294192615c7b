// SPDX-License-Identifier: MIT OR Apache-2.0
//! Child processes that are given only so much time, and whose failure is a reason rather than an error.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Runs a command to its end and returns its standard output. The reason for a failure is the last line that it wrote
/// to its standard error. Both go to files in the folder: nobody reads a pipe here while waiting.
pub(super) fn output(command: &mut Command, limit: Duration, folder: &Path) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let (out, err) = (folder.join("child.out"), folder.join("child.err"));
    let create = |path: &Path| File::create(path).map_err(|error| format!("`{}`: {error}", path.display()));
    command.stdin(Stdio::null()).stdout(create(&out)?).stderr(create(&err)?);
    let status = wait(command, limit).map_err(|reason| format!("`{program}` {reason}"))?;
    let read =
        |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    if status.success() {
        return Ok(read(&out));
    }
    let text = read(&err);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    Err(last.map_or_else(|| format!("`{program}` failed: {status}"), str::to_owned))
}

fn wait(command: &mut Command, limit: Duration) -> Result<ExitStatus, String> {
    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
    loop {
        if let Some(status) = child.try_wait().map_err(|error| format!("cannot be waited for: {error}"))? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            // It may have ended by now, which is as good.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("was not done after {} s", limit.as_secs()));
        }
        sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration, name: &str) -> Result<String, String> {
        let folder = std::env::temp_dir().join(format!("gnomon-bench-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let result = output(Command::new("sh").args(["-c", script]), limit, &folder);
        fs::remove_dir_all(&folder).unwrap();
        result
    }

    #[test]
    fn output_or_reason() {
        let minute = Duration::from_secs(60);
        assert_eq!(shell("echo a", minute, "good").unwrap(), "a\n");
        assert_eq!(shell("echo why >&2; echo >&2; exit 3", minute, "bad").unwrap_err(), "why");
        assert!(shell("exit 3", minute, "silent").unwrap_err().contains('3'));
        assert!(shell("exec sleep 60", Duration::from_millis(50), "slow").unwrap_err().contains("not done"));
        let missing = output(&mut Command::new("/no/such/program"), minute, &std::env::temp_dir());
        assert!(missing.unwrap_err().contains("cannot be started"));
    }
}
