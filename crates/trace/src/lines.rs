// SPDX-License-Identifier: MIT OR Apache-2.0
//! One line after the other, for the formats in which a line is an event.

use std::io::Read;

use memchr::memchr;

use crate::buffer::Buffer;
use crate::error::Fault;
use crate::stretch::Stretch;

/// Makes the next line that is not blank the present row, and counts those passed. The line is given by its place in
/// [`Buffer::padded`], without blanks at its end.
#[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
#[inline(always)]
pub(crate) fn next_line<R: Read>(buffer: &mut Buffer<R>, number: &mut u64) -> Result<Option<Stretch>, Fault> {
    loop {
        buffer.turn();
        let mut length = 0;
        let newline = loop {
            let row = buffer.row();
            if let Some(found) = memchr(b'\n', &row[length..]) {
                length += found;
                break true;
            }
            length = row.len();
            if !buffer.more()? {
                break false;
            }
        };
        if length == 0 && !newline {
            return Ok(None);
        }
        *number += 1;
        buffer.set_length(length + usize::from(newline));
        let text = buffer.row()[..length].trim_ascii_end();
        if !text.is_empty() {
            let start = buffer.row_start();
            return Ok(Some(Stretch { start, end: start + text.len() }));
        }
    }
}
