//! Owns: the laws of seats where threads have affinities, computed anew. For tests and tools.
//! Must never know: which acts keep them.

use super::super::laws::{Law, law};
use super::{Masked, Rings, Rule, index};
use crate::smp::closed::World;

impl<Id: Copy + Eq, R: Rule<Id>> Masked<Id, R> {
    /// Visits its seats, with their owners, by keys.
    pub(in super::super) fn for_each_seat(&self, mut visit: impl FnMut(usize, Option<Id>)) {
        let mut rest = self.cpus.get();
        while rest != 0 {
            let cpu = self.first_of(rest);
            rest &= !super::bit(cpu);
            visit(cpu, self.owner(cpu));
        }
    }

    /// While it decides: keys are true, nobody stands who could have a seat, and all by their
    /// turns.
    pub(in super::super) fn check<W: World<Id = Id>>(&self, w: &W) -> Law {
        let mut is_true = true;
        self.for_each_seat(|cpu, owner| {
            let urgency = R::Rings::urgency_of(self.keys[index(cpu)].get());
            is_true &= owner.is_none_or(|owner| urgency == R::Rings::standing(w, owner));
        });
        law(is_true, "the key of a seat is as urgent as its owner")?;
        let (mut before, mut in_order, mut is_left) = (None, true, false);
        self.rings.visit_all(w, |id| {
            let key = R::Rings::key(R::Rings::standing(w, id), R::Rings::turn(w, id));
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
