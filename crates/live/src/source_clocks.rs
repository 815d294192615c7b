// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clocks of the senders, as far as their events show them.
//!
//! Hosts have clocks that differ. If the watermark followed the fastest of them, all events of the others would be late. So each source
//! has a clock of its own: the latest timestamp of its events, advanced by the time since its arrival. The watermark follows the slowest.
//! A silent source does not hold the others, because its clock continues. A source that is more than [`LONGEST_HOLD`] behind the fastest, or
//! that was silent for [`SILENCE`], is ignored: a sender that resends the events of an hour does not delay the others.
//!
//! Example: at 10 s on the clock of the watch, an event stamped 10 s comes from `a`, and one stamped 8 s from `b`. At 11 s, `a` is at
//! 11 s and `b` at 9 s, so nothing after 9 s less the lateness is evaluated. At 20 s without another event of `b`, `a` is alone.
//!
//! All times are nanoseconds since 1970. Nothing here reads a clock: the time of the watch is the arrival of a record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Distance behind the fastest source from which a source no longer delays the others, in nanoseconds.
const LONGEST_HOLD: i128 = 60_000_000_000;
/// Time without events after which a source is ignored, in nanoseconds.
const SILENCE: i128 = 10_000_000_000;
/// Maximum number of sources.
const MOST_SOURCES: usize = 1000;

/// Name of the source of events without timestamps. It has the clock of the watch.
pub(crate) const ARRIVALS: &str = "";

/// The clocks of all sources, by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SourceClocks(BTreeMap<String, SourceClock>);

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SourceClock {
    /// The latest timestamp, and the arrival of its event.
    latest: i128,
    arrival: i128,
    /// Arrival of the last event.
    heard: i128,
}

/// Slowest and fastest clock of some sources.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockRange {
    pub(crate) slowest: i128,
    fastest: i128,
}

impl ClockRange {
    /// Returns the range with a further clock in it.
    pub(crate) fn with(range: Option<ClockRange>, time: i128) -> ClockRange {
        match range {
            Some(range) if time < range.fastest - LONGEST_HOLD => range,
            Some(range) if range.slowest >= time - LONGEST_HOLD => {
                ClockRange { slowest: range.slowest.min(time), fastest: range.fastest.max(time) }
            }
            _ => ClockRange { slowest: time, fastest: time },
        }
    }
}

impl SourceClocks {
    /// Returns the slowest and the fastest clock at this time, without the source `except`; `None` if there is none.
    ///
    /// COST: the number of sources.
    pub(crate) fn range(&self, now: i128, except: Option<&str>) -> Option<ClockRange> {
        let of_interest = |(name, clock): &(&String, &SourceClock)| {
            clock.heard >= now - SILENCE && except.is_none_or(|except| except != name.as_str())
        };
        let times = || self.0.iter().filter(of_interest).map(|(_, clock)| clock.at(now));
        let fastest = times().max()?;
        let slowest = times().filter(|time| *time >= fastest - LONGEST_HOLD).min()?;
        Some(ClockRange { slowest, fastest })
    }

    /// Returns the slowest clock at this time.
    pub(crate) fn slowest(&self, now: i128) -> Option<i128> {
        self.range(now, None).map(|range| range.slowest)
    }

    /// Returns the latest timestamp of a source.
    pub(crate) fn latest(&self, name: &str) -> Option<i128> {
        self.0.get(name).map(|clock| clock.latest)
    }

    /// Returns the clock of a source at this time, if it is not ignored.
    pub(crate) fn at(&self, name: &str, now: i128) -> Option<i128> {
        self.0.get(name).filter(|clock| clock.heard >= now - SILENCE).map(|clock| clock.at(now))
    }

    /// Notes that the latest event of a source has this timestamp, and that its last one arrived now.
    pub(crate) fn set(&mut self, name: &str, latest: i128, now: i128) {
        if let Some(clock) = self.0.get_mut(name) {
            if latest > clock.latest {
                (clock.latest, clock.arrival) = (latest, now);
            }
            clock.heard = now;
            return;
        }
        self.0.retain(|_, clock| clock.heard >= now - SILENCE);
        if self.0.len() >= MOST_SOURCES
            && let Some(oldest) = self.0.iter().min_by_key(|(_, clock)| clock.heard).map(|(name, _)| name.clone())
        {
            self.0.remove(&oldest);
        }
        self.0.insert(name.to_owned(), SourceClock { latest, arrival: now, heard: now });
    }
}

impl SourceClock {
    fn at(self, now: i128) -> i128 {
        self.latest + (now - self.arrival).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i128 = 1_000_000_000;

    #[test]
    fn the_slowest_source_decides_until_it_is_silent_for_long() {
        let mut clocks = SourceClocks::default();
        clocks.set("a", 10 * SECOND, 10 * SECOND);
        clocks.set("b", 8 * SECOND, 10 * SECOND);
        assert_eq!(clocks.slowest(11 * SECOND), Some(9 * SECOND));
        clocks.set("a", 21 * SECOND, 21 * SECOND);
        assert_eq!(clocks.slowest(21 * SECOND), Some(21 * SECOND));
        assert_eq!(clocks.slowest(40 * SECOND), None);
    }

    #[test]
    fn a_source_far_behind_holds_nobody() {
        let mut clocks = SourceClocks::default();
        clocks.set("a", 1000 * SECOND, 1000 * SECOND);
        clocks.set("b", 900 * SECOND, 1000 * SECOND);
        assert_eq!(clocks.slowest(1000 * SECOND), Some(1000 * SECOND));
        let others = clocks.range(1000 * SECOND, Some("b")).unwrap();
        let slowest_with = |time: i128| ClockRange::with(Some(others), time * SECOND).slowest / SECOND;
        assert_eq!([900, 990, 1010, 1061].map(slowest_with), [1000, 990, 1000, 1061]);
    }

    #[test]
    fn the_number_of_sources_is_bounded() {
        let mut clocks = SourceClocks::default();
        for source in 0..3000 {
            clocks.set(&source.to_string(), SECOND, SECOND + source);
        }
        assert_eq!(clocks.0.len(), MOST_SOURCES);
        assert!(clocks.latest("2999").is_some());
    }
}
