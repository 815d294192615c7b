// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiles the dashboard in: compresses every file of `ui/dist` and writes a table of them. If Node is installed and
//! the sources are newer, it builds the dashboard first. If that fails the build continues; the server then shows how
//! to build it.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Sources of the dashboard.
const SOURCES: [&str; 6] = ["src", "public", "index.html", "package.json", "package-lock.json", "vite.config.ts"];

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let ui = here.join("../../ui");
    say("cargo::rerun-if-env-changed=GNOMON_SKIP_UI");
    say("cargo::rerun-if-changed=build.rs");
    for source in SOURCES.iter().chain(&["dist"]) {
        say(&format!("cargo::rerun-if-changed={}", ui.join(source).display()));
    }
    let dist = ui.join("dist");
    if env::var_os("GNOMON_SKIP_UI").is_none()
        && is_outdated(&ui, &dist)
        && let Err(why) = build(&ui)
    {
        say(&format!("cargo::warning=the dashboard was not built: {why}; run `npm ci && npm run build` in ui/"));
    }
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        list(&dist, "", &mut files)?;
    }
    files.sort();
    embed(&files, &out)?;
    Ok(())
}

/// Returns true if the sources exist and are newer than the build.
fn is_outdated(ui: &Path, dist: &Path) -> bool {
    if !ui.join("package.json").is_file() || !ui.join("src").is_dir() {
        return false;
    }
    let Some(built) = modified(&dist.join("index.html")) else { return true };
    SOURCES.iter().filter_map(|source| newest(&ui.join(source))).any(|changed| changed > built)
}

fn newest(path: &Path) -> Option<SystemTime> {
    if path.is_dir() {
        let entries = fs::read_dir(path).ok()?;
        return entries.filter_map(|entry| newest(&entry.ok()?.path())).max();
    }
    modified(path)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|about| about.modified()).ok()
}

fn build(ui: &Path) -> Result<(), String> {
    if !ui.join("node_modules").is_dir() {
        npm(ui, &["ci", "--no-audit", "--no-fund"])?;
    }
    npm(ui, &["run", "build"])?;
    let sources = SOURCES.iter().filter_map(|source| newest(&ui.join(source))).max();
    sources.map_or(Ok(()), |time| date_back(&ui.join("dist"), time).map_err(|error| error.to_string()))
}

/// Gives built files the time of the newest source. Cargo runs this script again, and compiles what depends on it, if a file that
/// it watches is newer than its last run, as those are that the script itself builds.
fn date_back(path: &Path, time: SystemTime) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            date_back(&entry?.path(), time)?;
        }
    }
    fs::File::open(path)?.set_modified(time)
}

fn npm(ui: &Path, arguments: &[&str]) -> Result<(), String> {
    let run = Command::new("npm").args(arguments).current_dir(ui).stdin(Stdio::null()).output();
    let run = run.map_err(|error| format!("npm cannot be started: {error}"))?;
    if run.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason was given").to_owned();
    Err(format!("npm {} failed: {last}", arguments.join(" ")))
}

/// Lists all files under a folder with their paths in it.
fn list(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let name = format!("{prefix}/{name}");
        if path.is_dir() {
            list(&path, &name, files)?;
        } else {
            files.push((name, path));
        }
    }
    Ok(())
}

/// Writes the compressed files and a table that includes them.
fn embed(files: &[(String, PathBuf)], out: &Path) -> Result<(), Box<dyn Error>> {
    let mut table = String::from("&[\n");
    for (number, (name, path)) in files.iter().enumerate() {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&fs::read(path)?)?;
        let target = out.join(format!("ui-{number}.gz"));
        fs::write(&target, packer.finish()?)?;
        writeln!(
            table,
            "    DashboardFile {{ path: {name:?}, packed: include_bytes!({:?}) }},",
            target.display().to_string()
        )?;
    }
    table.push_str("]\n");
    fs::write(out.join("ui.rs"), table)?;
    Ok(())
}

#[allow(clippy::print_stdout)] // this is how a build script talks to cargo
fn say(line: &str) {
    println!("{line}");
}
