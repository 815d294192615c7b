// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bearer tokens and what their holders may do. A token is kept as a code under a key of this run only, so that comparing
//! takes the same time whatever is presented, and nothing that is printed or dumped has a token in it.

use std::fmt;

use ring::hmac;
use ring::rand::SystemRandom;

/// What somebody may do. Each may do what those before it may.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// Anybody, without a token.
    Anyone,
    /// See everything.
    Read,
    /// Send events.
    Write,
    /// Do everything.
    Admin,
}

impl Role {
    /// The word for it in a file of tokens.
    pub const fn word(self) -> &'static str {
        match self {
            Role::Anyone => "anyone",
            Role::Read => "read",
            Role::Write => "write",
            Role::Admin => "admin",
        }
    }

    fn of_word(word: &str) -> Option<Role> {
        [Role::Read, Role::Write, Role::Admin].into_iter().find(|role| role.word() == word)
    }
}

/// The tokens of a server.
#[derive(Clone, Default)]
pub struct Tokens {
    known: Vec<(Role, hmac::Tag)>,
    key: Option<hmac::Key>,
}

/// The shortest token that is taken: what is shorter can be guessed.
const SHORTEST: usize = 16;

impl Tokens {
    /// Reads `role token` lines; `#` begins a comment.
    pub fn parse(text: &str) -> Result<Tokens, TokensError> {
        let mut tokens = Tokens::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let role = words.next().and_then(Role::of_word);
            let (Some(role), Some(token), None) = (role, words.next(), words.next()) else {
                return Err(TokensError { line: index + 1, fault: Fault::Form });
            };
            if token.len() < SHORTEST {
                return Err(TokensError { line: index + 1, fault: Fault::Short });
            }
            if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(TokensError { line: index + 1, fault: Fault::Letters });
            }
            tokens.add(role, token).map_err(|fault| TokensError { line: index + 1, fault })?;
        }
        Ok(tokens)
    }

    fn add(&mut self, role: Role, token: &str) -> Result<(), Fault> {
        if self.key.is_none() {
            let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new()).map_err(|_| Fault::Chance)?;
            self.key = Some(key);
        }
        let tag = self.key.as_ref().map(|key| hmac::sign(key, token.as_bytes()));
        self.known.extend(tag.map(|tag| (role, tag)));
        Ok(())
    }

    /// Whether there is none: then nobody is asked.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// What the holder of this token may do; `None` if nobody gave it out. Every known token is looked at.
    pub fn role(&self, presented: &str) -> Option<Role> {
        let key = self.key.as_ref()?;
        let fits = |tag: &hmac::Tag| hmac::verify(key, presented.as_bytes(), tag.as_ref()).is_ok();
        self.known.iter().filter(|(_, tag)| fits(tag)).map(|(role, _)| *role).max()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({} kept secret)", self.known.len())
    }
}

/// A file of tokens that cannot be used. It does not repeat what the file says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokensError {
    line: usize,
    fault: Fault,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Form,
    Short,
    Letters,
    Chance,
}

impl TokensError {
    /// The line to blame.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for TokensError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match self.fault {
            Fault::Form => {
                write!(f, "line {line} is no role with a token; write `read`, `write` or `admin`, a space, the token")
            }
            Fault::Short => write!(
                f,
                "the token in line {line} is shorter than {SHORTEST} letters; make one with `openssl rand -hex 24`"
            ),
            Fault::Letters => write!(
                f,
                "the token in line {line} has letters that no header can carry; use letters and digits of ASCII"
            ),
            Fault::Chance => write!(f, "the system gives no random numbers; try again"),
        }
    }
}

impl std::error::Error for TokensError {}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# tills\nread  r-0123456789abcdef\n\nwrite w-0123456789abcdef\nadmin a-0123456789abcdef\n";

    #[test]
    fn a_token_has_a_role() {
        let tokens = Tokens::parse(FILE).unwrap();
        assert_eq!(tokens.role("r-0123456789abcdef"), Some(Role::Read));
        assert_eq!(tokens.role("w-0123456789abcdef"), Some(Role::Write));
        assert_eq!(tokens.role("a-0123456789abcdef"), Some(Role::Admin));
        for wrong in ["", "r-0123456789abcde", "r-0123456789abcdef ", "read"] {
            assert_eq!(tokens.role(wrong), None, "{wrong}");
        }
        assert!(!tokens.is_empty() && Tokens::parse("# none\n").unwrap().is_empty());
    }

    #[test]
    fn the_better_role_counts() {
        let tokens = Tokens::parse("read same-0123456789abc\nadmin same-0123456789abc").unwrap();
        assert_eq!(tokens.role("same-0123456789abc"), Some(Role::Admin));
    }

    #[test]
    fn a_bad_line_is_named_and_not_repeated() {
        for (text, line) in [
            ("reed x-0123456789abcdef", 1),
            ("\nread short", 2),
            ("read", 1),
            ("read a b", 1),
            ("read ü-0123456789abcdef", 1),
        ] {
            let error = Tokens::parse(text).unwrap_err();
            assert_eq!(error.line(), line, "{text}");
            assert!(!error.to_string().contains("0123"), "{error}");
        }
    }

    #[test]
    fn no_token_is_printed() {
        assert_eq!(format!("{:?}", Tokens::parse(FILE).unwrap()), "Tokens(3 kept secret)");
    }
}
