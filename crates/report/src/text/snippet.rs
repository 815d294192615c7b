// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a source with marks under them, in the layout of rustc.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gnomon_core::diagnostic::Span;

use super::line::{DisplayLine, sanitised, text_width};
use super::paint::{Ink, Paint};

/// A marked span of a source.
#[derive(Clone, Debug)]
pub struct SourceMark {
    /// The span in bytes of the source.
    pub span: Span,
    /// The label beside the mark.
    pub text: String,
    /// The character of the mark: `^`, `-` or `~`.
    pub sign: char,
    /// The colour.
    pub ink: Ink,
}

/// A source split into lines.
pub struct SourceLines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> SourceLines<'a> {
    /// Finds the beginnings of the lines.
    pub fn new(text: &'a str) -> SourceLines<'a> {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        SourceLines { text, starts: std::iter::once(0).chain(newlines).collect() }
    }

    /// Returns the line of a byte, counted from 0.
    pub fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    fn line(&self, index: usize) -> &'a str {
        let end = self.starts.get(index + 1).map_or(self.text.len(), |next| next - 1);
        let line = &self.text[self.starts[index]..end];
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Clamps a span to the source and to character boundaries, without blanks at its end.
    fn clamp(&self, span: Span) -> (usize, usize) {
        let mut start = (span.start as usize).min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = (span.end as usize).clamp(start, self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        (start, start + self.text[start..end].trim_end().len())
    }
}

/// A mark with the lines that it covers.
struct PlacedMark<'a> {
    first: usize,
    last: usize,
    start: usize,
    end: usize,
    mark: &'a SourceMark,
}

/// Returns the width of the left margin: the digits of the greatest marked line number.
pub fn margin(source: &SourceLines<'_>, marks: &[SourceMark]) -> usize {
    let last = marks.iter().map(|mark| source.line_of(source.clamp(mark.span).1)).max().unwrap_or(0);
    digits(last as u64 + 1)
}

/// Returns the number of decimal digits.
pub fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Draws the marked lines, cut to the width of the terminal if it is known. Only the first mark may cover several lines; another one that
/// would is marked at its beginning.
pub fn draw(
    out: &mut String,
    source: &SourceLines<'_>,
    marks: &[SourceMark],
    margin: usize,
    (paint, width): (Paint, Option<usize>),
) {
    // The margin, its bar, and the column of the arm of a tall mark.
    let room = width.map(|width| width.saturating_sub(margin + " |   ".len()));
    let placed: Vec<PlacedMark<'_>> =
        marks.iter().enumerate().map(|(index, mark)| place(source, mark, index == 0)).collect();
    let tall = placed.first().filter(|placed| placed.first != placed.last);
    let shown = lines_to_show(&placed);
    let side = |sign: &str| if tall.is_some() { paint.ink(Ink::Frame, sign) } else { String::new() };
    let mut previous: Option<usize> = None;
    for &index in &shown {
        if previous.is_some_and(|previous| previous + 1 != index) {
            let _ = writeln!(out, "{}", paint.ink(Ink::Frame, "..."));
        }
        previous = Some(index);
        let here: Vec<&PlacedMark<'_>> =
            placed.iter().filter(|placed| placed.first == index && placed.last == index).collect();
        let focus = here.iter().map(|placed| placed.start - source.starts[index]).min().unwrap_or(0);
        let line = DisplayLine::new(source.line(index), focus, room);
        let bar = match tall {
            Some(tall) if tall.first < index && index <= tall.last => side("| "),
            _ => side("  "),
        };
        let number = paint.ink(Ink::Frame, &format!("{:>margin$} |", index + 1));
        let _ = writeln!(out, "{}", format!("{number} {bar}{}", line.text).trim_end());
        let rule = paint.ink(Ink::Frame, &format!("{:>margin$} |", ""));
        for row in rows(source.starts[index], &line, &here, (paint, room)) {
            let _ = writeln!(out, "{rule} {bar}{row}");
        }
        if let Some(tall) = tall {
            if tall.first == index {
                let column = line.column(tall.start - source.starts[index]);
                let arm = format!(" {}{}", "_".repeat(column + 1), tall.mark.sign);
                let _ = writeln!(out, "{rule} {}", paint.ink(tall.mark.ink, &arm));
            }
            if tall.last == index {
                let column = line.column(tall.end - source.starts[index]).saturating_sub(1);
                let arm = format!("|{}{} {}", "_".repeat(column + 1), tall.mark.sign, sanitised(&tall.mark.text));
                let _ = writeln!(out, "{rule} {}", paint.ink(tall.mark.ink, arm.trim_end()));
            }
        }
    }
}

