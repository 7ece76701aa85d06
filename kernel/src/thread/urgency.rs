//! Owns: a thread's priorities, rank in the tree of time-outs and flags, in one word, so that the
//! frequent question "is there anything special about this thread?" is a single comparison.

use taktos_abi::layout;
use taktos_schedule::Priority;

/// From the lowest byte up: effective priority, base priority, rank in the tree of time-outs,
/// flags.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Urgency(u32);

const BASE: u32 = 8;
const LEVEL: u8 = layout::EFFECTIVE as u8;
const RANK: u32 = 16;
const SPECIAL: u32 = 0xFFFF_0000;

impl Urgency {
    /// The idle thread's, and that of a thread that does not exist.
    pub const IDLE: Self = Self::new(Priority::IDLE);
    /// The flag of a thread that was suspended and not resumed.
    pub const SUSPENDED: u32 = layout::SUSPENDED;
    /// The flag of a thread that runs, or ran last, on the turn of a more urgent one that sent to
    /// it.
    pub const LENT_TURN: u32 = 1 << 25;
    /// The flag of a control block that waits in a queue for a thread which waits for several
    /// objects. It is held and marked as one with a lent turn, too: so each way to wake a thread
    /// finds it special.
    pub const STANDS_IN: u32 = 1 << 27;
    /// The flag of a thread with an empty account: its partition's budget is used up.
    #[cfg(feature = "budgets")]
    pub const DEPLETED: u32 = layout::DEPLETED;
    /// The flags of a thread that is in no ring of ready ones though it waits for nothing.
    #[cfg(feature = "budgets")]
    pub const HELD: u32 = Self::SUSPENDED | Self::DEPLETED;
    /// The flag of a thread that is in no ring of ready ones though it waits for nothing.
    #[cfg(not(feature = "budgets"))]
    pub const HELD: u32 = Self::SUSPENDED;
    /// The mark of a thread that has a notification it has not taken: nothing special.
    pub const NOTIFIED: u32 = 1 << 14;
    /// The mark of a thread from which another one has waited to receive: nothing special.
    pub const RECEIVED_FROM: u32 = 1 << 15;
    /// The mark of a thread that is blocked sending or receiving with a buffer instead of words:
    /// nothing special, but it is next to the effective priority, so that no thread
    /// [`equals`](Self::equals) such a thread.
    pub const BYTES: u32 = 1 << 6;
    /// The mark, in addition to that one, of a thread with a buffer that is read in pieces, or that
    /// requested to be notified of such a one.
    pub const LONG: u32 = 1 << 7;
    /// Both.
    pub const BUFFER: u32 = Self::BYTES | Self::LONG;

    /// The flag of the idle thread, which is ready and in no ring.
    pub const IN_NO_RING: u32 = layout::IDLE;

    /// Base and effective priority `base`, no rank, no flag.
    pub const fn new(base: Priority) -> Self {
        let level = base.level() as u32;
        Self(level | level << BASE)
    }

    /// The priority by which the thread is scheduled now.
    #[inline(always)]
    pub const fn effective(self) -> Priority {
        Priority::from_stored(self.0 as u8 & LEVEL)
    }

    /// [`Self::effective`] of a thread that is ready or runs, which has no mark next to it.
    #[inline(always)]
    pub const fn of_ready(self) -> Priority {
        Priority::from_stored(self.0 as u8)
    }

    /// The priority that the thread has of its own.
    pub const fn base(self) -> Priority {
        Priority::from_stored((self.0 >> BASE) as u8 & LEVEL)
    }

    /// The rank in the tree of time-outs; 0 for a thread that is not in it.
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        (self.0 >> RANK) as u8
    }

    /// Whether the thread has a time-out running or a flag set.
    #[inline(always)]
    pub const fn is_special(self) -> bool {
        self.0 & SPECIAL != 0
    }

    /// Whether the thread has a time-out running or a flag set, or `word` is not 0: one question,
    /// where two would be two branches.
    #[inline(always)]
    pub const fn is_special_or(self, word: usize) -> bool {
        (self.0 >> SPECIAL.trailing_zeros()) as usize | word != 0
    }

    /// Whether this thread, which waits, has the effective priority of `running`, and no buffer.
    #[inline(always)]
    pub const fn equals(self, running: Self) -> bool {
        self.0 as u8 == running.0 as u8
    }

    /// Whether `flag` is set.
    #[inline(always)]
    pub const fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// Returns the word with `flag` set.
    pub const fn with(self, flag: u32) -> Self {
        Self(self.0 | flag)
    }

    /// Returns the word with `flag` cleared.
    pub const fn without(self, flag: u32) -> Self {
        Self(self.0 & !flag)
    }

    /// Returns the word with `flag` set if it was cleared, and cleared if it was set.
    #[inline(always)]
    pub const fn toggled(self, flag: u32) -> Self {
        Self(self.0 ^ flag)
    }

    /// Returns the word with another effective priority.
    pub const fn with_effective(self, priority: Priority) -> Self {
        Self(self.0 & !(LEVEL as u32) | priority.level() as u32)
    }

    /// Returns the word with another base priority.
    pub const fn with_base(self, priority: Priority) -> Self {
        Self(self.0 & !((LEVEL as u32) << BASE) | (priority.level() as u32) << BASE)
    }

    /// Returns the word with another rank.
    pub const fn with_rank(self, rank: u8) -> Self {
        Self(self.0 & !(0xFF << RANK) | (rank as u32) << RANK)
    }
}
