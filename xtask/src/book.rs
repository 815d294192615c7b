// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stages the book for mdBook.
//!
//! `docs/book/src/SUMMARY.md` is the index of all documents. Most of them are beside the code that they describe, and mdBook reads
//! one folder only. [`stage`] therefore copies the pages that the index lists to one folder and rewrites the links between
//! them, so that every page exists once in the repository (ADR 0044).
//!
//! A line `<!-- collect: FOLDER -->` on a page stands for all pages of a folder, one after the other. Links to such a page lead
//! to its section.

mod links;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use links::{Link, joined, relative, rewrite};

/// Folder of the book, from the root of the repository.
const BOOK: &str = "docs/book";
/// Folder of the book's own pages.
const PAGES: &str = "docs/book/src";
/// The index of all documents.
pub(crate) const SUMMARY: &str = "docs/book/src/SUMMARY.md";

/// Destinations of the pages in the staged book, by their path in the repository.
struct Destinations {
    /// Path in the staged book, with the section for a page of a collection.
    pages: BTreeMap<String, (String, Option<String>)>,
}

impl Destinations {
    fn read(root: &Path) -> io::Result<Destinations> {
        let mut pages = BTreeMap::new();
        for page in listed(root)? {
            let destination = destination(&page);
            for member in collected(root, &page)? {
                let section = section(&member);
                pages.insert(member, (destination.clone(), Some(section)));
            }
            pages.insert(page, (destination, None));
        }
        Ok(Destinations { pages })
    }
}

/// Returns the pages that the index lists, in its order, as paths in the repository.
pub(crate) fn listed(root: &Path) -> io::Result<Vec<String>> {
    let mut pages = Vec::new();
    rewrite(&fs::read_to_string(root.join(SUMMARY))?, &mut |target| {
        pages.push(joined(PAGES, target));
        Link::Keep
    });
    Ok(pages)
}

/// Returns the pages that belong to the book without being listed themselves: the members of collections.
pub(crate) fn collected(root: &Path, page: &str) -> io::Result<Vec<String>> {
    let mut members = Vec::new();
    let text = fs::read_to_string(root.join(page)).map_err(|error| at(page, &error))?;
    for folder in text.lines().filter_map(collection) {
        let folder = joined(parent(page), folder);
        for entry in fs::read_dir(root.join(&folder)).map_err(|error| at(&folder, &error))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
                members.push(format!("{folder}/{name}"));
            }
        }
    }
    members.sort();
    Ok(members)
}

/// Writes the staged book to a folder and returns the broken links.
pub(crate) fn stage(root: &Path, out: &Path) -> io::Result<Vec<String>> {
    let pages_out = out.join("src");
    if pages_out.exists() {
        fs::remove_dir_all(&pages_out)?;
    }
    fs::create_dir_all(&pages_out)?;
    fs::copy(root.join(BOOK).join("book.toml"), out.join("book.toml"))?;
    let destinations = Destinations::read(root)?;
    let mut staging = Staging { root, out: pages_out, destinations: &destinations, broken: Vec::new() };
    let summary = staging.rewritten(SUMMARY, "SUMMARY.md", &fs::read_to_string(root.join(SUMMARY))?)?;
    staging.write("SUMMARY.md", &summary)?;
    for (page, (destination, section)) in &destinations.pages {
        if section.is_none() {
            let text = staging.page(page, destination)?;
            staging.write(destination, &text)?;
        }
    }
    Ok(staging.broken)
}

struct Staging<'a> {
    root: &'a Path,
    out: PathBuf,
    destinations: &'a Destinations,
    broken: Vec<String>,
}

