// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which hooks are told of a violation.

use gnomon_store::history::{ViolationRow, Webhook};

use super::Decided;

/// How bad a violation can be, the least first.
pub(crate) const SEVERITIES: [&str; 3] = ["low", "medium", "high"];

/// Whether there is such a severity.
pub(crate) fn is_severity(word: &str) -> bool {
    SEVERITIES.contains(&word)
}

/// How bad it is. A property of which nobody said how bad it is is as bad as most.
pub(crate) fn severity_rank(severity: Option<&str>) -> usize {
    let medium = 1;
    severity.map_or(medium, |word| SEVERITIES.iter().position(|known| *known == word).unwrap_or(medium))
}

impl Decided {
    /// The hooks that are to be told of a violation at this moment.
    pub(super) fn told_of<'a>(&'a self, row: &'a ViolationRow, now: i64) -> impl Iterator<Item = &'a Webhook> {
        let is_muted = self.mutes.iter().any(|mute| mute.mute.covers(&row.property, &row.group, now));
        let wants = move |hook: &&Webhook| {
            let about = &hook.webhook;
            let least = about.severity.as_deref().map_or(0, |word| severity_rank(Some(word)));
            !is_muted
                && about.enabled
                && severity_rank(row.severity.as_deref()) >= least
                && about.property.as_ref().is_none_or(|property| *property == row.property)
        };
        self.hooks.iter().filter(wants)
    }
}

#[cfg(test)]
mod tests {
    use gnomon_store::history::{Mute, NewMute, NewWebhook};

    use super::*;

    fn row(property: &str, severity: Option<&str>) -> ViolationRow {
        ViolationRow {
            number: 1,
            sequence: 1,
            property: property.to_owned(),
            severity: severity.map(str::to_owned),
            case: None,
            group: format!("{property}/x"),
            time: String::new(),
            sort_time: 0,
            noted_at: 0,
            json: "{}".to_owned(),
        }
    }

    fn hook(id: i64, severity: Option<&str>, property: Option<&str>) -> Webhook {
        let (severity, property) = (severity.map(str::to_owned), property.map(str::to_owned));
        Webhook { id, webhook: NewWebhook { url: String::new(), severity, property, secret: None, enabled: true } }
    }

    fn told(decided: &Decided, row: &ViolationRow) -> Vec<i64> {
        decided.told_of(row, 100).map(|hook| hook.id).collect()
    }

    #[test]
    fn severity_and_property_decide() {
        let hooks = vec![hook(1, None, None), hook(2, Some("high"), None), hook(3, None, Some("paid"))];
        let decided = Decided { hooks, mutes: vec![] };
        assert_eq!(told(&decided, &row("paid", Some("low"))), [1, 3]);
        assert_eq!(told(&decided, &row("sent", Some("high"))), [1, 2]);
        assert_eq!(told(&decided, &row("sent", None)), [1]);
    }

    #[test]
    fn nobody_is_told_of_what_is_muted_while_it_is() {
        let mute =
            |until| Mute { id: 1, mute: NewMute { property: Some("paid".to_owned()), until, ..NewMute::default() } };
        let mut decided = Decided { hooks: vec![hook(1, None, None)], mutes: vec![mute(Some(101))] };
        assert_eq!(told(&decided, &row("paid", None)), [0i64; 0]);
        assert_eq!(told(&decided, &row("sent", None)), [1]);
        decided.mutes = vec![mute(Some(100))];
        assert_eq!(told(&decided, &row("paid", None)), [1]);
    }
}
