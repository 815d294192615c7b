// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses blocks, which order the steps of a process.

use gnomon::diagnostic::{Diagnostic, Span};

use super::super::lexer::TokenKind;
use super::super::model::{CERTAIN, ProcessStep, Repeat};
use super::cursor::ParseResult;
use super::{Parser, StepTarget};
use crate::similar::closest;

/// Limit of nested blocks. (Parts may use parts without limit.)
const MAX_DEPTH: usize = 100;

impl Parser<'_> {
    /// Parses `{ step* }` and returns the index of the block.
    pub(super) fn block(&mut self, depth: usize) -> ParseResult<usize> {
        let opening = self.cursor.peek().span;
        self.cursor.expect("{", "the steps must be in braces: `{ first second }`")?;
        if depth > MAX_DEPTH {
            let error =
                Diagnostic::error("G0809", opening, format!("blocks are nested more than {MAX_DEPTH} levels deep"))
                    .help("move the inner ones out and give them a name with `part`");
            return self.cursor.fail(error);
        }
        let mut steps = Vec::new();
        while !self.is_end_of_block() {
            steps.extend(self.step(depth)?);
        }
        self.cursor.close("}", opening)?;
        self.blocks.push(steps);
        Ok(self.blocks.len() - 1)
    }

    /// Returns true at the end of a block. A statement also ends it, because a brace must be missing.
    fn is_end_of_block(&self) -> bool {
        self.cursor.is_at_end() || self.cursor.is_symbol("}") || self.cursor.is_statement()
    }

    /// Parses one step. Returns `None` after reporting an unknown name.
    fn step(&mut self, depth: usize) -> ParseResult<Option<ProcessStep>> {
        let token = self.cursor.peek();
        Ok(Some(match self.cursor.keyword() {
            Some("choose") => self.choose(depth)?,
            Some("repeat") => self.repeat(depth)?,
            Some("maybe") => {
                self.cursor.advance();
                let (chance, _) = self.chance()?;
                ProcessStep::Maybe(chance, self.block(depth + 1)?)
            }
            Some("wait") => {
                self.cursor.advance();
                ProcessStep::Wait(self.duration(0)?)
            }
            _ if token.kind == TokenKind::Word || token.kind == TokenKind::Text => return self.named(),
            _ => return self.cursor.unexpected("an activity, a part, `choose`, `repeat`, `maybe`, `wait` or `}`"),
        }))
    }

    fn named(&mut self) -> ParseResult<Option<ProcessStep>> {
        let (name, span) = self.cursor.name("an activity or a part")?;
        match self.steps.get(&name) {
            Some(StepTarget::Activity(activity)) => return Ok(Some(ProcessStep::Do(*activity))),
            Some(StepTarget::Part(block)) => return Ok(Some(ProcessStep::Part(*block))),
            None if self.broken.contains(&name) => return Ok(None),
            None => {}
        }
        let error = Diagnostic::error("G0803", span, format!("there is no activity or part `{name}` above"));
        let error = match closest(&name, self.steps.keys().map(String::as_str)) {
            Some(near) => error.edit("one with a similar name exists", span, near),
            None => error.help(format!("declare it above: `activity {}`", span.text(self.cursor.source))),
        };
        self.cursor.diagnostics.push(error);
        Ok(None)
    }

    /// Parses `choose { chance block ... else block }`.
    fn choose(&mut self, depth: usize) -> ParseResult<ProcessStep> {
        let word = self.cursor.advance().span;
        let opening = self.cursor.peek().span;
        self.cursor.expect("{", "a choice is written `choose { 30% { first } else { second } }`")?;
        let (mut branches, mut sum, mut rest) = (Vec::new(), 0_u64, false);
        while !self.is_end_of_block() {
            if rest {
                return self.cursor.unexpected("`}`: nothing comes after `else`");
            }
            rest = self.cursor.eat_keyword("else");
            if rest {
                sum = CERTAIN;
            } else {
                let (chance, span) = self.chance()?;
                sum += chance.billionths;
                if sum > CERTAIN {
                    self.too_much(span);
                    sum = CERTAIN;
                }
            }
            branches.push((sum, self.block(depth + 1)?));
        }
        self.cursor.close("}", opening)?;
        if sum < CERTAIN {
            let error = Diagnostic::error("G0805", word, "the chances of this choice are less than 100% together")
                .help("state what happens otherwise: `else { ... }`, which may be empty");
            self.cursor.diagnostics.push(error);
        }
        Ok(ProcessStep::Choose(branches))
    }

    fn too_much(&mut self, span: Span) {
        let error = Diagnostic::error("G0805", span, "the chances of this choice are more than 100% together")
            .label("too much from here on")
            .help("lower some of them, or write `else` for the last");
        self.cursor.diagnostics.push(error);
    }

    /// Parses `repeat rounds? (while chance)? block`.
    fn repeat(&mut self, depth: usize) -> ParseResult<ProcessStep> {
        let word = self.cursor.advance().span;
        let bare = self.cursor.keyword() == Some("while") || self.cursor.is_symbol("{");
        let (low, high) = if bare { (0, None) } else { self.rounds()? };
        let another = if self.cursor.eat_keyword("while") { Some(self.chance()?.0) } else { None };
        let repeat = Repeat { low, high, another, body: self.block(depth + 1)? };
        if repeat.is_endless() {
            self.endless.get_or_insert(word);
        }
        Ok(ProcessStep::Repeat(repeat))
    }
}
