//! Owns: the list of the periods that each thread owns. Must never know: what they do.

use super::PeriodCore;
use crate::System;
use crate::critical_section::{Guarded, Section};
use crate::thread::tcb::ThreadRef;

/// The periods that a thread owns, the one created last first.
pub(crate) type Owned = Guarded<Option<&'static PeriodCore>>;

/// Adds `period`, which `owner` has just created, with the next number. Steps: the threads and periods that exist.
pub fn add<S: System>(s: Section, owner: ThreadRef, period: &'static PeriodCore) {
    let mut last = 0;
    for_each::<S>(s, |other| last = last.max(other.number.get(s)));
    period.number.set(s, last.saturating_add(1));
    if let Some(info) = owner.info.get(s) {
        period.following.set(s, info.periods.get(s));
        info.periods.set(s, Some(period));
    }
}

/// Takes out `period` of `owner`. Steps: its periods.
pub fn remove(s: Section, owner: ThreadRef, period: &'static PeriodCore) {
    let mut place = owner.info.get(s).map(|info| &info.periods);
    while let Some(cell) = place {
        let Some(other) = cell.get(s) else { return };
        if core::ptr::eq(other, period) {
            cell.set(s, other.following.get(s));
            return;
        }
        place = Some(&other.following);
    }
}

/// The period with the least number above `number`. Steps: the threads and periods that exist.
pub fn after<S: System>(s: Section, number: u32) -> Option<&'static PeriodCore> {
    let mut found: Option<&'static PeriodCore> = None;
    for_each::<S>(s, |period| {
        let own = period.number.get(s);
        if own > number && found.is_none_or(|found| own < found.number.get(s)) {
            found = Some(period);
        }
    });
    found
}

/// Calls `visit` with each period of each thread that exists.
fn for_each<S: System>(s: Section, mut visit: impl FnMut(&'static PeriodCore)) {
    S::kernel().threads.for_each(s, |thread| {
        let mut next = thread.info.get(s).and_then(|info| info.periods.get(s));
        while let Some(period) = next {
            visit(period);
            next = period.following.get(s);
        }
    });
}
