//! Owns: which processors of a cluster stopped idling, the last one first: such a one may not have looked yet.
//! Must never know: who has a seat.

use core::cell::Cell;

/// The processors that stopped idling and have not idled since.
pub trait Left {
    /// None has.
    const NONE: Self;
    /// The form in which they are told.
    type Told: Told;

    /// None has.
    fn clear(&self);
    /// `cpu` stopped idling.
    fn push(&self, cpu: usize);
    /// Takes out the last one. Any number where there is none.
    fn pop(&self) -> usize;
    /// All of them.
    fn told(&self) -> Self::Told;
}

/// The processors that stopped idling, as the tables are told them.
pub trait Told: From<u64> {
    /// Takes out the last one. Any number where there is none.
    fn pop(&mut self) -> usize;
}

/// The last one in the lowest eight bits.
impl Told for u64 {
    #[inline(always)]
    fn pop(&mut self) -> usize {
        let cpu = *self as u8;
        *self >>= u8::BITS;
        cpu.into()
    }
}

/// At most eight processors, the last one in the lowest eight bits.
impl Left for Cell<u64> {
    const NONE: Self = Self::new(0);
    type Told = u64;

    fn clear(&self) {
        self.set(0);
    }

    #[inline(always)]
    fn push(&self, cpu: usize) {
        self.set(self.get() << u8::BITS | cpu as u64);
    }

    #[inline(always)]
    fn pop(&self) -> usize {
        let left = self.get();
        self.set(left >> u8::BITS);
        left as usize
    }

    fn told(&self) -> u64 {
        self.get()
    }
}

/// The most that there are.
const MOST: usize = crate::Cpu::COUNT;

/// Any number of processors.
pub struct Stack {
    cpus: [Cell<u8>; MOST],
    depth: Cell<usize>,
}

impl Left for Stack {
    const NONE: Self = Self {
        cpus: [const { Cell::new(0) }; MOST],
        depth: Cell::new(0),
    };
    type Told = ToldStack;

    fn clear(&self) {
        self.depth.set(0);
    }

    #[inline(always)]
    fn push(&self, cpu: usize) {
        let depth = self.depth.get() % MOST;
        self.cpus[depth].set(cpu as u8);
        self.depth.set(depth + 1);
    }

    #[inline(always)]
    fn pop(&self) -> usize {
        let Some(depth) = self.depth.get().checked_sub(1) else {
            return 0;
        };
        self.depth.set(depth);
        self.cpus[depth % MOST].get().into()
    }

    fn told(&self) -> ToldStack {
        ToldStack {
            cpus: self.cpus.each_ref().map(Cell::get),
            depth: self.depth.get(),
        }
    }
}

/// The answer of a [`Stack`].
pub struct ToldStack {
    cpus: [u8; MOST],
    depth: usize,
}

impl From<u64> for ToldStack {
    fn from(told: u64) -> Self {
        let mut cpus = [0; MOST];
        let told = told.to_be_bytes();
        cpus[..told.len()].copy_from_slice(&told);
        Self {
            cpus,
            depth: told.len(),
        }
    }
}

impl Told for ToldStack {
    fn pop(&mut self) -> usize {
        self.depth = self.depth.saturating_sub(1);
        self.cpus[self.depth % MOST].into()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    fn all(mut told: impl Told, count: usize) -> Vec<usize> {
        (0..count).map(|_| told.pop()).collect()
    }

    #[test]
    fn a_stack_is_told_as_a_number_is_the_last_one_first() {
        let (few, many) = (<Cell<u64> as Left>::NONE, Stack::NONE);
        assert_eq!((few.pop(), many.pop()), (0, 0), "nobody has left");
        for cpu in [3, 1, 4, 1, 5] {
            few.push(cpu);
            many.push(cpu);
        }
        assert_eq!((few.pop() % 8, many.pop()), (5, 5));
        let (few, many) = (few.told(), many.told());
        assert_eq!(all(few, 4), [1, 4, 1, 3]);
        assert_eq!(all(many, 4), [1, 4, 1, 3]);
        assert_eq!(all(ToldStack::from(few), 4), [1, 4, 1, 3]);
    }

    #[test]
    fn a_stack_has_room_for_all_processors() {
        let stack = Stack::NONE;
        (0..MOST).for_each(|cpu| stack.push(cpu));
        let last_first: Vec<usize> = (0..MOST).rev().collect();
        assert_eq!(all(stack.told(), MOST), last_first);
        assert!((0..MOST).map(|_| stack.pop()).eq(last_first));
        stack.push(7);
        stack.clear();
        assert_eq!(stack.pop(), 0);
    }
}
