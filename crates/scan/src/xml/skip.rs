// SPDX-License-Identifier: MIT OR Apache-2.0
//! Skipping of unwanted elements.

use super::{MAX_DEPTH, Tag, Token};
use crate::buffer::ByteSource;
use crate::cursor::Cursor;
use crate::error::{Code, Fault};

impl<R: ByteSource> Cursor<R> {
    /// Skips the rest of an element whose tag was read; it stays in the row.
    pub fn skip(&mut self, tag: Tag) -> Result<(), Fault> {
        self.skip_with(tag, false)
    }

    /// Skips the rest of an element whose tag was read, and releases its bytes on the way.
    pub fn pass(&mut self, tag: Tag) -> Result<(), Fault> {
        self.skip_with(tag, true)
    }

    fn skip_with(&mut self, tag: Tag, release: bool) -> Result<(), Fault> {
        if tag.is_self_closing {
            return Ok(());
        }
        let mut open = vec![self.name(tag)?];
        while let Some(innermost) = open.last() {
            if release {
                self.start_row();
            }
            match self.token()? {
                Token::Open(tag) if tag.is_self_closing => {}
                Token::Open(tag) => {
                    if open.len() >= MAX_DEPTH {
                        let message = format!("nested more than {MAX_DEPTH} deep");
                        return Err(Fault::new(Code::TooDeep, tag.name.start - 1, message));
                    }
                    open.push(self.name(tag)?);
                }
                Token::Close(name) if name.of(self.row()) == innermost.as_ref() => {
                    open.pop();
                }
                token @ (Token::Close(_) | Token::End) => {
                    let name = String::from_utf8_lossy(innermost).into_owned();
                    return Err(self.not_closed(&name, token));
                }
                Token::Text(_) | Token::Cdata(_) | Token::Comment => {}
            }
        }
        Ok(())
    }

    /// Returns a copy of the name of an element, which outlives the row.
    fn name(&self, tag: Tag) -> Result<Box<[u8]>, Fault> {
        const MAX_LENGTH: usize = 1024;
        let name = tag.name.of(self.row());
        if name.len() > MAX_LENGTH {
            let message = format!("the name of this element is longer than {MAX_LENGTH} bytes");
            return Err(Fault::new(Code::TooLong, tag.name.start, message));
        }
        Ok(name.into())
    }
}
