// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judging with open eyes, event by event, wherever the events come from.

use std::ops::ControlFlow;

use gnomon_core::event::Event;
use gnomon_core::symbols::Name;

use super::limit::is_due;
use super::listen::{Legend, Listener};
use super::watch::Watch;
use super::{Division, Extent, Lot, PROGRESS_EVERY, Report, Work, units_are_known};
use crate::error::Error;
use crate::externs::Feed;

/// A trace that is being watched.
pub(super) struct Session<'a> {
    work: Work<'a>,
    watch: Watch<'a>,
    division: Division,
    extent: Extent,
    /// Whether a critical violation was found.
    cut: bool,
    /// The name of what is no event.
    tick: Option<Name>,
}

/// Which case an event belongs to, where the format tells.
#[derive(Clone, Copy, Default)]
pub(super) struct CaseOf<'a> {
    pub(super) number: u64,
    pub(super) name: Option<&'a str>,
}

impl<'a> Session<'a> {
    pub(super) fn new(work: Work<'a>, division: Division, tick: Option<Name>, listener: &'a mut dyn Listener) -> Self {
        let watch = Watch::new(work.compiled, work.options, division.is_divided(), listener);
        Session { watch, division, extent: Extent::new(work.compiled), cut: false, tick, work }
    }

    /// An event, after so many bytes of the trace. Breaks off after a critical violation.
    #[inline]
    pub(super) fn see(
        &mut self,
        event: &Event<'_>,
        case: CaseOf<'_>,
        bytes: u64,
        legend: Legend<'_>,
    ) -> Result<ControlFlow<()>, Error> {
        if Some(event.name) == self.tick {
            self.cut = self.watch.pass(event.time, legend).is_break();
            return Ok(if self.cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        }
        if self.extent.events == 0 {
            units_are_known(self.work.compiled, legend.time_kind, self.work.options.reorder)?;
        }
        let lot = self.division.lot(event.fields, case.number, case.name);
        let is_over = self.division.is_sequential() && matches!(lot, Lot::New(_));
        self.cut =
            is_over && self.watch.next_case(legend).is_break() || self.watch.turn_to(event.time, legend).is_break();
        if self.cut {
            return Ok(ControlFlow::Break(()));
        }
        let number = match lot {
            Lot::None => return Ok(ControlFlow::Continue(())),
            Lot::New(label) => self.watch.begin_with(label, event, self.division.bounds),
            // Of cases that come one after the other, only the present one is left.
            Lot::Known(_) if self.division.is_sequential() => 0,
            Lot::Known(number) => number,
        };
        self.cut = self.watch.step(number, event, legend).is_break();
        if self.cut {
            return Ok(ControlFlow::Break(()));
        }
        let events = self.extent.add(event.name, event.time);
        if is_due(events) {
            self.watch.check_limits()?;
        }
        if events % PROGRESS_EVERY == 1 {
            self.watch.progress(bytes, events);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Nothing more comes, or nothing more is looked at.
    pub(super) fn finish<R: Feed>(self, reader: &R) -> Report {
        let legend = Legend { symbols: reader.symbols(), time_kind: reader.time_kind() };
        let (outcomes, cases, stopped) = self.watch.finish(&self.division, self.cut, legend);
        Report { stopped, cases, ..self.extent.report(self.work, reader, outcomes) }
    }
}
