//! Owns: which of a fixed number of timers is due next.
//! Must never know: the purpose of the timers.
//!
//! Timers with one key stand in one list, a *date*: of a thousand periods in whole milliseconds few
//! dates come, so to set a timer is mostly to find its date and to stand there last. Dates stand in
//! a heap. Within a date timers are in order, but for those that would have to go into the middle:
//! they are *loose*, in front of all, and the list is sorted when it is due, if any are left.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use super::tournament::NEVER;

/// No date.
const NONE: u32 = u32::MAX;
/// How many dates can be known.
const KNOWN: usize = 1024;

/// A timer, or the head of a date's list, which is a ring.
#[derive(Clone, Copy, Debug)]
struct Node {
    before: u32,
    after: u32,
    /// The date of a timer; [`NONE`] where it is not set.
    date: u32,
    /// Not in order; true of heads.
    is_loose: bool,
    rank: u64,
}

/// The timers with one key.
#[derive(Clone, Copy, Debug)]
struct Date {
    /// [`NEVER`] where the date is spare.
    key: u64,
    /// How many of its timers are loose.
    loose: u32,
}

/// One timer a slot. Of equal keys that of the lower rank is first, of equal ranks the lower slot;
/// a rank is 0 until it is set.
///
/// To set a timer takes a fixed number of steps where others have its key or had it lately, else
/// the logarithm of how many dates there are. To set a rank takes as many as are greater within its
/// date, and are not loose.
#[derive(Clone, Debug)]
pub(super) struct Agenda {
    /// The timers by slot, then the heads by date.
    nodes: Vec<Node>,
    /// How many timers there are.
    slots: usize,
    dates: Vec<Date>,
    spare: Vec<u32>,
    /// The dates but the first one by their keys; some of them may have lost all timers.
    order: BinaryHeap<Reverse<(u64, u32)>>,
    /// The date with the earliest key, which has timers; [`NONE`] if there is none.
    date: u32,
    first: u64,
    /// Dates by a number made of their keys, the latest ones.
    known: Box<[u32; KNOWN]>,
}

impl Agenda {
    /// As many timers as `slots`, none of them set.
    pub fn new(slots: usize) -> Self {
        // At most one for each timer has timers, when those without are cleared away.
        let count = 2 * slots + 2;
        let node = |place| Node {
            before: place,
            after: place,
            date: NONE,
            is_loose: place as usize >= slots,
            rank: 0,
        };
        let spare = Date {
            key: NEVER,
            loose: 0,
        };
        Self {
            nodes: (0..(slots + count) as u32).map(node).collect(),
            slots,
            dates: vec![spare; count],
            spare: (0..count as u32).rev().collect(),
            order: BinaryHeap::new(),
            date: NONE,
            first: NEVER,
            known: Box::new([0; KNOWN]),
        }
    }

    /// Sets the timer of `slot` to `key`, or takes it back with [`NEVER`].
    #[inline]
    pub fn set(&mut self, slot: usize, key: u64) {
        if self.nodes[slot].date != NONE {
            self.take_out(slot);
            self.leave_if_empty();
        }
        if key != NEVER {
            let date = self.date_of(key);
            self.put_in(slot, date);
        }
    }

    /// Sets the rank of the timer of `slot` among the timers with its key, present and later.
    #[inline]
    pub fn set_rank(&mut self, slot: usize, rank: u64) {
        let date = self.nodes[slot].date;
        if date != NONE {
            self.take_out(slot);
        }
        self.nodes[slot].rank = rank;
        if date == NONE {
            return;
        }
        self.nodes[slot].date = date;
        let mut before = self.nodes[self.head(date)].before as usize;
        while self.is_behind(before, slot) {
            before = self.nodes[before].before as usize;
        }
        self.link(slot, before);
    }

    /// The earliest key; [`NEVER`] when none is set.
    #[inline(always)]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Takes the timer that is first back, and says which it was.
    #[inline]
    pub fn take(&mut self) -> usize {
        let date = self.date;
        if self.dates[date as usize].loose > 0 {
            self.sort(&[date]);
        }
        let slot = self.nodes[self.head(date)].after as usize;
        self.take_out(slot);
        self.leave_if_empty();
        slot
    }

    /// The place of the head of the date's list.
    #[inline(always)]
    fn head(&self, date: u32) -> usize {
        self.slots + date as usize
    }

    #[inline(always)]
    fn is_empty(&self, date: u32) -> bool {
        let head = self.head(date);
        self.nodes[head].after as usize == head
    }

    /// Returns whether `other`, which is in order, comes after `slot`.
    #[inline(always)]
    fn is_behind(&self, other: usize, slot: usize) -> bool {
        let node = &self.nodes[other];
        !node.is_loose && (node.rank, other) > (self.nodes[slot].rank, slot)
    }

