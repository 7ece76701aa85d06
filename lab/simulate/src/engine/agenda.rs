//! Owns: which of a fixed number of timers is due next.
//! Must never know: what the timers are for.

/// A timer that is not set.
pub(crate) const NEVER: u64 = u64::MAX;

/// A key and the slot that it belongs to.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    /// Which of equal keys comes first: the one with the lower rank.
    rank: u64,
    slot: u32,
}

/// One timer a slot, in a tournament tree: the earliest is at the root.
/// Of equal keys that of the lower rank is first, of equal ranks the lower slot; a rank is 0 until it is set.
/// Setting one costs log₂(slots) comparisons.
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
            rank: 0,
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
        let node = self.leaves + slot;
        self.entries[node].key = key;
        self.play(node);
    }

    /// Says where the timer of `slot` stands among others with its key, of now and of later.
    #[inline]
    pub(crate) fn set_rank(&mut self, slot: usize, rank: u64) {
        let node = self.leaves + slot;
        self.entries[node].rank = rank;
        self.play(node);
    }

    /// Finds the first above a node that has changed.
    #[inline(always)]
    fn play(&mut self, mut node: usize) {
        while node > 1 {
            // All slots on the left are lower ones than those on the right.
            let (left, right) = (self.entries[node & !1], self.entries[node | 1]);
            node /= 2;
            let right_first = match right.key == left.key {
                true => right.rank < left.rank,
                false => right.key < left.key,
            };
            self.entries[node] = if right_first { right } else { left };
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
            let mut keys = vec![(NEVER, 0); slots];
            assert_eq!(agenda.first().0, NEVER);
            let stream = Stream::new(1, slots as u64);
            for place in 0..2_000 {
                let number = |part: u64, most| stream.below_or_at(3 * place + part, most);
                let slot = number(0, slots as u64 - 1) as usize;
                if number(2, 2) == 0 {
                    keys[slot].1 = number(1, 5);
                    agenda.set_rank(slot, keys[slot].1);
                } else {
                    let key = number(1, 10);
                    keys[slot].0 = if key == 10 { NEVER } else { key };
                    agenda.set(slot, keys[slot].0);
                }
                let expected = keys
                    .iter()
                    .enumerate()
                    .map(|(slot, (key, rank))| (*key, *rank, slot))
                    .min();
                let expected = expected.map(|(key, _, slot)| (key, slot));
                assert_eq!(Some(agenda.first()), expected);
            }
        }
    }
}