fn place<'a>(source: &SourceLines<'_>, mark: &'a SourceMark, may_be_tall: bool) -> PlacedMark<'a> {
    let (start, end) = source.clamp(mark.span);
    let first = source.line_of(start);
    let last = source.line_of(end);
    if last == first || may_be_tall {
        return PlacedMark { first, last, start, end, mark };
    }
    PlacedMark { first, last: first, start, end: source.starts[first] + source.line(first).len(), mark }
}

/// Returns the lines to show: the marked lines, a single line between two of them, and of a tall mark the first lines and
/// the last.
fn lines_to_show(placed: &[PlacedMark<'_>]) -> BTreeSet<usize> {
    let mut shown = BTreeSet::new();
    for placed in placed {
        shown.extend(placed.first..=placed.last.min(placed.first + 3));
        shown.insert(placed.last);
    }
    let gaps: Vec<usize> =
        shown.iter().zip(shown.iter().skip(1)).filter(|(a, b)| **a + 2 == **b).map(|(a, _)| a + 1).collect();
    shown.extend(gaps);
    shown
}

/// Draws the rows under one line: all marks on the first row, with the rightmost label beside them if there is room; the other labels
/// hang below.
fn rows(
    line_start: usize,
    line: &DisplayLine,
    here: &[&PlacedMark<'_>],
    (paint, room): (Paint, Option<usize>),
) -> Vec<String> {
    if here.is_empty() {
        return vec![];
    }
    let mut spots: Vec<(usize, usize, &SourceMark)> = here
        .iter()
        .map(|placed| {
            let start = line.column(placed.start - line_start);
            let end = line.column(placed.end - line_start).max(start + 1);
            (start, end, placed.mark)
        })
        .collect();
    // Where two marks overlap, the one given first is on top.
    let mut cells: Vec<(char, Option<Ink>)> = Vec::new();
    for (start, end, mark) in spots.iter().rev() {
        put(&mut cells, *start, &mark.sign.to_string().repeat(end - start), mark.ink);
    }
    spots.sort_by_key(|(start, _, _)| *start);
    let mut hanging: Vec<(usize, usize, &SourceMark)> =
        spots.into_iter().filter(|(_, _, mark)| !mark.text.is_empty()).collect();
    let mut rows = Vec::new();
    let fits = |at: usize, mark: &SourceMark| room.is_none_or(|room| at + text_width(&mark.text) <= room);
    if let Some((_, end, mark)) = hanging.last().copied()
        && end >= cells.len()
        && fits(end + 1, mark)
    {
        put(&mut cells, end + 1, &sanitised(&mark.text), mark.ink);
        hanging.pop();
    }
    rows.push(paint_cells(&cells, paint));
    while let Some((start, _, mark)) = hanging.pop() {
        let bars = |with_own: bool| {
            let mut cells = Vec::new();
            for (at, _, other) in &hanging {
                put(&mut cells, *at, "|", other.ink);
            }
            if with_own {
                put(&mut cells, start, "|", mark.ink);
            }
            cells
        };
        rows.push(paint_cells(&bars(true), paint));
        let mut cells = bars(false);
        // A label that does not fit begins further to the left, unless that is where another mark hangs.
        let leftmost = room.map_or(start, |room| start.min(room.saturating_sub(text_width(&mark.text))));
        let start = if cells.is_empty() { leftmost } else { start };
        put(&mut cells, start, &sanitised(&mark.text), mark.ink);
        rows.push(paint_cells(&cells, paint));
    }
    rows
}

fn put(cells: &mut Vec<(char, Option<Ink>)>, at: usize, text: &str, ink: Ink) {
    for (offset, character) in text.chars().enumerate() {
        if cells.len() <= at + offset {
            cells.resize(at + offset + 1, (' ', None));
        }
        cells[at + offset] = (character, Some(ink));
    }
}

fn paint_cells(cells: &[(char, Option<Ink>)], paint: Paint) -> String {
    cells
        .chunk_by(|left, right| left.1 == right.1)
        .map(|run| {
            let text: String = run.iter().map(|(character, _)| *character).collect();
            run[0].1.map_or(text.clone(), |ink| paint.ink(ink, &text))
        })
        .collect()
}
