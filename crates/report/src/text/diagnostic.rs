// SPDX-License-Identifier: MIT OR Apache-2.0
//! A diagnostic as text: the message, the location, and the line as it should read.

use std::fmt::Write as _;

use gnomon_core::diagnostic::{Diagnostic, Help, Severity, Span, line_column};

use super::line::sanitised;
use super::paint::{Ink, Paint};
use super::snippet::{SourceLines, SourceMark, draw, margin};

/// Draws a diagnostic about a source; `name` is its name for the user.
pub fn render(diagnostic: &Diagnostic, name: &str, text: &str, paint: Paint) -> String {
    let word = diagnostic.severity.word();
    let ink = match diagnostic.severity {
        Severity::Error => Ink::Bad,
        Severity::Warning => Ink::Doubtful,
        Severity::Note => Ink::Frame,
    };
    let source = SourceLines::new(text);
    let primary = std::iter::once((&diagnostic.primary, '^', ink));
    let secondary = diagnostic.secondary.iter().map(|label| (label, '-', Ink::Frame));
    let marks: Vec<SourceMark> = primary
        .chain(secondary)
        .map(|(label, sign, ink)| SourceMark { span: label.span, text: label.text.clone(), sign, ink })
        .collect();
    let edited = diagnostic.help.as_ref().and_then(|help| edit(text, help));
    let width = margin(&source, &marks).max(edited.as_ref().map_or(0, EditedSource::margin));

    let mut out = header(word, Some(diagnostic.code), &diagnostic.message, ink, paint);
    place(&mut out, name, text, diagnostic.primary.span, width, paint);
    draw(&mut out, &source, &marks, width, (paint, None));
    let has_tail = !diagnostic.notes.is_empty() || diagnostic.help.is_some();
    if has_tail {
        rule(&mut out, width, paint);
    }
    for note in &diagnostic.notes {
        remark(&mut out, "note", note, width, paint);
    }
    match (&diagnostic.help, edited) {
        (Some(help), Some(edited)) => {
            let _ = writeln!(out, "{}: {}", paint.ink(Ink::Good, "help"), sanitised(&help.text));
            rule(&mut out, width, paint);
            let source = SourceLines::new(&edited.text);
            draw(&mut out, &source, &edited.marks(), width, (paint, None));
        }
        (Some(help), None) => remark(&mut out, "help", &help.text, width, paint),
        (None, _) => {}
    }
    out
}

/// Renders `error[G0203]: message`.
pub fn header(word: &str, code: Option<&str>, message: &str, ink: Ink, paint: Paint) -> String {
    let word = code.map_or_else(|| word.to_owned(), |code| format!("{word}[{code}]"));
    let message = paint.ink(Ink::Strong, &format!(": {}", sanitised(message)));
    format!("{}{message}\n", paint.ink(ink, &word))
}

/// Writes ` --> file:3:47` and the rule under it.
pub fn place(out: &mut String, name: &str, text: &str, span: Span, margin: usize, paint: Paint) {
    let (line, column) = line_column(text, span.start as usize);
    let arrow = paint.ink(Ink::Frame, &format!("{:>margin$}-->", ""));
    let _ = writeln!(out, "{arrow} {}:{line}:{column}", sanitised(name));
    rule(out, margin, paint);
}

/// Writes an empty line with its rule.
pub fn rule(out: &mut String, margin: usize, paint: Paint) {
    let _ = writeln!(out, "{}", paint.ink(Ink::Frame, &format!("{:>margin$} |", "")));
}

/// Writes `  = note: text`.
pub fn remark(out: &mut String, word: &str, text: &str, margin: usize, paint: Paint) {
    let sign = paint.ink(Ink::Frame, &format!("{:>margin$} =", ""));
    let _ = writeln!(out, "{sign} {}: {}", paint.ink(Ink::Strong, word), sanitised(text));
}

/// The source after the suggested edit, with the position of the new text.
struct EditedSource {
    text: String,
    start: usize,
    end: usize,
}

fn edit(text: &str, help: &Help) -> Option<EditedSource> {
    let (span, replacement) = help.edit.as_ref()?;
    let (start, end) = (span.start as usize, span.end as usize);
    let (before, after) = (text.get(..start)?, text.get(end..)?);
    Some(EditedSource { text: format!("{before}{replacement}{after}"), start, end: start + replacement.len() })
}

impl EditedSource {
    fn margin(&self) -> usize {
        margin(&SourceLines::new(&self.text), &self.marks())
    }

