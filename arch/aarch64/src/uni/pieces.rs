//! Owns: the pieces of the hand-written paths that differ on several processors: here the state is
//! in a static, and there is no lock. Must never know: what the paths are for.

/// The state's address, in the register named. The code around is in `with_state!`.
macro_rules! state_in {
    ($register:literal) => {
        concat!(
            "adrp ",
            $register,
            ", {state}\n add ",
            $register,
            ", ",
            $register,
            ", :lo12:{state}"
        )
    };
}

/// Stores the present thread at a switch. On one processor the place is not in x2, which has the
/// state's address.
macro_rules! set_current {
    () => {
        "mrs x7, tpidr_el1
         str x0, [x7, #{current}]\n"
    };
}

/// Code of a naked function that names the state by `state_in!`.
macro_rules! with_state {
    ($($code:tt)*) => { core::arch::naked_asm!($($code)* state = sym $crate::state::STATE) };
}

// There is no lock to release.
pub(crate) use taktos_arch_common::{nothing as find_and_release, nothing as release};
pub(crate) use {set_current, state_in, with_state};
