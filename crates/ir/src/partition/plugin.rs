// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partition analysis of logic plug-ins: a parameter that every event binds is a key. Instances with different values of it have no event
//! in common, and no instance leaves it open.

use super::{KeyCandidate, PartitionReason, PartitionReasonKind, RequiredBounds};
use crate::{LetterSource, PluginCore};

pub(super) fn required_bounds(core: &PluginCore, of: KeyCandidate<'_>) -> Result<RequiredBounds, PartitionReason> {
    let end = core.letters.iter().find(|letter| letter.source == LetterSource::EndOfTrace);
    match end {
        Some(end) => {
            let text = format!(
                "it relates different values of `{}`: the end of the trace, `{}`, concerns them all",
                of.name, end.name
            );
            Err(PartitionReason { kind: PartitionReasonKind::RelatesKeys, text, span: core.span })
        }
        // Violations are reported at events of their class.
        None => Ok(RequiredBounds::default()),
    }
}
