// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puts the pages of `docs/errors` into the binary, so that `gnomon explain` needs no files.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&root).join("../../docs/errors");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut pages = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md")
            && let Some(code) = path.file_stem().and_then(|stem| stem.to_str())
        {
            pages.push((code.to_owned(), fs::canonicalize(&path)?));
        }
    }
    pages.sort();
    let mut table = "/// Code and page, by code.\npub(crate) const PAGES: &[(&str, &str)] = &[\n".to_owned();
    for (code, path) in pages {
        println!("cargo:rerun-if-changed={}", path.display());
        writeln!(table, "    ({code:?}, include_str!({:?})),", path.display().to_string()).map_err(io::Error::other)?;
    }
    table.push_str("];\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("pages.rs"), table)
}
