// SPDX-License-Identifier: MIT OR Apache-2.0
//! Installs peers by the name of their package, each in its own place below one folder. What is there stays.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::child::output;
use super::{PackageSource, Peer};

/// Building or downloading a peer may take so long.
const LIMIT: Duration = Duration::from_secs(600);

/// A peer that can be run.
pub(super) struct InstalledPeer {
    /// The interpreter for its driver.
    pub(super) python: PathBuf,
    /// The peer itself, where that is not a Python library.
    pub(super) binary: Option<PathBuf>,
}

/// Installs a peer, or says why it cannot be.
pub(super) fn install(peer: &Peer, folder: &Path) -> Result<InstalledPeer, String> {
    match peer.source {
        PackageSource::Pip(package) => with_pip(package, folder),
        PackageSource::Cargo(package) => with_cargo(package, folder),
    }
    .map_err(|reason| format!("not installed: {reason}"))
}

fn with_pip(package: &str, folder: &Path) -> Result<InstalledPeer, String> {
    let environment = folder.join(package);
    let python = environment.join("bin/python");
    let mut import = Command::new(&python);
    import.args(["-c", &format!("import {package}")]);
    if output(&mut import, LIMIT, folder).is_err() {
        output(Command::new("python3").args(["-m", "venv"]).arg(&environment), LIMIT, folder)?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]);
        output(&mut pip, LIMIT, folder)?;
        output(&mut import, LIMIT, folder)?;
    }
    Ok(InstalledPeer { python, binary: None })
}

fn with_cargo(package: &str, folder: &Path) -> Result<InstalledPeer, String> {
    let binary = folder.join("bin").join(package);
    if !binary.exists() {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // A folder that stays lets the next attempt go on where the time ran out.
        cargo.args(["install", "--locked", "--quiet", package, "--root"]).arg(folder);
        cargo.arg("--target-dir").arg(folder.join("build"));
        output(&mut cargo, LIMIT, folder)?;
    }
    Ok(InstalledPeer { python: PathBuf::from("python3"), binary: Some(binary) })
}
