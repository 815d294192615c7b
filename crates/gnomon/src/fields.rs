// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of events, in the forms that programs have.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use gnomon_core::value::Value;
use gnomon_run::online::NamedFields;

/// The fields of an event: an array, slice, vector or map of names and values, or `()` for none.
///
/// All values of an array have one type; [`fields!`](crate::fields) takes values of several types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the fields of an event",
    note = "write `[(\"id\", 7)]`, `gnomon::fields! {{ id: 7, user: \"ann\" }}`, or `()` for no fields"
)]
pub trait IntoFields<'a> {
    /// Converts the fields to names and values.
    fn into_fields(self) -> Vec<(Cow<'a, str>, Value<'a>)>;
}

/// Converts names and values of any types.
fn convert<'a, K: Into<Cow<'a, str>>, V: Into<Value<'a>>>(
    fields: impl IntoIterator<Item = (K, V)>,
) -> Vec<(Cow<'a, str>, Value<'a>)> {
    fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

impl<'a> IntoFields<'a> for () {
    fn into_fields(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        Vec::new()
    }
}

impl<'a, K: Into<Cow<'a, str>>, V: Into<Value<'a>>, const N: usize> IntoFields<'a> for [(K, V); N] {
    fn into_fields(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        convert(self)
    }
}

impl<'a, K: Into<Cow<'a, str>>, V: Into<Value<'a>>> IntoFields<'a> for Vec<(K, V)> {
    fn into_fields(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        convert(self)
    }
}

impl<'a, K: Into<Cow<'a, str>> + Clone, V: Into<Value<'a>> + Clone> IntoFields<'a> for &[(K, V)] {
    fn into_fields(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        convert(self.iter().cloned())
    }
}

impl<'a, K: Into<Cow<'a, str>>, V: Into<Value<'a>>> IntoFields<'a> for BTreeMap<K, V> {
    fn into_fields(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        convert(self)
    }
}

impl<'a, K: Into<Cow<'a, str>>, V: Into<Value<'a>>, S> IntoFields<'a> for HashMap<K, V, S> {
    /// Sorts the fields by name, since their order matters to positional parameters.
    fn into_fields(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        let mut fields = convert(self);
        fields.sort_by(|left, right| left.0.cmp(&right.0));
        fields
    }
}

/// Fields of a pushed event.
pub(crate) struct EventFields<'a>(pub(crate) Vec<(Cow<'a, str>, Value<'a>)>);

impl NamedFields for EventFields<'_> {
    fn named(&self, name: &str) -> Option<Value<'_>> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    }
    fn count(&self) -> usize {
        self.0.len()
    }
    fn nth(&self, index: usize) -> Value<'_> {
        self.0.get(index).map_or(Value::Null, |(_, value)| value.clone())
    }
}

/// Fields of an event with values of any types.
///
/// ```
/// use gnomon::fields;
/// let user = String::from("ann");
/// let fields = fields! { id: 7, user: user, amount: 2.5, "http.status": 200, tags: vec!["a", "b"], note: None::<&str> };
/// assert_eq!(fields[1].0, "user");
/// assert_eq!(fields[4].1.to_string(), "[\"a\", \"b\"]");
/// ```
#[macro_export]
macro_rules! fields {
    ($($name:tt : $value:expr),* $(,)?) => {
        {
            let fields: [(&'static str, $crate::Value<'_>); _] =
                [$(($crate::field_name!($name), $crate::Value::from($value))),*];
            fields
        }
    };
}

/// The name of a field, written as a word or as a text.
#[doc(hidden)]
#[macro_export]
macro_rules! field_name {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:literal) => {
        $name
    };
}