    /// Returns one mark for each line of the new text except blank ones.
    fn marks(&self) -> Vec<SourceMark> {
        let mut marks = Vec::new();
        let mut at = self.start;
        for line in self.text[self.start..self.end].split_inclusive('\n') {
            let start = at + line.len() - line.trim_start().len();
            let end = at + line.trim_end().len();
            at += line.len();
            if start < end {
                marks.push(SourceMark { span: Span::new(start, end), text: String::new(), sign: '~', ink: Ink::Good });
            }
        }
        if marks.is_empty() {
            // The edit is a deletion: the mark shows where.
            marks.push(SourceMark {
                span: Span::new(self.start, self.start),
                text: String::new(),
                sign: '~',
                ink: Ink::Good,
            });
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::random::Random;

    use super::*;

    fn check(diagnostic: &Diagnostic, text: &str, expected: &str) {
        let got = render(diagnostic, "billing.rv", text, Paint::PLAIN);
        assert_eq!(got, expected.trim_start_matches('\n'), "\n{got}");
    }

    fn span(text: &str, part: &str) -> Span {
        let start = text.find(part).unwrap();
        Span::new(start, start + part.len())
    }

    #[test]
    fn a_misspelt_name_is_corrected() {
        let text = "# bills\n\nsoloist ship { G(paid -> F[0,14] shiped) }\n";
        let at = span(text, "shiped");
        let diagnostic = Diagnostic::error("G0203", at, "`shiped` is not an event of this trace or spec")
            .label("never seen, never declared")
            .edit("an event with a similar name exists", at, "shipped");
        check(
            &diagnostic,
            text,
            "
error[G0203]: `shiped` is not an event of this trace or spec
 --> billing.rv:3:34
  |
3 | soloist ship { G(paid -> F[0,14] shiped) }
  |                                  ^^^^^^ never seen, never declared
  |
help: an event with a similar name exists
  |
3 | soloist ship { G(paid -> F[0,14] shipped) }
  |                                  ~~~~~~~
",
        );
    }

    #[test]
    fn several_labels_hang_below() {
        let text = "event a(x) = b\n\n\n\nsoloist p { G(a(1, 2) -> c) }";
        let diagnostic = Diagnostic::error("G0204", span(text, "a(1, 2)"), "`a` has 1 parameter, not 2")
            .label("two here")
            .also(span(text, "c)"), "and then")
            .also(span(text, "a(x)"), "declared here")
            .help("write `a(_)`")
            .note("parameters are counted");
        check(
            &diagnostic,
            text,
            "
error[G0204]: `a` has 1 parameter, not 2
 --> billing.rv:5:15
  |
1 | event a(x) = b
  |       ---- declared here
...
5 | soloist p { G(a(1, 2) -> c) }
  |               ^^^^^^^    -- and then
  |               |
  |               two here
  |
  = note: parameters are counted
  = help: write `a(_)`
",
        );
    }

    #[test]
    fn a_place_may_span_lines() {
        let text = "soloist p {\n  G(a\n   -> b\n}\n";
        let diagnostic = Diagnostic::error("G0101", span(text, "(a\n   -> b"), "this parenthesis is not closed")
            .label("opened here");
        check(
            &diagnostic,
            text,
            "
error[G0101]: this parenthesis is not closed
 --> billing.rv:2:4
  |
2 |     G(a
  |  ____^
3 | |    -> b
  | |_______^ opened here
",
        );
    }

    #[test]
    fn the_end_of_a_text_and_wide_characters_can_be_marked() {
        let text = "\tsoloist 支 { G(é";
        let diagnostic = Diagnostic::error("G0101", Span::new(text.len(), text.len()), "the text ends here")
            .label("`)` is missing")
            .edit("close it", Span::new(text.len(), text.len()), ") }\n\n# done");
        check(
            &diagnostic,
            text,
            "
error[G0101]: the text ends here
 --> billing.rv:1:17
  |
1 |     soloist 支 { G(é
  |                     ^ `)` is missing
  |
help: close it
  |
1 |     soloist 支 { G(é) }
  |                     ~~~
2 |
3 | # done
  | ~~~~~~
",
        );
    }

    /// Any spans over any text: a drawing comes out, and no mark is lost.
    #[test]
    fn every_diagnostic_can_be_drawn() {
        let pieces = ["a", "é", "支", "\t", "\n", "\r\n", " ", "\u{301}", "\u{1b}", "long words "];
        let mut numbers = Random::new(7);
        let mut random = |below: u32| numbers.below(below.into()) as u32;
        for _ in 0..3_000 {
            let text: String = (0..random(60)).map(|_| pieces[random(10) as usize]).collect();
            let mut span = || Span { start: random(80), end: random(80) };
            let diagnostic = Diagnostic::error("G0101", span(), "odd")
                .label("first")
                .also(span(), "second")
                .also(span(), "third")
                .edit("mend", span(), "new\n text");
            let drawn = render(&diagnostic, "odd.rv", &text, Paint::PLAIN);
            for label in ["first", "second", "third"] {
                assert!(drawn.contains(label), "{text:?}\n{drawn}");
            }
            assert!(!drawn.contains('\u{1b}'));
        }
    }

    #[test]
    fn invalid_spans_are_drawn() {
        for (start, end) in [(0, 0), (5, 2), (3, 900), (900, 901), (2, 3)] {
            let diagnostic = Diagnostic::error("G0101", Span { start, end }, "odd").edit("x", Span { start, end }, "y");
            assert!(render(&diagnostic, "a", "aé\n\nb", Paint::PLAIN).starts_with("error[G0101]: odd\n"));
            assert!(render(&diagnostic, "a", "", Paint::PLAIN).starts_with("error[G0101]: odd\n"));
        }
    }
}
