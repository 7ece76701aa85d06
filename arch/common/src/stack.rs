//! Owns: the stacks that a machine has in addition to the threads', and the guard below a stack.
//! Must never know: what runs on them.

use core::cell::UnsafeCell;

/// The bytes of a page: the smallest piece that can be protected.
pub const PAGE: usize = 4096;

/// The bytes below a stack that no code may access. They are more than the frame of any usual
/// function, since a larger frame passes over them. For AArch64 the compiler touches each page of a
/// large frame in turn, so that one is enough.
#[repr(C, align(4096))]
pub struct Guard([u8; Self::SIZE]);

impl Guard {
    /// How many bytes they are.
    pub const SIZE: usize = PAGE * if cfg!(target_arch = "aarch64") { 1 } else { 3 };
    /// Unused memory.
    pub const NEW: Self = Self([0; Self::SIZE]);

    /// The pages of a guard that begins at `guard`.
    #[inline(always)]
    pub fn pages(guard: usize) -> impl Iterator<Item = usize> {
        (guard..guard + Self::SIZE).step_by(PAGE)
    }
}

/// The stack of handlers, with a guard below it.
#[repr(C, align(4096))]
pub struct HandlerStack {
    guard: Guard,
    memory: UnsafeCell<[u8; Self::SIZE]>,
}

// SAFETY: the content is reached only by the code that makes it a processor's stack; here are its
// addresses.
unsafe impl Sync for HandlerStack {}

impl HandlerStack {
    const SIZE: usize = 4 * PAGE;
    /// The offset from the beginning of this value, guard included, at which the stack begins,
    /// downwards.
    pub const BEGIN: usize = size_of::<Self>();

    /// An unused stack.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NEW: Self = Self {
        guard: Guard::NEW,
        memory: UnsafeCell::new([0; Self::SIZE]),
    };

    /// Where the stack begins, downwards.
    pub fn top(&self) -> usize {
        self.memory.get().addr() + Self::SIZE
    }

    /// Writes `word` at the top, where it stays, and returns where the stack begins below it.
    ///
    /// # Safety
    /// Nothing uses the stack yet.
    pub unsafe fn top_below(&self, word: usize) -> usize {
        let place = self.memory.get().expose_provenance() + Self::SIZE - 16;
        // SAFETY: within the memory, which nothing uses by the caller's contract, and a multiple of
        // sixteen.
        unsafe { core::ptr::with_exposed_provenance_mut::<usize>(place).write(word) };
        place
    }

    /// The address of the guard.
    pub fn guard(&self) -> usize {
        core::ptr::from_ref(&self.guard).addr()
    }
}

/// The stack on which faults are reported: whatever stack faulted, this one is good.
#[repr(C, align(16))]
pub struct FaultStack(UnsafeCell<[u8; Self::SIZE]>);

// SAFETY: as for the stack of handlers.
unsafe impl Sync for FaultStack {}

impl FaultStack {
    /// How many bytes it has.
    pub const SIZE: usize = 8192;

    /// An unused stack.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NEW: Self = Self(UnsafeCell::new([0; Self::SIZE]));

    /// Where the stack begins, downwards.
    pub fn top(&self) -> usize {
        self.0.get().addr() + Self::SIZE
    }
}

/// The stacks of one of several processors.
#[repr(C, align(4096))]
pub struct OwnStacks {
    /// That of handlers.
    pub handlers: HandlerStack,
    /// That of reports of faults.
    pub faults: FaultStack,
}

/// The stacks of `N` processors, in the order of their numbers.
#[repr(transparent)]
pub struct Stacks<const N: usize>([OwnStacks; N]);

impl<const N: usize> Stacks<N> {
    /// Unused stacks.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        Self(
            [const {
                OwnStacks {
                    handlers: HandlerStack::NEW,
                    faults: FaultStack::NEW,
                }
            }; N],
        )
    }
}

unsafe extern "C" {
    /// The first of the board's stacks, which `smp!` makes.
    static taktos_stacks: OwnStacks;
}

/// The stacks of the processor `number`, of `count`.
///
/// # Safety
/// The board has made `count` sets of stacks.
#[inline(always)]
pub unsafe fn stacks_of(number: usize, count: usize) -> &'static OwnStacks {
    assert!(number < count, "there is no such processor");
    // SAFETY: within the board's stacks, as the caller says.
    unsafe { &*(&raw const taktos_stacks).add(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_lies_directly_below_the_stack_of_handlers() {
        static STACKS: Stacks<2> = Stacks::new();
        for OwnStacks { handlers, faults } in &STACKS.0 {
            assert_eq!(handlers.guard() % PAGE, 0);
            assert_eq!(
                handlers.top() - HandlerStack::SIZE,
                handlers.guard() + Guard::SIZE
            );
            assert_eq!(handlers.top(), handlers.guard() + HandlerStack::BEGIN);
            assert_eq!(faults.top() % 16, 0);
        }
        let second = STACKS.0[1].handlers.guard();
        assert!(second >= STACKS.0[0].faults.top());
    }
}
