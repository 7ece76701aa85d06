//! Owns: the keys by which the seats of a cluster are compared. Must never know: the owners of
//! seats.

use super::SEATS;
use crate::Cpu;
use crate::Priority;
use crate::smp::Level;

/// How urgent a thread is, as a number: the less, the more urgent.
pub trait Urgency: Copy + PartialEq {
    /// The number.
    fn number(self) -> u64;
    /// The inverse of [`Urgency::number`], for a number that is not less than that of `self`.
    fn of_later(self, number: u64) -> Self;
}

impl Urgency for Priority {
    #[inline(always)]
    fn number(self) -> u64 {
        self.level().into()
    }

    #[inline(always)]
    fn of_later(self, number: u64) -> Self {
        Self::from_stored(number as u8)
    }
}

impl Urgency for Level {
    #[inline(always)]
    fn number(self) -> u64 {
        self.0
    }

    // After one without a deadline all are without: that is then evident to the compiler.
    #[inline(always)]
    fn of_later(self, number: u64) -> Self {
        Self(number | self.0 & Self::BACKGROUND)
    }
}

/// A seat's key: how urgent its owner is, above the owner's turn, above the processor.
pub trait Key: Copy + Ord {
    /// That of a processor that the instance does not have: before all.
    const NONE: Self;
    /// The number that is said of a free seat.
    const FREE: u64;
    /// From one turn to the next: a turn is in the bits above the processor of the seat.
    const TURN: u64;

    /// Creates the key of an owner; its turn leaves the lowest bits free.
    fn new(urgency: u64, turn: u64) -> Self;
    /// Returns this key, which has no processor yet, at `cpu`.
    #[must_use]
    fn at(self, cpu: usize) -> Self;
    /// Returns this key, which is at `from`, at `to`.
    #[must_use]
    fn moved(self, from: usize, to: usize) -> Self;
    /// The processor of the seat.
    fn cpu(self) -> usize;
    /// The number of the owner; [`Key::FREE`] or more where there is none.
    fn urgency(self) -> u64;
    /// Whether there is an owner.
    #[inline(always)]
    fn is_owned(self) -> bool {
        self != Self::NONE && !self.is_free()
    }
    /// Whether the seat is free, where the instance has the processor.
    #[inline(always)]
    fn is_free(self) -> bool {
        self.urgency() >= Self::FREE
    }
}

impl Key for u64 {
    const NONE: Self = 0;
    const FREE: u64 = Priority::COUNT as u64;
    const TURN: u64 = SEATS as u64;

    #[inline(always)]
    fn new(urgency: u64, turn: u64) -> Self {
        urgency << super::LEVEL | turn
    }

    #[inline(always)]
    fn at(self, cpu: usize) -> Self {
        self | cpu as u64
    }

    #[inline(always)]
    fn moved(self, from: usize, to: usize) -> Self {
        self ^ (from ^ to) as u64
    }

    #[inline(always)]
    fn cpu(self) -> usize {
        (self & (Self::TURN - 1)) as usize
    }

    #[inline(always)]
    fn urgency(self) -> u64 {
        self >> super::LEVEL
    }
}

impl Key for u128 {
    const NONE: Self = 0;
    const FREE: u64 = Level::NONE.0;
    const TURN: u64 = Cpu::COUNT as u64;

    #[inline(always)]
    fn new(urgency: u64, turn: u64) -> Self {
        (urgency as Self) << u64::BITS | turn as Self
    }

    #[inline(always)]
    fn at(self, cpu: usize) -> Self {
        self | cpu as Self
    }

    #[inline(always)]
    fn moved(self, from: usize, to: usize) -> Self {
        self ^ (from ^ to) as Self
    }

    #[inline(always)]
    fn cpu(self) -> usize {
        (self as u64 & (Self::TURN - 1)) as usize
    }

    #[inline(always)]
    fn urgency(self) -> u64 {
        (self >> u64::BITS) as u64
    }
}
