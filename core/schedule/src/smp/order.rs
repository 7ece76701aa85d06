//! Owns: the order of urgency.
//! Must never know: the thread that has a key.

/// How urgent a thread is for its user: 0 is the most urgent.
///
/// An instance has a least urgent one, see
/// [`PolicyKind::least_urgent`](super::PolicyKind::least_urgent).
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
/// Under fixed priorities it is the user's number. Under deadlines (spec 01, 3.2) an absolute
/// deadline is its number of nanoseconds, below 2⁶³, and a user's priority p is 2⁶³ + p. So a
/// thread with a deadline comes before all threads without one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(transparent)]
pub struct Level(pub u64);

impl Level {
    /// Less urgent than whatever a user can request: the idle threads', and that of "contributes
    /// nothing".
    pub const NONE: Self = Self(u64::MAX);
    /// Set in the levels of threads without a deadline, in instances where deadlines count.
    pub const BACKGROUND: u64 = 1 << 63;

    /// Returns the level as a fixed priority, for a world that has as many as
    /// [`crate::Priority::COUNT`]; less urgent levels are the last one.
    pub(crate) fn as_priority(self) -> crate::Priority {
        let last = crate::Priority::COUNT as u64 - 1;
        crate::Priority::from_stored(self.0.min(last) as u8)
    }
}

/// Where a thread goes among its equals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// After them: it preempts none of them.
    Append,
    /// In front of them: it preempts the last of them.
    Prepend,
}

/// The position of a node in its instance: by level, then by turn. No two nodes of an instance
/// have the same key.
///
/// The turn does the work of the order bit of spec 01, 1.4, for all policies alike: those appended
/// draw ascending numbers, those prepended descending ones that are below all of the former. So
/// "appended never preempts an equal" and "prepended preempts the last equal" are one comparison,
/// and first come, first served holds across queues (spec 01, E5, E7). A turn is drawn when a node
/// is enqueued, and kept when it moves between READY and SCHEDULED (E6).
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
    pub(crate) const fn before(self, other: Self) -> bool {
        self.wide() < other.wide()
    }
}

/// The counters that turns are drawn from. At 10⁹ a second they last 292 years.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    up: u64,
    down: u64,
}

/// That of the first one that is appended.
const FIRST_UP: u64 = 1 << 63;

impl Turns {
    pub const NEW: Self = Self {
        up: FIRST_UP,
        down: FIRST_UP - 1,
    };

    #[inline(always)]
    pub(crate) fn draw(&mut self, order: Order) -> u64 {
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
    use super::*;

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
