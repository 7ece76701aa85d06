//! Owns: the pieces of the hand-written paths that are others on one processor: tp leads to the processor's own block, and
//! whoever switches or stays releases the one lock. Must never know: what the paths are for.

/// The state's address, in the register named; on several processors it is in tp already.
macro_rules! load_state_address {
    ($register:literal) => {
        ""
    };
}

/// A word of the state, whose address is in the register named where there is one processor.
macro_rules! of_state {
    ($word:literal, $register:literal) => {
        concat!($word, "(tp)")
    };
}

/// Releases the one lock, where there is one. Destroys t2.
/// Its first byte is the holder's alone; the fence makes all that the holder read and wrote come before it.
macro_rules! release {
    () => {
        "ld t2, 32(tp)
         fence rw, w
         sb zero, 0(t2)\n"
    };
}

const _: () = assert!(core::mem::offset_of!(crate::state::State, lock) == 32);

/// Code of a naked function that names the state by `load_state_address!`.
macro_rules! with_state {
    ($($code:tt)*) => { core::arch::naked_asm!($($code)*) };
}

pub(crate) use {load_state_address, of_state, release, with_state};
