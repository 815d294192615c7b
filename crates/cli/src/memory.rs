// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory sizes: parsing and printing, and the memory available to the machine or to the control group of the process.

use std::fs;
use std::path::{Path, PathBuf};

/// The default limit, in percent of the available memory.
const DEFAULT_PERCENT: u64 = 80;
const UNITS: [(&str, u32); 5] = [("T", 40), ("G", 30), ("M", 20), ("K", 10), ("", 0)];

/// Reads `500M`, `1.5G`, `2GiB`, `4096`.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size of memory; write a number of bytes, or one such as 500M or 2G");
    let split = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = unit.to_ascii_uppercase();
    let letter = unit.strip_suffix("IB").or_else(|| unit.strip_suffix('B')).unwrap_or(&unit);
    let shift = UNITS.iter().find(|(known, _)| *known == letter).map(|(_, shift)| *shift).ok_or_else(wrong)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || fraction.len() > 9 {
        return Err(wrong());
    }
    let parse = |part: &str| part.parse::<u128>().map_err(|_| wrong());
    let fraction = (parse(fraction)? << shift) / 10_u128.pow(fraction.len() as u32);
    let bytes = parse(whole)?.checked_mul(1 << shift).and_then(|bytes| bytes.checked_add(fraction));
    bytes.and_then(|bytes| u64::try_from(bytes).ok()).ok_or_else(wrong)
}

/// `1.5 GiB`, `12 KiB`, `7 bytes`
pub(crate) fn print_size(bytes: u64) -> String {
    let (unit, shift) = UNITS.iter().find(|(_, shift)| bytes >> shift > 0).copied().unwrap_or(("", 0));
    if shift == 0 {
        return format!("{bytes} bytes");
    }
    let tenths = (u128::from(bytes) * 10) >> shift;
    let (whole, tenth) = (tenths / 10, tenths % 10);
    if whole >= 10 || tenth == 0 { format!("{whole} {unit}iB") } else { format!("{whole}.{tenth} {unit}iB") }
}

/// Returns the default memory limit; `None` if the available memory is unknown.
pub(crate) fn default_limit() -> Option<u64> {
    available(Path::new("/")).map(|bytes| (u128::from(bytes) * u128::from(DEFAULT_PERCENT) / 100) as u64)
}

/// Returns the available memory of the machine, or of the control group if that is less. `root` is the root of the file
/// system.
fn available(root: &Path) -> Option<u64> {
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    });
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let groups = groups.lines().filter_map(|line| group_available(root, line)).min();
    [machine, groups].into_iter().flatten().min()
}

/// Returns the available memory of a control group of the process and of its ancestors, each of which may have a limit. Inside
/// a container the path may be that of the host and not exist; then the root of the hierarchy counts.
fn group_available(root: &Path, line: &str) -> Option<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let files = if controllers.is_empty() {
        &V2
    } else if controllers.split(',').any(|controller| controller == "memory") {
        &V1
    } else {
        return None;
    };
    let top = root.join(files.mount);
    let own = top.join(path.trim_start_matches('/'));
    let within = own.ancestors().take_while(|folder| folder.starts_with(&top)).map(Path::to_path_buf);
    within.filter_map(|folder| files.available(&folder)).min()
}

/// The files of one version of control groups.
struct CgroupFiles {
    mount: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// Statistics of cached pages, which the system frees when memory is short.
    cached: [&'static str; 2],
}

const V1: CgroupFiles = CgroupFiles {
    mount: "sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cached: ["total_inactive_file", "total_active_file"],
};
const V2: CgroupFiles = CgroupFiles {
    mount: "sys/fs/cgroup",
    limit: "memory.max",
    usage: "memory.current",
    cached: ["inactive_file", "active_file"],
};

impl CgroupFiles {
    fn available(&self, folder: &Path) -> Option<u64> {
        let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
        // Without a limit the file contains `max` in version 2, and a huge number in version 1.
        let limit = number(folder.join(self.limit))?;
        let usage = number(folder.join(self.usage))?;
        let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cached = |line: &str| {
            let (name, bytes) = line.split_once(' ')?;
            self.cached.contains(&name).then_some(bytes)?.trim().parse::<u64>().ok()
        };
        let cached: u64 = stat.lines().filter_map(cached).sum();
        Some(limit.saturating_sub(usage.saturating_sub(cached)))
    }
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        let read =
            [("4096", 4096), ("500M", 500 << 20), ("1.5G", 3 << 29), ("2GiB", 2 << 30), ("3kb", 3 << 10), ("0", 0)];
        for (text, bytes) in read {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "M", "-1", "5X", "1.M", ".5G", "1 G", "99999999999T", "1.0000000001G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        let written = [(7, "7 bytes"), (1536, "1.5 KiB"), (2 << 30, "2 GiB"), ((100 << 20) + (900 << 10), "100 MiB")];
        for (bytes, text) in written {
            assert_eq!(print_size(bytes), text);
        }
    }

    /// Creates a root with these files; returns the available memory.
    fn system(files: &[(&str, &str)]) -> (Option<u64>, PathBuf) {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let root = env::temp_dir().join(format!("gnomon-memory-{}-{number}", process::id()));
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        (available(&root), root)
    }

    #[test]
    fn the_tightest_of_machine_and_groups_counts() {
        let meminfo = ("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    1000 kB\n");
        let check = |files: &[(&str, &str)], expected| {
            let (found, root) = system(files);
            assert_eq!(found, expected, "{files:?}");
            let _ = fs::remove_dir_all(root);
        };
        check(&[], None);
        check(&[meminfo], Some(1_024_000));
        let v2 = [
            meminfo,
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.current", "100\n"),
            ("sys/fs/cgroup/a/memory.max", "5000\n"),
            ("sys/fs/cgroup/a/memory.current", "3000\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 7\ninactive_file 400\nactive_file 100\n"),
        ];
        check(&v2, Some(2500));
        let v1 = [
            ("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/not/here\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "700\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "900\n"),
            ("sys/fs/cgroup/memory/memory.stat", "inactive_file 300\ntotal_inactive_file 400\n"),
        ];
        check(&v1, Some(200));
    }
}
