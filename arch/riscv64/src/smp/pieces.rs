//! Owns: the pieces of the hand-written paths that differ from those for one processor. tp leads to
//! the processor's own block, and a path that switches or stays releases the one lock.
//! Must never know: the purpose of the paths.

/// A word of the state. With one processor, the state's address is in the register named.
macro_rules! of_state {
    ($word:literal, $register:literal) => {
        concat!($word, "(tp)")
    };
}

/// Releases the one lock, where there is one. Destroys t2.
/// Its first byte is the holder's alone; the fence makes all that the holder read and wrote come
/// before it.
macro_rules! release {
    () => {
        "ld t2, 32(tp)
         fence rw, w
         sb zero, 0(t2)\n"
    };
}

const _: () = assert!(core::mem::offset_of!(crate::state::State, lock) == 32);

// The state's address is in tp already.
pub(crate) use core::arch::naked_asm as with_state;
pub(crate) use taktos_arch_common::nothing as load_state_address;
pub(crate) use {of_state, release};
