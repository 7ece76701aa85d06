//! Owns: the invariants of a cluster's seats, computed again from the urgencies of threads. For
//! tests and tools.
//! Must never know: which acts keep them.

use super::super::World;
use super::super::laws::{Law, law};
use super::{Budgets, Cluster, Key, Urgency, Waiting};

impl<Id: Copy + Eq, Q: Waiting<Id>, B: Budgets<Id>, const N: usize> Cluster<Id, Q, B, N> {
    /// While it decides: keys are true, and no ready thread without a seat is before the owner of
    /// one.
    pub(in super::super) fn check<W: World<Id = Id>>(&self, w: &W) -> Law {
        let (mut last, mut is_true) = (0, true);
        self.for_each_seat(w, |cpu, owner| {
            let key = self.key(cpu).get();
            is_true &= owner.is_none_or(|owner| key.urgency() == Q::urgency(w, owner).number());
            last = key.urgency();
        });
        law(is_true, "the key of a seat is as urgent as its owner")?;
        law(
            last < Q::Key::FREE || self.waiting.first(w).is_none(),
            "nobody waits while a seat is free",
        )?;
        let (mut before, mut in_order) = (0, true);
        self.waiting.for_each(w, |id| {
            let urgency = Q::urgency(w, id).number();
            in_order &= before <= urgency;
            before = urgency;
        });
        law(in_order, "those that wait stand by urgency")?;
        let first = self.waiting.first(w);
        law(
            first.is_none_or(|(_, first)| first.number() >= last),
            "no ready thread without a seat is before the owner of one",
        )
    }
}
