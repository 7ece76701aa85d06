//! Owns: what notices that a thread has overrun its stack on Armv6-M, where no unit keeps it
//! within: a word below the stack. Must never know: when it is looked at.

use crate::processors;

/// A thread may have any address.
pub type Aligned = ();

/// There is nothing before its control block.
pub type Front<T> = crate::guard::Nothing<T>;

/// The data that the kernel keeps there elsewhere lie behind the stack.
pub type Back<T> = T;

/// Memory between a control block and its stack, which begins at a multiple of eight.
#[repr(C, align(8))]
pub struct Guard([u32; 2]);

impl Guard {
    /// Unused memory, but for the word.
    pub const NEW: Self = Self([INTACT, INTACT]);
    /// All zeros, until [`mark`].
    pub const ZEROED: Self = Self([0; 2]);
}

/// Writes the word into the memory at `guard`.
pub fn mark(guard: usize) {
    // SAFETY: the memory of a guard, of a thread that does not exist yet.
    unsafe { core::ptr::with_exposed_provenance_mut::<u32>(guard).write(INTACT) };
}

/// The offset of the word from the control block. An instruction reaches 124 bytes.
pub const CANARY: usize = 72;
/// The value of the word while the stack has not been overrun: one instruction compares a byte.
pub const INTACT: u32 = 0xA5;

/// There is no unit to be switched on.
pub fn enable() {}

/// Returns whether stacks have guards: none has.
pub const fn has_guards() -> bool {
    false
}

/// Forbids nothing.
pub fn forbid(_: usize) {}

/// The lowest address of the running thread's stack.
pub fn lowest_of_thread() -> usize {
    of_thread() + CANARY + size_of::<Guard>()
}

/// Whether the running thread has overrun its stack.
pub fn is_overrun() -> bool {
    let word = core::ptr::with_exposed_provenance::<u32>(of_thread() + CANARY);
    // SAFETY: a word of the thread's control block and guard, which are a static.
    unsafe { word.read_volatile() != INTACT }
}

fn of_thread() -> usize {
    processors::own().current.get().addr()
}
