// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines and columns of an XML document, found without going through it again and again.

use std::cell::Cell;

use gnomon_trace::Place;
use gnomon_trace::message::Element;

pub(crate) struct Places<'t> {
    text: &'t str,
    /// Where each line begins.
    lines: Vec<usize>,
    /// The last place that was asked for, and its column less one: a line may be all of the document.
    last: Cell<(usize, usize)>,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Places { text, lines: std::iter::once(0).chain(after).collect(), last: Cell::default() }
    }

    /// Where an element begins.
    pub(crate) fn of(&self, element: &Element<'_>) -> Place {
        let line = self.lines.partition_point(|&start| start <= element.at).max(1);
        let start = self.lines[line - 1];
        let (at, before) = self.last.get();
        let (at, before) = if (start..=element.at).contains(&at) { (at, before) } else { (start, 0) };
        let before = before + self.text.get(at..element.at).unwrap_or_default().chars().count();
        self.last.set((element.at, before));
        Place { line: line as u64, column: before as u64 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_its_place() {
        let text = "<a>\n é<b/><c/>\n<d/></a>";
        let root = Element::parse("t", text).unwrap();
        let places = Places::new(text);
        let shown = |element: &Element<'_>| places.of(element).to_string();
        let inside: Vec<String> = root.elements().map(shown).collect();
        assert_eq!(inside, ["2:3", "2:7", "3:1"]);
        let backwards: Vec<&Element<'_>> = root.elements().collect::<Vec<_>>().into_iter().rev().collect();
        assert_eq!(backwards.into_iter().map(shown).collect::<Vec<_>>(), ["3:1", "2:7", "2:3"]);
        assert_eq!(shown(&root), "1:1");
    }
}
