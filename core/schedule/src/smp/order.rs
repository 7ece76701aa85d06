//! Owns: what is more urgent than what.
//! Must never know: who has a key.

/// How urgent a thread is for its user: 0 is the most urgent.
///
/// An instance has a least urgent one, see [`PolicyKind::least_urgent`](super::PolicyKind::least_urgent).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
#[repr(transparent)]
pub struct Priority(pub u32);

impl Priority {
    /// The most urgent one.
    pub const MOST_URGENT: Self = Self(0);
    /// The least urgent one of the instances that know no levels: 2³¹ − 1.
    pub const MAX: Self = Self(i32::MAX as u32);
}

/// A node's priority within one instance: smaller is more urgent.
///
/// Under fixed priorities it is the user's number. Under deadlines (spec 01, 3.2) an absolute deadline is its number of
/// nanoseconds, below 2⁶³, and a user's priority p is 2⁶³ + p: whoever has a deadline beats all who have none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(transparent)]
pub struct Level(pub u64);

impl Level {
    /// Less urgent than whatever a user can ask for: the idle threads', and that of "contributes nothing".
    pub const NONE: Self = Self(u64::MAX);
    /// Set in the levels of those who have no deadline, where deadlines count.
    pub const BACKGROUND: u64 = 1 << 63;

    /// The same under fixed priorities, for a world that has as many as [`crate::Priority::COUNT`]; less urgent ones are the last.
    pub(crate) fn as_priority(self) -> crate::Priority {
        let last = crate::Priority::COUNT as u64 - 1;
        crate::Priority::from_stored(self.0.min(last) as u8)
    }
}

/// Where a thread goes among its equals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// Behind them: it preempts none of them.
    Append,
    /// In front of them: it preempts the last of them.
    Prepend,
}

/// Where a node stands in its instance: by level, then by turn. No two nodes of an instance have the same key.
///
/// The turn does the work of the order bit of spec 01, 1.4, for all policies alike: those appended draw ascending numbers,
/// those prepended descending ones that are below all of the former. So "appended never preempts an equal" and "prepended
/// preempts the last equal" are one comparison, and first come, first served holds across queues (spec 01, E5, E7).
/// A turn is drawn when a node is enqueued, and kept when it moves between READY and SCHEDULED (E6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    pub level: Level,
    pub turn: u64,
}

impl Key {
    /// That of a node that never was in a queue.
    pub const NONE: Self = Self {
        level: Level::NONE,
        turn: u64::MAX,
    };

    #[inline(always)]
    const fn wide(self) -> u128 {
        (self.level.0 as u128) << 64 | self.turn as u128
    }

    /// Whether this is to be served before `other`.
    #[inline(always)]
    pub const fn before(self, other: Self) -> bool {
        self.wide() < other.wide()
    }
}

/// The counters that turns are drawn from. At 10⁹ a second they last 292 years.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    up: u64,
    down: u64,
    /// Between the two: see [`Turns::draw_early`].
    early: u64,
}

/// How many turns lie between those appended and those prepended.
const EARLY: u64 = 1 << 62;
/// That of the first who is appended.
const FIRST_UP: u64 = 1 << 63;

impl Turns {
    pub const NEW: Self = Self {
        up: FIRST_UP,
        down: FIRST_UP - EARLY - 1,
        early: FIRST_UP - EARLY,
    };

    /// That of a thread which became READY before this instance was opened, and which is not the first of its equals: one that is
    /// will [draw](Turns::draw_early) its turn.
    pub const UNDRAWN: u64 = (1 << 63) - 1;

    /// That of a thread which had a processor, or became READY, before this instance was opened, when it comes to be the first:
    /// behind those prepended since, before those appended since. Such threads come in their order.
    pub fn draw_early(&mut self) -> u64 {
        let turn = self.early;
        self.early += 1;
        turn
    }

    /// A turn as the world is told it: 0, 1, 2 and so on for those appended, less for all others.
    pub const fn signed(turn: u64) -> i64 {
        turn.wrapping_sub(FIRST_UP).cast_signed()
    }

