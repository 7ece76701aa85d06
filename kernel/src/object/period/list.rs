//! Owns: the list of the periods that each thread owns. Must never know: what they do.

use super::PeriodCore;
use crate::System;
use crate::critical_section::{CriticalSection, Guarded};
use crate::thread::tcb::ThreadRef;

/// The periods that a thread owns, the one created last first.
pub(crate) type Owned = Guarded<Option<&'static PeriodCore>>;

/// Adds `period`, which `owner` has just created, with the next number. Steps: the threads and
/// periods that exist.
pub fn add<S: System>(cs: CriticalSection<'_>, owner: ThreadRef, period: &'static PeriodCore) {
    let mut last = 0;
    for_each::<S>(cs, |other| last = last.max(other.number.get(cs)));
    period.number.set(cs, last.saturating_add(1));
    if let Some(info) = owner.info.get(cs) {
        period.following.set(cs, info.periods.get(cs));
        info.periods.set(cs, Some(period));
    }
}

/// Takes out `period` of `owner`. Steps: its periods.
pub fn remove(cs: CriticalSection<'_>, owner: ThreadRef, period: &'static PeriodCore) {
    let mut place = owner.info.get(cs).map(|info| &info.periods);
    while let Some(cell) = place {
        let Some(other) = cell.get(cs) else { return };
        if core::ptr::eq(other, period) {
            cell.set(cs, other.following.get(cs));
            return;
        }
        place = Some(&other.following);
    }
}

/// The period with the least number above `number`. Steps: the threads and periods that exist.
pub fn after<S: System>(cs: CriticalSection<'_>, number: u32) -> Option<&'static PeriodCore> {
    let mut found: Option<&'static PeriodCore> = None;
    for_each::<S>(cs, |period| {
        let own = period.number.get(cs);
        if own > number && found.is_none_or(|found| own < found.number.get(cs)) {
            found = Some(period);
        }
    });
    found
}

/// Calls `visit` with each period of each thread that exists.
fn for_each<S: System>(cs: CriticalSection<'_>, mut visit: impl FnMut(&'static PeriodCore)) {
    S::kernel().threads.for_each(cs, |thread| {
        let mut next = thread.info.get(cs).and_then(|info| info.periods.get(cs));
        while let Some(period) = next {
            visit(period);
            next = period.following.get(cs);
        }
    });
}
