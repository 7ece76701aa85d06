//! Owns: the processors of a cluster that stopped idling, the last one first: such a processor may
//! not have checked for its heir yet. Must never know: the owners of seats.

use core::cell::Cell;

/// The processors that stopped idling and have not idled since.
pub trait Left {
    /// None has.
    const NONE: Self;
    /// None has.
    fn clear(&self);
    /// `cpu` stopped idling.
    fn push(&self, cpu: usize);
    /// Takes out the last one. Any number where there is none.
    fn pop(&self) -> usize;
}

/// At most eight processors, the last one in the lowest eight bits.
impl Left for Cell<u64> {
    const NONE: Self = Self::new(0);

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
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    fn all(left: &impl Left, count: usize) -> Vec<usize> {
        (0..count).map(|_| left.pop() % MOST).collect()
    }

    #[test]
    fn a_stack_is_emptied_as_a_number_is_the_last_one_first() {
        let (few, many) = (<Cell<u64> as Left>::NONE, Stack::NONE);
        assert_eq!((few.pop(), many.pop()), (0, 0), "nobody has left");
        for cpu in [3, 1, 4, 1, 5] {
            few.push(cpu);
            many.push(cpu);
        }
        assert_eq!((few.pop() % 8, many.pop()), (5, 5));
        assert_eq!([few.pop() % 8, few.pop() % 8], [1, 4]);
        assert_eq!([few.pop() % 8, few.pop() % 8], [1, 3]);
        assert_eq!(all(&many, 4), [1, 4, 1, 3]);
    }

    #[test]
    fn a_stack_has_room_for_all_processors() {
        let stack = Stack::NONE;
        (0..MOST).for_each(|cpu| stack.push(cpu));
        let last_first: Vec<usize> = (0..MOST).rev().collect();
        assert_eq!(all(&stack, MOST), last_first);
        stack.push(7);
        stack.clear();
        assert_eq!(stack.pop(), 0);
    }
}
