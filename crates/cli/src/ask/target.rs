// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the property goes: into a spec of its own, or to the end of one that is there.

use std::path::Path;

use gnomon::compile::Compiled;

use super::args::Ask;
use crate::console::Console;
use crate::failure::Failure;
use crate::files::STDIN;
use crate::spec::SpecFile;

/// Where the property goes.
pub(super) struct Target {
    /// What messages call the spec.
    pub(super) name: String,
    /// The spec that is there, if the property is added to it.
    pub(super) there: Option<(SpecFile, Compiled)>,
}

impl Target {
    /// `None` if there is a spec and it has errors, which have been told.
    pub(super) fn new(arguments: &Ask, console: &Console) -> Result<Option<Target>, Failure> {
        let name = arguments.output.clone().unwrap_or_else(|| "<new>".to_owned());
        let Some(path) = arguments.output.as_deref().filter(|path| *path != STDIN) else {
            return Ok(Some(Target { name, there: None }));
        };
        if !arguments.append {
            return if Path::new(path).is_file() {
                Err(Failure::new("G0934", format!("there is a file `{path}` already"))
                    .help("add the property to it with `--append`, or choose another name"))
            } else {
                Ok(Some(Target { name, there: None }))
            };
        }
        let file = SpecFile::read(path)?;
        let compiled = file.compile_any(console);
        Ok(compiled.map(|compiled| Target { name, there: Some((file, compiled)) }))
    }

    /// The text that is there.
    pub(super) fn text(&self) -> &str {
        self.there.as_ref().map_or("", |(file, _)| &file.text)
    }

    /// A property of that name is there.
    pub(super) fn has_already(&self, name: &str) -> Failure {
        Failure::new("G0935", format!("the spec has a property `{name}` already"))
            .at(&self.name)
            .help("choose another name")
    }
}
