// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of events in logs that are read line by line.

use gnomon_core::symbols::Name;
use gnomon_core::value::Value;
use gnomon_scan::{Code, Fault, quote};

use super::pattern::TextPattern;
use crate::name_template::NameTemplate;
use crate::names::EventNames;
use crate::reader::NameSource;
use crate::roles::list_names;
use crate::state::ReaderState;

/// The source of the name of the event on a line.
#[derive(Clone)]
pub(crate) enum LineName {
    /// A part, and the name of events in which it is empty.
    Part(usize, Option<Name>),
    /// The name of all events.
    Constant(Name),
    Template(NameTemplate),
    /// A member of the object on the line.
    Member,
}

impl LineName {
    /// Chooses the source, and the part that is the name and no field.
    pub(super) fn choose(
        pattern: &TextPattern,
        names: &[&str],
        source: NameSource<'_>,
        state: &mut ReaderState,
    ) -> Result<(LineName, Option<usize>), Fault> {
        let find = |wanted: &str| names.iter().position(|name| !name.is_empty() && *name == wanted);
        let has_object = pattern.object().is_some();
        match source {
            NameSource::Field(field) => match find(field) {
                Some(part) => Ok((LineName::Part(part, None), None)),
                None if has_object => Ok((LineName::Member, None)),
                None => Err(no_part(field, names)),
            },
            NameSource::Template(template) => {
                let root = |path: &str| path.split('/').next().and_then(find).or_else(|| find(path));
                if let Some(field) = template.fields().find(|path| !has_object && root(path).is_none()) {
                    return Err(no_part(field, names));
                }
                Ok((LineName::of_template(template, state), None))
            }
            NameSource::Usual => {
                if let Some(event) = pattern.event() {
                    return Ok((LineName::Part(event, None), Some(event)));
                }
                let preset = pattern.usual_format().ok_or_else(|| {
                    Fault::new(Code::NoName, 0, "nothing in the pattern of the log is called `event` or `name`").help(
                        "call a part of the pattern `{event}`, or declare the name: `name message`, `name \"line\"`",
                    )
                })?;
                let usual = preset.usual_name().map(|name| state.names.intern(name, None));
                Ok(match (preset.name_part().and_then(find), usual) {
                    (Some(part), usual) => (LineName::Part(part, usual), None),
                    (None, Some(usual)) => (LineName::Constant(usual), None),
                    (None, None) => (LineName::Member, None),
                })
            }
        }
    }

    /// Returns the source of names that a template makes.
    pub(crate) fn of_template(template: &NameTemplate, state: &mut ReaderState) -> LineName {
        match template.constant() {
            Some(name) => LineName::Constant(state.names.intern(&name, None)),
            None => LineName::Template(template.clone()),
        }
    }

    /// Returns a name that is constant or made of fields, or the reason why there is none.
    pub(crate) fn name<'v>(
        &self,
        names: &mut EventNames,
        field_value: impl Fn(&str) -> Option<Value<'v>>,
    ) -> Result<Name, String> {
        match self {
            LineName::Constant(name) => Ok(*name),
            LineName::Template(template) => {
                let name = template.fill(field_value).map_err(|fault| fault.message().to_owned())?;
                Ok(names.find_or_intern(&name))
            }
            LineName::Part(..) | LineName::Member => Err("it has no name".to_owned()),
        }
    }
}

#[cold]
fn no_part(field: &str, names: &[&str]) -> Fault {
    let message =
        format!("the lines of the log have no field {}, which is to have the events' names", quote(field.as_bytes()));
    let fields: Vec<&str> = names.iter().copied().filter(|name| !name.is_empty()).collect();
    Fault::new(Code::NoName, 0, message).help(format!("the fields are {}", list_names(&fields)))
}
