// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colours on a terminal.

use std::env;
use std::ffi::OsString;
use std::io::IsTerminal;

/// When text is coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColorChoice {
    /// On a terminal, unless variables of the environment say otherwise.
    #[default]
    Auto,
    /// Also in files and pipes.
    Always,
    /// Not even on a terminal.
    Never,
}

impl ColorChoice {
    /// Decides for a stream. The variables are those that most programs read: `NO_COLOR` (<https://no-color.org>) wins over
    /// `CLICOLOR_FORCE` and `FORCE_COLOR`, these over `TERM=dumb` and `CLICOLOR=0` (<https://bixense.com/clicolors>).
    fn is_on(self, is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
        let is = |name: &str, value: &str| variable(name).is_some_and(|found| found == value);
        let is_set = |name: &str| variable(name).is_some_and(|found| !found.is_empty());
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if is_set("NO_COLOR") => false,
            ColorChoice::Auto => {
                let forced = ["CLICOLOR_FORCE", "FORCE_COLOR"].iter().any(|name| is_set(name) && !is(name, "0"));
                let refused = is("TERM", "dumb") || is("CLICOLOR", "0") || is("FORCE_COLOR", "0");
                forced || (is_terminal && !refused)
            }
        }
    }
}

/// The role of a piece of text, which determines its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// An error, a violation.
    Bad,
    /// A warning, an undecided verdict.
    Doubtful,
    /// A verdict that holds.
    Good,
    /// Line numbers, rules, arrows, remarks.
    Frame,
    /// The line to read first.
    Strong,
}

/// Applies colours, or leaves text plain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Plain text.
    pub const PLAIN: Paint = Paint { on: false };

    /// Uses colours on a stream as the user chose.
    pub fn for_stream(stream: &impl IsTerminal, choice: ColorChoice) -> Paint {
        Paint { on: choice.is_on(stream.is_terminal(), |name| env::var_os(name)) }
    }

    /// Uses colours in a file only if the user asked for them.
    pub fn for_file(choice: ColorChoice) -> Paint {
        Paint { on: choice == ColorChoice::Always }
    }

    /// Returns the text in its colour.
    pub fn ink(self, ink: Ink, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Bad => "1;31",
            Ink::Doubtful => "1;33",
            Ink::Good => "1;32",
            Ink::Frame => "1;34",
            Ink::Strong => "1",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_variables_decide() {
        let auto = |is_terminal: bool, variables: &[(&str, &str)]| {
            let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            assert!(ColorChoice::Always.is_on(is_terminal, find) && !ColorChoice::Never.is_on(is_terminal, find));
            ColorChoice::Auto.is_on(is_terminal, find)
        };
        assert!(auto(true, &[]) && !auto(false, &[]));
        assert!(auto(true, &[("NO_COLOR", ""), ("CLICOLOR", "1"), ("TERM", "xterm")]));
        for refused in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CLICOLOR", "0"), ("FORCE_COLOR", "0")] {
            assert!(!auto(true, &[refused]), "{refused:?}");
        }
        for forced in [("CLICOLOR_FORCE", "1"), ("FORCE_COLOR", "3")] {
            assert!(auto(false, &[forced, ("TERM", "dumb"), ("CLICOLOR", "0")]), "{forced:?}");
            assert!(!auto(true, &[forced, ("NO_COLOR", "1")]), "{forced:?}");
        }
        assert!(!auto(false, &[("CLICOLOR_FORCE", "0")]));
    }

    #[test]
    fn plain_paint_leaves_text_alone() {
        assert_eq!(Paint::PLAIN.ink(Ink::Bad, "no"), "no");
        assert_eq!(Paint { on: true }.ink(Ink::Bad, "no"), "\x1b[1;31mno\x1b[0m");
    }
}
