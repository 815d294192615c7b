// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaces `declared` in a build without the feature `dates`.

use gnomon_core::datetime::ZoneOffsets;
use gnomon_core::time::TimeError;

use super::{DeclaredTime, LocalOffset};

const MISSING_FEATURE: &str = "this build has no formats and zones of times: it lacks the feature `dates`";

/// A zone; there is none.
#[derive(Clone, Debug)]
pub(super) enum Zone {}

impl Zone {
    /// Refuses the name.
    pub(super) fn find(_: &str) -> Result<Zone, String> {
        Err(MISSING_FEATURE.to_owned())
    }

    /// Is never called, because there is no zone.
    pub(super) fn offsets(&self) -> ZoneOffsets {
        match *self {}
    }

    pub(super) fn offset_at(&self, _: i64) -> Result<LocalOffset, TimeError> {
        match *self {}
    }
}

/// Refuses the format.
pub(super) fn check_format(_: &str) -> Result<(), String> {
    Err(MISSING_FEATURE.to_owned())
}

/// Is never called, because no format is accepted.
pub(super) fn parse_declared(_: &str, _: &str) -> Result<DeclaredTime, TimeError> {
    Err(TimeError::NotATime)
}
