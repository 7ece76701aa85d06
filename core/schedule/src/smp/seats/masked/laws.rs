//! Owns: the invariants of seats where threads have affinities, computed again. For tests and
//! tools.
//! Must never know: which acts keep them.

use super::super::laws::{Law, law};
use super::{Masked, Rings, Rule, index};
use crate::Cpu;
use crate::smp::seats::World;

impl<Id: Copy + Eq, G: Rings<Id>, R: Rule<Id, G, N>, const N: usize> Masked<Id, G, R, N> {
    /// Visits its seats, with their owners, by keys.
    pub(in super::super) fn for_each_seat(&self, mut visit: impl FnMut(usize, Option<Id>)) {
        let mut rest = self.owned();
        while !rest.is_empty() {
            let cpu = self.first_of(rest);
            rest = rest.without(Cpu::masked(cpu as u8));
            visit(cpu, self.owner(cpu));
        }
    }

    /// Checks, while it decides: keys are true, no thread is in the rings that could have a seat,
    /// and all are in the order of their turns.
    pub(in super::super) fn check<W: World<Id = Id>>(&self, w: &W) -> Law {
        let mut is_true = true;
        self.for_each_seat(|cpu, owner| {
            let urgency = G::urgency_of(self.keys[index::<N>(cpu)].get());
            is_true &= owner.is_none_or(|owner| urgency == G::standing(w, owner));
        });
        law(is_true, "the key of a seat is as urgent as its owner")?;
        let (mut before, mut in_order, mut is_left) = (None, true, false);
        self.rings.visit_all(w, |id| {
            let key = G::key(G::standing(w, id), G::turn(w, id));
            in_order &= before.is_none_or(|before| before < key);
            before = Some(key);
            is_left |= R::could_sit(self, w, id, key);
        });
        law(
            in_order,
            "those of one ring stand in the order of their turns",
        )?;
        law(
            !is_left,
            "no ready thread without a seat could have one by the rule",
        )
    }
}
