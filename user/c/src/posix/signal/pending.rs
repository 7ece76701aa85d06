//! Owns: signals that were sent and that nobody has got yet, in the order in which they were sent.
//! Must never know: who sends and who gets them.

use super::{Info, Set, bit};
use crate::object::Memory;
use crate::os::masked;
use core::cell::Cell;
use core::ptr::{self, NonNull};

/// A signal that was sent.
pub struct Node {
    info: Cell<Info>,
    next: Cell<Option<&'static Node>>,
    /// Whether it lies in the heap alone; else it is a timer's, which sends it again and again.
    is_own: bool,
    /// Whether it is in a list.
    is_pending: Cell<bool>,
    /// How often its timer has come to its end since it was sent, and how often that was so when it was got.
    overrun: Cell<u32>,
    overrun_when_got: Cell<u32>,
}

impl Node {
    /// One that a timer sends.
    pub fn of_timer(info: Info) -> Self {
        Self {
            is_own: false,
            ..Self::new(info)
        }
    }

    fn new(info: Info) -> Self {
        Self {
            info: Cell::new(info),
            next: Cell::new(None),
            is_own: true,
            is_pending: Cell::new(false),
            overrun: Cell::new(0),
            overrun_when_got: Cell::new(0),
        }
    }

    /// One in the heap; none where there is no memory.
    pub fn allocate(info: Info) -> Option<&'static Self> {
        let place = Memory::of_heap(size_of::<Self>())?.start.cast::<Self>();
        // SAFETY: memory of the heap for one, aligned for anything, which is nobody's yet.
        unsafe {
            place.write(Self::new(info));
            Some(place.as_ref())
        }
    }

    /// Gives its memory back, if it is its own.
    pub fn release(&'static self) {
        if self.is_own {
            let memory = Memory {
                start: NonNull::from(self).cast(),
                in_heap: true,
            };
            // SAFETY: it was allocated by `allocate`, and is in no list.
            unsafe { memory.free() };
        }
    }

    /// What the program is told of it.
    pub fn info(&self) -> Info {
        self.info.get()
    }

    /// Whether nobody has got it yet.
    pub fn is_pending(&self) -> bool {
        self.is_pending.get()
    }

    /// Its timer has come to its end again before anybody got it.
    pub fn count_overrun(&self) {
        self.overrun.update(|count| count.saturating_add(1));
    }

    /// How often that was so when it was got last.
    pub fn overrun(&self) -> u32 {
        self.overrun_when_got.get()
    }
}

/// A list of them.
pub struct Pending(Cell<Option<&'static Node>>);

impl Pending {
    /// An empty one.
    pub(crate) const fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Adds one, behind the others. Steps: those that are there.
    pub fn add(&self, node: &'static Node) {
        masked(|| {
            let mut place = &self.0;
            while let Some(other) = place.get() {
                place = &other.next;
            }
            node.is_pending.set(true);
            node.next.set(None);
            place.set(Some(node));
        });
    }

    /// The signals that are there.
    pub fn set(&self) -> Set {
        let mut set = 0;
        masked(|| {
            let mut next = self.0.get();
            while let Some(node) = next {
                set |= bit(node.info.get().number);
                next = node.next.get();
            }
        });
        set
    }

    /// Takes the first of those with the lowest number out of `wanted`.
    pub fn take(&self, wanted: Set) -> Option<&'static Node> {
        masked(|| {
            let mut best: Option<&'static Node> = None;
            let mut next = self.0.get();
            while let Some(node) = next {
                let number = node.info.get().number;
                let is_better = best.is_none_or(|best| number < best.info.get().number);
                if bit(number) & wanted != 0 && is_better {
                    best = Some(node);
                }
                next = node.next.get();
            }
            let best = best?;
            self.unlink(best);
            best.overrun_when_got.set(best.overrun.replace(0));
            Some(best)
        })
    }

    /// Takes `node` out, if it is there.
    pub fn remove(&self, node: &'static Node) {
        masked(|| self.unlink(node));
    }

    /// Masked.
    fn unlink(&self, node: &'static Node) {
        let mut place = &self.0;
        while let Some(other) = place.get() {
            if ptr::eq(other, node) {
                place.set(node.next.take());
                node.is_pending.set(false);
                return;
            }
            place = &other.next;
        }
    }
}
