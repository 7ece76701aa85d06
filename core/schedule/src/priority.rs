//! Owns: what a priority is.

/// How urgent a thread is: 0 is the most urgent, 31 the least, or 62 with the feature
/// `priorities-63`.
///
/// [`Priority::IDLE`] is below them all; no thread but the idle thread has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(transparent)]
pub struct Priority(u8);

impl Priority {
    /// How many priorities there are: 32, or 63 with the feature `priorities-63`. As many as fit
    /// six bits in addition to the idle thread's.
    pub const COUNT: usize = if cfg!(feature = "priorities-63") {
        63
    } else {
        32
    };
    /// All bits of each priority except the idle thread's.
    const BELOW_ALL: u8 = (Self::COUNT.next_power_of_two() - 1) as u8;
    /// The most urgent one.
    pub const MOST_URGENT: Self = Self(0);
    /// The least urgent one that a thread can be given.
    pub const LEAST_URGENT: Self = Self(Self::COUNT as u8 - 1);
    /// The idle thread's.
    pub const IDLE: Self = Self(Self::COUNT as u8);

    /// The priority `level`, which is below [`Priority::COUNT`]; none for other numbers.
    pub const fn new(level: u8) -> Option<Self> {
        if level < Self::COUNT as u8 {
            Some(Self(level))
        } else {
            None
        }
    }

    /// Returns the priority that has this [`Priority::level`]; for callers that store it in a byte.
    #[inline(always)]
    pub const fn from_stored(level: u8) -> Self {
        Self(level)
    }

    /// The number: [`Priority::COUNT`] for the idle thread, for others one below.
    pub const fn level(self) -> u8 {
        self.0
    }

    /// Returns the same priority, which is not the idle thread's. The compiler then knows that the
    /// level is no more than a ready thread's bits allow.
    #[inline(always)]
    pub const fn of_ready(self) -> Self {
        Self(self.0 & Self::BELOW_ALL)
    }

    /// Whether this is more urgent than `other`.
    #[inline(always)]
    pub const fn beats(self, other: Self) -> bool {
        self.0 < other.0
    }

    /// The more urgent of the two.
    #[inline(always)]
    pub const fn or_urgent(self, other: Self) -> Self {
        if other.beats(self) { other } else { self }
    }
}
