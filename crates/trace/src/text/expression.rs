// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regular expressions whose named groups are the parts of a line.

use gnomon_scan::ByteRange;
use regex::bytes::{CaptureLocations, Regex};

/// A regular expression, and the group of each name.
#[derive(Clone, Debug)]
pub(super) struct Expression(Regex, Vec<usize>);

/// The groups of a match; the memory is reused for many lines.
pub(super) type ExpressionGroups = CaptureLocations;

impl Expression {
    /// Parses an expression. Also returns the names of its groups.
    pub(super) fn parse(pattern: &str) -> Result<(Expression, Vec<String>), String> {
        let regex = Regex::new(pattern).map_err(|error| error.to_string())?;
        let groups = regex.capture_names().enumerate();
        let (groups, names) = groups.filter_map(|(group, name)| name.map(|name| (group, name.to_owned()))).unzip();
        Ok((Expression(regex, groups), names))
    }

    pub(super) fn groups(&self) -> ExpressionGroups {
        self.0.capture_locations()
    }

    /// Matches a line and finds the range of each named group; returns false if it does not match.
    pub(super) fn find(&self, line: &[u8], locations: &mut ExpressionGroups, holes: &mut [ByteRange]) -> bool {
        let Expression(regex, groups) = self;
        if regex.captures_read(locations, line).is_none() {
            return false;
        }
        for (hole, &group) in holes.iter_mut().zip(groups) {
            let (start, end) = locations.get(group).unwrap_or_default();
            *hole = ByteRange { start, end };
        }
        true
    }
}
