//! Owns: the reasons why a thread is blocked. Must never know: what ends them.

/// A set of reasons why a thread is not ready. The empty set means that it is.
///
/// Suspension and waiting are independent: a thread that is suspended while it waits is ready only
/// when both are over.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Reasons(u16);

impl Reasons {
    /// None: ready.
    pub const NONE: Self = Self(0);
    /// Created, not yet started.
    pub const DORMANT: Self = Self(1);
    /// Suspended.
    pub const SUSPENDED: Self = Self(1 << 1);
    /// Waits in the queue of some object of the kernel's.
    pub const WAIT: Self = Self(1 << 2);
    /// Waits in the queue of a lock of this library's.
    pub const LOCK: Self = Self(1 << 3);
    /// Sleeps.
    pub const TIME: Self = Self(1 << 4);
    /// Waits for its next period.
    pub const PERIOD: Self = Self(1 << 5);
    /// Waits for an event or a message.
    pub const EVENT: Self = Self(1 << 6);
    /// Waits for another thread to end.
    pub const JOIN: Self = Self(1 << 7);
    /// Its budget is used up.
    pub const BUDGET: Self = Self(1 << 8);

    /// Those of either set.
    #[inline(always)]
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that are not in `other`.
    #[inline(always)]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether one of `other` is among them.
    #[inline(always)]
    pub const fn any_of(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is none.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl core::fmt::Debug for Reasons {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        const NAMES: [(Reasons, &str); 9] = [
            (Reasons::DORMANT, "dormant"),
            (Reasons::SUSPENDED, "suspended"),
            (Reasons::WAIT, "wait"),
            (Reasons::LOCK, "lock"),
            (Reasons::TIME, "time"),
            (Reasons::PERIOD, "period"),
            (Reasons::EVENT, "event"),
            (Reasons::JOIN, "join"),
            (Reasons::BUDGET, "budget"),
        ];
        let mut set = f.debug_set();
        for (reason, name) in NAMES {
            if self.any_of(reason) {
                set.entry(&format_args!("{name}"));
            }
        }
        set.finish()
    }
}
