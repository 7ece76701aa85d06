//! Owns: the pieces of the hand-written paths that differ on several processors: here the state is
//! in a static, and there is no lock. Must never know: what the paths are for.

/// The state's address, in the register named; on several processors it is in tp already.
macro_rules! load_state_address {
    ($register:literal) => {
        concat!("la ", $register, ", {state}\n")
    };
}

/// A word of the state. With one processor, the state's address is in the register named.
macro_rules! of_state {
    ($word:literal, $register:literal) => {
        concat!($word, "(", $register, ")")
    };
}

/// Code of a naked function that names the state by `load_state_address!`.
macro_rules! with_state {
    ($($code:tt)*) => { core::arch::naked_asm!($($code)* state = sym $crate::state::STATE) };
}

// There is no lock to release.
pub(crate) use taktos_arch_common::nothing as release;
pub(crate) use {load_state_address, of_state, with_state};
