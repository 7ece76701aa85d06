//! Owns: the coroutines that stand for threads, and their stacks.
//! Must never know: threads, time, interrupts.
#![expect(
    unsafe_code,
    reason = "coroutines that are never resumed again, and the way back from one"
)]

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ptr;

/// The bytes of a coroutine's stack: address space, which becomes memory only where it is touched.
const STACK: usize = 256 * 1024;

struct Fibre {
    coroutine: Coroutine<(), (), Infallible, DefaultStack>,
    /// The way back out of the coroutine; null until it has run.
    yielder: *const Yielder<(), ()>,
}

/// The coroutines of one world. Each has a number, never used again.
pub struct Fibres {
    waiting: RefCell<BTreeMap<usize, Fibre>>,
    spare: RefCell<Vec<DefaultStack>>,
    newest: Cell<usize>,
    running: Cell<usize>,
    /// Whether the running one is not to run again.
    discarded: Cell<bool>,
    yielder: Cell<*const Yielder<(), ()>>,
}

impl Fibres {
    /// No coroutines.
    pub const fn new() -> Self {
        Self {
            waiting: RefCell::new(BTreeMap::new()),
            spare: RefCell::new(Vec::new()),
            newest: Cell::new(0),
            running: Cell::new(0),
            discarded: Cell::new(false),
            yielder: Cell::new(ptr::null()),
        }
    }

    /// Makes a coroutine that will run `body`, and names it.
    ///
    /// # Panics
    /// If the operating system has no memory for a stack.
    pub fn create<F: FnOnce() -> Infallible + 'static>(&'static self, body: F) -> usize {
        let spare = self.spare.borrow_mut().pop();
        let stack = spare
            .or_else(|| DefaultStack::new(STACK).ok())
            .expect("the operating system has no memory for another coroutine's stack");
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
            self.yielder.set(yielder);
            body()
        });
        let number = self.newest.get() + 1;
        self.newest.set(number);
        self.waiting.borrow_mut().insert(
            number,
            Fibre {
                coroutine,
                yielder: ptr::null(),
            },
        );
        number
    }

    /// Whether there is a coroutine `number`, be it `running` itself.
    pub fn has(&self, number: usize, running: usize) -> bool {
        number == running || self.waiting.borrow().contains_key(&number)
    }

    /// Runs the coroutine `number` until it suspends itself.
    ///
    /// # Panics
    /// If there is none of that number.
    pub fn resume(&self, number: usize) {
        let fibre = self.waiting.borrow_mut().remove(&number);
        let mut fibre = fibre.expect("a thread runs that was never prepared");
        self.running.set(number);
        self.yielder.set(fibre.yielder);
        fibre.coroutine.resume(());
        fibre.yielder = self.yielder.get();
        self.running.set(0);
        if self.discarded.take() {
            self.recycle(fibre);
        } else {
            self.waiting.borrow_mut().insert(number, fibre);
        }
    }

    /// Suspends the running coroutine.
    pub fn suspend(&self) {
        let yielder = self.yielder.get();
        // SAFETY: `resume` and the coroutine's first steps set the pointer to the running
        // coroutine's own yielder, which lives as long as its stack.
        unsafe { &*yielder }.suspend(());
    }

    /// Forgets the coroutine `number`, if there is one, wherever it is suspended.
    pub fn discard(&self, number: usize) {
        if number != 0 && number == self.running.get() {
            self.discarded.set(true);
            return;
        }
        let fibre = self.waiting.borrow_mut().remove(&number);
        if let Some(fibre) = fibre {
            self.recycle(fibre);
        }
    }

    /// Forgets all coroutines.
    pub fn clear(&self) {
        let fibres = std::mem::take(&mut *self.waiting.borrow_mut());
        for fibre in fibres.into_values() {
            self.recycle(fibre);
        }
    }

    fn recycle(&self, mut fibre: Fibre) {
        // SAFETY: the values on the stack are forgotten, not dropped; nothing outside points to it,
        // for the kernel's objects are statics. Heap memory that the coroutine owns leaks, as after
        // `mem::forget`.
        unsafe { fibre.coroutine.force_reset() };
        self.spare.borrow_mut().push(fibre.coroutine.into_stack());
    }
}
