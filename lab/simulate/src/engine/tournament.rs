//! Owns: which of many keys is the earliest.
//! Must never know: the meaning of the keys.

/// A key that is not set.
pub(crate) const NEVER: u64 = u64::MAX;

/// How many keys are compared at once.
const PLAYERS: usize = 4;

/// One key for each slot, in a tournament tree of matches of four: the earliest wins the first
/// match. Setting a key plays log₄(slots) matches, up to the first one with an unchanged winner.
#[derive(Clone, Debug)]
pub(super) struct Tournament {
    /// The key that wins match `i` takes part, as number `(i - 1) % 4`, in match `(i - 1) / 4`.
    matches: Vec<[u64; PLAYERS]>,
    /// The first of the matches in which the slots take part, in their order; all are equally
    /// deep.
    leaves: usize,
    /// The key that wins all.
    first: u64,
}

impl Tournament {
    /// As many keys as `slots`, none of them set.
    pub fn new(slots: usize) -> Self {
        let last = slots.div_ceil(PLAYERS).max(1);
        let (mut leaves, mut wide) = (0, 1);
        while wide < last {
            leaves += wide;
            wide *= PLAYERS;
        }
        Self {
            matches: vec![[NEVER; PLAYERS]; leaves + last],
            leaves,
            first: NEVER,
        }
    }

    /// Sets the key of `slot`, or takes it back with [`NEVER`].
    #[inline(always)]
    pub fn set(&mut self, slot: usize, mut key: u64) {
        let (mut number, mut player) = (self.leaves + slot / PLAYERS, slot % PLAYERS);
        loop {
            let keys = &mut self.matches[number];
            if core::mem::replace(&mut keys[player], key) == key {
                return;
            }
            let [a, b, c, d] = *keys;
            key = a.min(b).min(c.min(d));
            if number == 0 {
                self.first = key;
                return;
            }
            (number, player) = ((number - 1) / PLAYERS, (number - 1) % PLAYERS);
        }
    }

    /// The earliest key; [`NEVER`] when none is set.
    #[inline(always)]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The lowest slot with the earliest key.
    #[inline(always)]
    pub fn winner(&self) -> usize {
        let mut number = 0;
        loop {
            // The last one is not looked at: if no other has the key, that one has.
            let [a, b, c, _] = self.matches[number];
            let player = match self.first {
                first if first == a => 0,
                first if first == b => 1,
                first if first == c => 2,
                _ => 3,
            };
            if number >= self.leaves {
                return (number - self.leaves) * PLAYERS + player;
            }
            number = number * PLAYERS + 1 + player;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_first_is_what_a_search_finds() {
        for slots in [1usize, 2, 4, 5, 16, 17, 20, 63, 64, 65, 300] {
            let mut tournament = Tournament::new(slots);
            let mut keys = vec![NEVER; slots];
            assert_eq!(tournament.first(), NEVER);
            let stream = Stream::new(2, slots as u64);
            for place in 0..2_000 {
                let slot = stream.below_or_at(2 * place, slots as u64 - 1) as usize;
                let key = stream.below_or_at(2 * place + 1, 20);
                keys[slot] = if key == 20 { NEVER } else { key };
                tournament.set(slot, keys[slot]);
                let first = *keys.iter().min().unwrap();
                assert_eq!(tournament.first(), first);
                if first == NEVER {
                    continue;
                }
                let expected = keys.iter().position(|key| *key == first);
                assert_eq!(Some(tournament.winner()), expected);
            }
        }
    }
}
