//! Owns: which of a fixed number of timers is due next.
//! Must never know: what the timers are for.

/// A timer that is not set.
pub(crate) const NEVER: u64 = u64::MAX;

/// A key and the slot that it belongs to.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    slot: u32,
}

/// One timer a slot, in a tournament tree: the earliest is at the root.
/// Of equal keys the lower slot is first. Setting one costs log₂(slots) comparisons.
#[derive(Clone, Debug)]
pub(crate) struct Agenda {
    /// `entries[1]` is the root; the children of `i` are `2i` and `2i + 1`;
    /// the slots are the second half.
    entries: Vec<Entry>,
    leaves: usize,
}

impl Agenda {
    /// As many timers as `slots`, none of them set.
    pub(crate) fn new(slots: usize) -> Self {
        let leaves = slots.next_power_of_two();
        let unset = Entry {
            key: NEVER,
            slot: 0,
        };
        let mut entries = vec![unset; 2 * leaves];
        for slot in 0..leaves {
            entries[leaves + slot].slot = slot as u32;
        }
        for node in (1..leaves).rev() {
            entries[node] = entries[2 * node];
        }
        Self { entries, leaves }
    }

    /// Sets the timer of `slot` to `key`, or takes it back with [`NEVER`].
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, key: u64) {
        let mut node = self.leaves + slot;
        self.entries[node].key = key;
        while node > 1 {
            // All slots on the left are lower ones than those on the right.
            let (left, right) = (self.entries[node & !1], self.entries[node | 1]);
            node /= 2;
            self.entries[node] = if right.key < left.key { right } else { left };
        }
    }

    /// The earliest key and its slot; the key is [`NEVER`] when none is set.
    #[inline(always)]
    pub(crate) fn first(&self) -> (u64, usize) {
        let root = self.entries[1];
        (root.key, root.slot as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_first_is_what_a_search_finds() {
        for slots in [1usize, 2, 3, 20, 64, 65] {
            let mut agenda = Agenda::new(slots);
            let mut keys = vec![NEVER; slots];
            assert_eq!(agenda.first().0, NEVER);
            let stream = Stream::new(1, slots as u64);
            for place in 0..2_000 {
                let slot = stream.below_or_at(2 * place, slots as u64 - 1) as usize;
                let key = stream.below_or_at(2 * place + 1, 30);
                keys[slot] = if key == 30 { NEVER } else { key };
                agenda.set(slot, keys[slot]);
                let expected = keys
                    .iter()
                    .enumerate()
                    .map(|(slot, key)| (*key, slot))
                    .min();
                assert_eq!(Some(agenda.first()), expected);
            }
        }
    }
}
