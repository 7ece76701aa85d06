//! Owns: the pieces of the hand-written paths that are others on several processors: the state lies in a static, and there
//! is no lock. Must never know: what the paths are for.

/// The state's address, in the register named; on several processors it is in tp already.
macro_rules! load_state_address {
    ($register:literal) => {
        concat!("la ", $register, ", {state}\n")
    };
}

/// A word of the state, whose address is in the register named where there is one processor.
macro_rules! of_state {
    ($word:literal, $register:literal) => {
        concat!($word, "(", $register, ")")
    };
}

/// Releases the one lock, where there is one. Destroys t2 and t3.
macro_rules! release {
    () => {
        ""
    };
}

/// Code of a naked function that names the state by `load_state_address!`.
macro_rules! with_state {
    ($($code:tt)*) => { core::arch::naked_asm!($($code)* state = sym $crate::state::STATE) };
}

pub(crate) use {load_state_address, of_state, release, with_state};
