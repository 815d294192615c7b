// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bearer tokens and roles. Only the HMAC of a token under a key of this process is stored, so that comparison takes
//! constant time and no debug output or memory dump contains a token.

use std::fmt;

use ring::error::Unspecified;
use ring::hmac;
use ring::rand::SystemRandom;
use thiserror::Error;

gnomon_core::words! {
    /// Role of a client. Each role includes those before it.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum AccessRole as word {
        /// No token is needed.
        Anyone = "anyone",
        /// Read everything.
        Read = "read",
        /// Send events.
        Write = "write",
        /// Change everything.
        Admin = "admin",
    }
}

/// The tokens of a server.
#[derive(Clone, Default)]
pub struct Tokens {
    known: Vec<(AccessRole, hmac::Tag)>,
    key: Option<hmac::Key>,
}

/// Minimum length of a token: a shorter one could be guessed.
const SHORTEST: usize = 16;

impl Tokens {
    /// Parses lines `role token`; `#` begins a comment.
    pub fn parse(text: &str) -> Result<Tokens, TokensError> {
        let mut tokens = Tokens::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let role = words.next().and_then(AccessRole::parse).filter(|role| *role != AccessRole::Anyone);
            let line = index + 1;
            let wrong = |message: String| TokensError { line, message };
            let (Some(role), Some(token), None) = (role, words.next(), words.next()) else {
                return Err(wrong(format!(
                    "line {line} is not a role with a token; write `read`, `write` or `admin`, a space, the token"
                )));
            };
            if token.len() < SHORTEST {
                return Err(wrong(format!(
                    "the token in line {line} is shorter than {SHORTEST} characters; make one with `openssl rand -hex 24`"
                )));
            }
            if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(wrong(format!(
                    "the token in line {line} has characters that a header cannot contain; use ASCII letters and digits"
                )));
            }
            let added = tokens.add(role, token);
            added.map_err(|_| wrong("the system gives no random numbers; try again".to_owned()))?;
        }
        Ok(tokens)
    }

    fn add(&mut self, role: AccessRole, token: &str) -> Result<(), Unspecified> {
        if self.key.is_none() {
            self.key = Some(hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new())?);
        }
        let tag = self.key.as_ref().map(|key| hmac::sign(key, token.as_bytes()));
        self.known.extend(tag.map(|tag| (role, tag)));
        Ok(())
    }

    /// Returns true if there are no tokens: access is open.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Returns the role of a token; `None` if it is unknown. Compares with every known token.
    pub fn role(&self, presented: &str) -> Option<AccessRole> {
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

/// A token file that cannot be used. Does not contain text of the file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct TokensError {
    line: usize,
    message: String,
}

impl TokensError {
    /// Returns the line of the error.
    pub fn line(&self) -> usize {
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# tills\nread  r-0123456789abcdef\n\nwrite w-0123456789abcdef\nadmin a-0123456789abcdef\n";

    #[test]
    fn a_token_has_a_role() {
        let tokens = Tokens::parse(FILE).unwrap();
        assert_eq!(tokens.role("r-0123456789abcdef"), Some(AccessRole::Read));
        assert_eq!(tokens.role("w-0123456789abcdef"), Some(AccessRole::Write));
        assert_eq!(tokens.role("a-0123456789abcdef"), Some(AccessRole::Admin));
        for wrong in ["", "r-0123456789abcde", "r-0123456789abcdef ", "read"] {
            assert_eq!(tokens.role(wrong), None, "{wrong}");
        }
        assert!(!tokens.is_empty() && Tokens::parse("# none\n").unwrap().is_empty());
    }

    #[test]
    fn the_better_role_counts() {
        let tokens = Tokens::parse("read same-0123456789abc\nadmin same-0123456789abc").unwrap();
        assert_eq!(tokens.role("same-0123456789abc"), Some(AccessRole::Admin));
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