impl Staging<'_> {
    /// A page as it is staged, with the members of its collections.
    fn page(&mut self, page: &str, destination: &str) -> io::Result<String> {
        let text = fs::read_to_string(self.root.join(page))?;
        let mut out = self.rewritten(page, destination, &text)?;
        for folder in text.lines().filter_map(collection) {
            let mut all = String::new();
            let folder_path = joined(parent(page), folder);
            for member in collected(self.root, page)?.iter().filter(|member| parent(member) == folder_path) {
                let text = fs::read_to_string(self.root.join(member))?;
                all.push_str(&as_section(&self.rewritten(member, destination, &text)?, &section(member)));
                all.push('\n');
            }
            out = out.replace(&format!("<!-- collect: {folder} -->"), &all);
        }
        Ok(out)
    }

    /// The text of a page with the links that it needs at its destination.
    fn rewritten(&mut self, page: &str, destination: &str, text: &str) -> io::Result<String> {
        let mut files = Vec::new();
        let text = rewrite(text, &mut |target| {
            let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
            let path = joined(parent(page), path);
            let Some((to, section)) = self.destinations.pages.get(&path) else {
                let file = self.root.join(&path);
                if file.is_file() && Path::new(&path).extension().is_none_or(|extension| extension != "md") {
                    files.push(path.clone());
                    return Link::To(relative(parent(destination), &path));
                }
                if !file.exists() {
                    self.broken.push(format!("{page}: `{target}` does not exist"));
                }
                return Link::Remove;
            };
            let anchor = anchor.or(section.as_deref()).map_or(String::new(), |anchor| format!("#{anchor}"));
            Link::To(format!("{}{anchor}", relative(parent(destination), to)))
        });
        for file in files {
            let to = self.out.join(&file);
            fs::create_dir_all(to.parent().unwrap_or(&self.out))?;
            fs::copy(self.root.join(&file), to)?;
        }
        Ok(text)
    }

    fn write(&self, destination: &str, text: &str) -> io::Result<()> {
        let path = self.out.join(destination);
        fs::create_dir_all(path.parent().unwrap_or(&self.out))?;
        fs::write(path, text)
    }
}

/// The folder of a line `<!-- collect: FOLDER -->`.
fn collection(line: &str) -> Option<&str> {
    line.strip_prefix("<!-- collect: ")?.strip_suffix(" -->")
}

/// Path of a page in the staged book: those of the book itself at the top, other documents in their folder.
fn destination(page: &str) -> String {
    let own = page.strip_prefix(PAGES).or(page.strip_prefix("docs"));
    own.map_or(page, |page| page.trim_start_matches('/')).to_owned()
}

/// Identifier of the section of a collected page.
fn section(page: &str) -> String {
    let name = page.rsplit('/').next().unwrap_or(page);
    name.trim_end_matches(".md").to_lowercase()
}

/// A page as a section of another: its headings are one level lower, and the first has an identifier.
fn as_section(text: &str, section: &str) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        fenced ^= line.starts_with("```");
        if !fenced && line.starts_with('#') {
            out.push('#');
        }
        out.push_str(line);
        if index == 0 {
            out.extend([" {#", section, "}"]);
        }
        out.push('\n');
    }
    out
}

/// The folder of a path.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn at(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_collection_become_sections() {
        let text = "# G0101: bad\n\n```rv\n# a comment\n```\n\n## More\n";
        let expected = "## G0101: bad {#g0101}\n\n```rv\n# a comment\n```\n\n### More\n";
        assert_eq!(as_section(text, &section("docs/errors/G0101.md")), expected);
    }

    #[test]
    fn documents_keep_their_folder() {
        assert_eq!(destination("docs/book/src/tutorial/log.md"), "tutorial/log.md");
        assert_eq!(destination("docs/languages/mtl.md"), "languages/mtl.md");
        assert_eq!(destination("crates/trace/src/csv/FORMAT.md"), "crates/trace/src/csv/FORMAT.md");
    }

    #[test]
    fn the_book_can_be_staged() {
        let out = std::env::temp_dir().join(format!("gnomon-book-{}", std::process::id()));
        let broken = stage(&crate::root(), &out);
        let staged = fs::read_to_string(out.join("src/SUMMARY.md"));
        let removed = fs::remove_dir_all(&out);
        assert_eq!(broken.expect("every page can be read"), Vec::<String>::new());
        assert!(staged.expect("the index is written").contains("(watch.md)"));
        removed.expect("the folder can be removed");
    }
}
