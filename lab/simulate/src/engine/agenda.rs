//! Owns: which of a fixed number of timers is due next.
//! Must never know: what the timers are for.

use super::tournament::{NEVER, Tournament};

/// One timer a slot. Of equal keys that of the lower rank is first, of equal ranks the lower slot;
/// a rank is 0 until it is set.
///
/// Setting a timer costs what it costs in a [`Tournament`], setting a rank a fixed number of steps:
/// ranks are looked at when the timers that they concern are due, all those with one key at once.
#[derive(Clone, Debug)]
pub(super) struct Agenda {
    keys: Tournament,
    ranks: Vec<u64>,
    /// Timers with the key `due_key`, with their ranks, the first one last; those that were set to
    /// another key since among them.
    due: Vec<(u64, u32)>,
    due_key: u64,
}

impl Agenda {
    /// As many timers as `slots`, none of them set.
    pub fn new(slots: usize) -> Self {
        Self {
            keys: Tournament::new(slots),
            ranks: vec![0; slots],
            due: Vec::new(),
            due_key: NEVER,
        }
    }

    /// Sets the timer of `slot` to `key`, or takes it back with [`NEVER`].
    #[inline]
    pub fn set(&mut self, slot: usize, key: u64) {
        if key == self.due_key {
            self.due.clear();
        }
        self.keys.set(slot, key);
    }

    /// Says where the timer of `slot` stands among others with its key, of now and of later.
    #[inline]
    pub fn set_rank(&mut self, slot: usize, rank: u64) {
        self.ranks[slot] = rank;
        if !self.due.is_empty() && self.keys.key(slot) == self.due_key {
            self.due.clear();
        }
    }

    /// The earliest key; [`NEVER`] when none is set.
    #[inline(always)]
    pub fn first(&self) -> u64 {
        self.keys.first()
    }

    /// The timer that is first, once: it must be set anew then.
    #[inline]
    pub fn take(&mut self) -> usize {
        if self.due_key == self.first() {
            while let Some((_, slot)) = self.due.pop() {
                if self.keys.key(slot as usize) == self.due_key {
                    return slot as usize;
                }
            }
        }
        self.find_due()
    }

    /// Looks all timers up that have the earliest key, and takes the first one.
    #[inline]
    fn find_due(&mut self) -> usize {
        let Self {
            keys, ranks, due, ..
        } = self;
        self.due_key = keys.first();
        due.clear();
        keys.winners(|slot| due.push((ranks[slot], slot as u32)));
        if due.len() > 1 {
            due.sort_unstable_by(|a, b| b.cmp(a));
        }
        due.pop().map_or(0, |(_, slot)| slot as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Timers are set, ranked and taken at random; whatever is changed between two that are due,
    /// the first one is taken.
    #[test]
    fn the_first_is_what_a_search_finds() {
        for slots in [1usize, 2, 3, 20, 64, 65] {
            let mut agenda = Agenda::new(slots);
            let mut timers = vec![(NEVER, 0); slots];
            assert_eq!(agenda.first(), NEVER);
            let stream = Stream::new(1, slots as u64);
            for place in 0..4_000 {
                let number = |part: u64, most| stream.below_or_at(4 * place + part, most);
                let key = match number(1, 10) {
                    10 => NEVER,
                    key => key,
                };
                let first = (0..slots)
                    .min_by_key(|slot| (timers[*slot], *slot))
                    .unwrap();
                assert_eq!(agenda.first(), timers[first].0);
                let mut slot = number(0, slots as u64 - 1) as usize;
                match number(2, 3) {
                    0 => {
                        timers[slot].1 = number(3, 5);
                        agenda.set_rank(slot, timers[slot].1);
                        continue;
                    }
                    1 => {}
                    _ if agenda.first() == NEVER => {}
                    _ => {
                        assert_eq!(agenda.take(), first);
                        slot = first;
                    }
                }
                timers[slot].0 = key;
                agenda.set(slot, key);
            }
        }
    }
}