    /// Puts `slot`, which is in no list, into that of `date`: last, or loose in front.
    #[inline(always)]
    fn put_in(&mut self, slot: usize, date: u32) {
        let head = self.head(date);
        let last = self.nodes[head].before as usize;
        // Which of both it is cannot be predicted: so there is no branch.
        let is_loose = self.is_behind(last, slot);
        let node = &mut self.nodes[slot];
        (node.date, node.is_loose) = (date, is_loose);
        self.dates[date as usize].loose += u32::from(is_loose);
        self.link(slot, if is_loose { head } else { last });
    }

    /// Puts `slot`, which is in no list, after `before`.
    #[inline(always)]
    fn link(&mut self, slot: usize, before: usize) {
        let after = core::mem::replace(&mut self.nodes[before].after, slot as u32);
        self.nodes[after as usize].before = slot as u32;
        let node = &mut self.nodes[slot];
        (node.before, node.after) = (before as u32, after);
    }

    /// Takes `slot` out of its date's list.
    #[inline(always)]
    fn take_out(&mut self, slot: usize) {
        let node = &mut self.nodes[slot];
        let (before, after) = (node.before, node.after);
        let date = core::mem::replace(&mut node.date, NONE);
        let was_loose = core::mem::replace(&mut node.is_loose, false);
        self.dates[date as usize].loose -= u32::from(was_loose);
        self.nodes[before as usize].after = after;
        self.nodes[after as usize].before = before;
    }

    /// The date with this key: a new one where none is known.
    #[inline(always)]
    fn date_of(&mut self, key: u64) -> u32 {
        if key == self.first {
            return self.date;
        }
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> u32::BITS;
        let place = mixed as usize % KNOWN;
        let known = self.known[place];
        if self.dates[known as usize].key == key {
            return known;
        }
        let date = self.begin(key);
        self.known[place] = date;
        date
    }

    /// A new date with this key.
    fn begin(&mut self, key: u64) -> u32 {
        if self.spare.is_empty() {
            self.clear_away();
        }
        let Some(date) = self.spare.pop() else {
            unreachable!("there are more dates than timers")
        };
        self.dates[date as usize].key = key;
        if key < self.first {
            if self.date != NONE {
                self.order.push(Reverse((self.first, self.date)));
            }
            (self.first, self.date) = (key, date);
        } else {
            self.order.push(Reverse((key, date)));
        }
        date
    }

    /// If the first date has lost its last timer, another one is the first.
    #[inline(always)]
    fn leave_if_empty(&mut self) {
        if self.is_empty(self.date) {
            self.retire(self.date);
            self.look_for_first();
        }
    }

    /// `date`, which has no timers and is not in the heap, is spare.
    fn retire(&mut self, date: u32) {
        self.dates[date as usize].key = NEVER;
        self.spare.push(date);
    }

    /// The next date with timers is the first one, together with others of its key.
    fn look_for_first(&mut self) {
        (self.first, self.date) = (NEVER, NONE);
        while let Some(&Reverse((key, date))) = self.order.peek() {
            if self.date != NONE && self.first != key {
                return;
            }
            self.order.pop();
            if self.is_empty(date) {
                self.retire(date);
            } else if self.date == NONE {
                (self.first, self.date) = (key, date);
            } else {
                self.sort(&[self.date, date]);
                self.retire(date);
            }
        }
    }

    /// Puts all timers of these dates, which have one key, into the first one, in order.
    #[cold]
    fn sort(&mut self, dates: &[u32]) {
        let mut all = Vec::new();
        for date in dates {
            let head = self.head(*date);
            let mut slot = self.nodes[head].after as usize;
            while slot != head {
                all.push((self.nodes[slot].rank, slot));
                slot = self.nodes[slot].after as usize;
            }
            (self.nodes[head].before, self.nodes[head].after) = (head as u32, head as u32);
            self.dates[*date as usize].loose = 0;
        }
        all.sort_unstable();
        for (_, slot) in all {
            self.nodes[slot].is_loose = false;
            self.nodes[slot].date = dates[0];
            self.link(slot, self.nodes[self.head(dates[0])].before as usize);
        }
    }

    /// All dates of the heap without timers are spare.
    #[cold]
    fn clear_away(&mut self) {
        let mut order = core::mem::take(&mut self.order);
        order.retain(|Reverse((_, date))| {
            let is_empty = self.is_empty(*date);
            if is_empty {
                self.retire(*date);
            }
            !is_empty
        });
        self.order = order;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Timers are set, ranked and taken at random; whatever is changed between two that are due,
    /// the first one is taken.
    fn follow_a_search(slots: usize, keys: u64) {
        let mut agenda = Agenda::new(slots);
        let mut timers = vec![(NEVER, 0); slots];
        assert_eq!(agenda.first(), NEVER);
        let stream = Stream::new(keys, slots as u64);
        for place in 0..4_000 {
            let number = |part: u64, most| stream.below_or_at(4 * place + part, most);
            let key = match number(1, keys) {
                key if key == keys => NEVER,
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

    /// With many keys dates are forgotten, so that one key has two, and those without timers are
    /// cleared away.
    #[test]
    fn the_first_is_what_a_search_finds() {
        for slots in [1, 2, 3, 20, 64, 65] {
            follow_a_search(slots, 10);
            follow_a_search(slots, 2_000);
        }
    }
}
