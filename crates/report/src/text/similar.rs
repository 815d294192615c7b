// SPDX-License-Identifier: MIT OR Apache-2.0
//! Suggestions for misspelt names ("did you mean").

use gnomon_core::similar::nearest;

/// Returns the candidate closest to a misspelt name, if at most a third of the letters differ. Names of one or two letters
/// match only themselves in another case.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut candidates: Vec<&str> = candidates.into_iter().filter(|candidate| *candidate != name).collect();
    candidates.sort_unstable();
    nearest(name, candidates, name.chars().count() / 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = ["repwithdraw", "recvlogoff", "replogon"];
        assert_eq!(closest("repwithdrawl", names), Some("repwithdraw"));
        assert_eq!(closest("recvlogfof", names), Some("recvlogoff"));
        assert_eq!(closest("RepLogon", names), Some("replogon"));
        assert_eq!(closest("shipped", names), None);
        assert_eq!(closest("replogon", ["replogon"]), None);
        assert_eq!(closest("b", ["a"]), None);
    }
}
