// SPDX-License-Identifier: MIT OR Apache-2.0
//! Suggestions for misspelt names.

use gnomon_core::similar;

/// Returns the candidate nearest to a word, if it is near enough to be worth suggesting.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match word.chars().count() {
        0 | 1 => 0,
        length => (length / 3).max(1),
    };
    similar::nearest(word, candidates, allowed)
}

/// Returns the candidate that a word is almost certainly a misspelling of. Short names, and names that differ in their
/// numbers only, are assumed to differ on purpose.
pub(crate) fn misspelt<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.chars().filter(|character| !character.is_numeric()).collect::<String>();
    let allowed = match word.chars().count() {
        0..=3 => 0,
        4..=9 => 1,
        _ => 2,
    };
    let plain = letters(word);
    let alike = |candidate: &&str| letters(candidate) != plain;
    similar::nearest(word, candidates.into_iter().filter(alike), allowed)
}

/// Returns the candidate that differs from a word in an ending that people add to the name of a message or leave out:
/// `logoutReq` for `logout`.
pub(crate) fn extended<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MIN_LENGTH: usize = 3;
    if word.chars().count() < MIN_LENGTH {
        return None;
    }
    let is_ending = |longer: &str, shorter: &str| {
        let rest = longer.strip_prefix(shorter).map(|rest| rest.trim_start_matches(['_', '-', '.', ':']));
        rest.is_some_and(|rest| ENDINGS.contains(&rest))
    };
    let word = word.to_lowercase();
    let related = |candidate: &&str| {
        let candidate = candidate.to_lowercase();
        is_ending(&candidate, &word) || (candidate.chars().count() >= MIN_LENGTH && is_ending(&word, &candidate))
    };
    candidates.into_iter().filter(related).min_by_key(|candidate| candidate.len())
}

/// Endings that distinguish the messages of one operation.
const ENDINGS: &[&str] = &[
    "req", "request", "res", "resp", "response", "reply", "answer", "in", "out", "input", "output", "msg", "message",
    "event", "call", "return", "result",
];

/// Returns the candidate that may be meant by a name that does not exist: a near one, one with another ending, or one
/// that begins with it.
pub(crate) fn meant<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    const MIN_LENGTH: usize = 4;
    let begins = || {
        let lower = word.to_lowercase();
        let longer = candidates.iter().filter(|candidate| candidate.to_lowercase().starts_with(&lower));
        longer.min_by_key(|candidate| candidate.len()).copied().filter(|_| word.chars().count() >= MIN_LENGTH)
    };
    let all = || candidates.iter().copied();
    misspelt(word, all()).or_else(|| extended(word, all())).or_else(|| nearest(word, all())).or_else(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        assert_eq!(nearest("severty", ["critical", "severity"]), Some("severity"));
        assert_eq!(nearest("holsd", ["holds", "violated"]), Some("holds"));
        assert_eq!(nearest("QP1", ["qp1", "qp2"]), Some("qp1"));
        assert_eq!(nearest("banana", ["critical", "severity"]), None);
    }

    #[test]
    fn endings_of_messages_are_known() {
        assert_eq!(extended("logout", ["login", "logoutReq", "logoutRequest"]), Some("logoutReq"));
        assert_eq!(extended("Get_Product_Request", ["get_product"]), Some("get_product"));
        assert_eq!(extended("logout", ["logoutFailed", "logout2"]), None);
        assert_eq!(extended("a", ["aReq"]), None);
    }

    #[test]
    fn a_name_that_does_not_exist_may_be_a_part_of_one() {
        assert_eq!(meant("logout", &["login", "logoutReq"]), Some("logoutReq"));
        assert_eq!(meant("logoff", &["loggoff", "logoffReq"]), Some("loggoff"));
        assert_eq!(meant("Currency", &["currencyExchangeRequest", "login"]), Some("currencyExchangeRequest"));
        assert_eq!(meant("pay", &["logoutReq", "paymentAccepted"]), None);
    }

    #[test]
    fn names_that_differ_on_purpose_are_left_alone() {
        assert_eq!(misspelt("recvlogof", ["recvlogoff"]), Some("recvlogoff"));
        assert_eq!(misspelt("request1", ["request2"]), None);
        assert_eq!(misspelt("ab", ["ac"]), None);
        assert_eq!(misspelt("invcheckaccess_start", ["invcheckaccess_complete"]), None);
    }
}