    /// The inverse of [`Turns::signed`].
    pub const fn of_signed(turn: i64) -> u64 {
        FIRST_UP.wrapping_add(turn.cast_unsigned())
    }

    /// A turn, as the world is told it, that was not drawn early, in few bits: those prepended have -1, -2 and so on.
    pub const fn narrow(turn: i64) -> i64 {
        if turn < 0 {
            turn + EARLY.cast_signed()
        } else {
            turn
        }
    }

    /// The inverse of [`Turns::narrow`].
    pub const fn widen(narrow: i64) -> i64 {
        if narrow < 0 {
            narrow - EARLY.cast_signed()
        } else {
            narrow
        }
    }

    /// A turn, as the world is told it, as a number that is not negative: those appended have 2⁶² and more, those drawn early 2⁶¹ and
    /// more, those prepended less.
    pub const fn positive(turn: i64) -> i64 {
        let early = EARLY.cast_signed();
        if turn < 0 {
            turn + early + early / 2
        } else {
            turn + early
        }
    }

    /// The inverse of [`Turns::positive`].
    pub const fn of_positive(positive: i64) -> i64 {
        let early = EARLY.cast_signed();
        if positive < early {
            positive - early - early / 2
        } else {
            positive - early
        }
    }

    /// The turns that are drawn next, for one appended and for one prepended, as the world knows them.
    pub const fn next(&self) -> [i64; 2] {
        [Self::signed(self.up), Self::signed(self.down)]
    }

    /// Goes on behind turns that were drawn elsewhere, perhaps from the beginning: the inverse of
    /// [`Turns::next`].
    pub fn go_on(&mut self, next: [i64; 2]) {
        self.up = self.up.max(Self::of_signed(next[0]));
        self.down = self.down.min(Self::of_signed(next[1]));
    }

    #[inline(always)]
    pub fn draw(&mut self, order: Order) -> u64 {
        match order {
            Order::Append => {
                let turn = self.up;
                self.up += 1;
                turn
            }
            Order::Prepend => {
                let turn = self.down;
                self.down -= 1;
                turn
            }
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    #[test]
    fn narrow_turns_are_in_the_same_order_and_come_back() {
        let mut turns = Turns::NEW;
        let behind = [(); 3].map(|()| turns.draw(Order::Append));
        let before = [(); 3].map(|()| turns.draw(Order::Prepend));
        let narrow = |turn| Turns::narrow(Turns::signed(turn));
        assert_eq!(behind.map(narrow), [0, 1, 2]);
        assert_eq!(before.map(narrow), [-1, -2, -3]);
        for turn in behind.into_iter().chain(before) {
            assert_eq!(Turns::of_signed(Turns::widen(narrow(turn))), turn);
        }
        let early = [(); 3].map(|()| turns.draw_early());
        let mut all = [before, early, behind].concat();
        all.sort_unstable();
        let positive = |turn: &u64| Turns::positive(Turns::signed(*turn));
        let told: Vec<i64> = all.iter().map(positive).collect();
        assert!(told.is_sorted() && told[0] >= 0, "{told:?}");
        let back = told
            .iter()
            .map(|told| Turns::of_signed(Turns::of_positive(*told)));
        assert!(back.eq(all));
        let mut other = Turns::NEW;
        other.go_on(turns.next());
        for order in [Order::Append, Order::Prepend] {
            assert_eq!(other.draw(order), turns.draw(order));
        }
    }

    #[test]
    fn appended_goes_behind_and_prepended_in_front_of_equals() {
        let mut turns = Turns::NEW;
        let mut key = |level, order| Key {
            level: Level(level),
            turn: turns.draw(order),
        };
        let first = key(5, Order::Append);
        let second = key(5, Order::Append);
        let front = key(5, Order::Prepend);
        let foremost = key(5, Order::Prepend);
        let urgent = key(4, Order::Append);
        for (a, b) in [
            (first, second),
            (front, first),
            (foremost, front),
            (urgent, foremost),
            (second, Key::NONE),
        ] {
            assert!(a.before(b) && !b.before(a) && !a.before(a));
        }
    }
}
