//! Owns: the pieces of the hand-written paths that are others on several processors: the state lies in a static, and there
//! is no lock. Must never know: what the paths are for.

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

/// What a switch stores the present thread in, where it is not in x2 as the state's address: on one processor.
macro_rules! set_current {
    () => {
        "mrs x7, tpidr_el1
         str x0, [x7, #{current}]\n"
    };
}

/// Releases the one lock, where there is one; on several processors the register named holds the state's address. Destroys x9
/// and x10.
macro_rules! release {
    ($state:literal) => {
        ""
    };
}

/// The same where nobody has the state's address.
macro_rules! find_and_release {
    () => {
        ""
    };
}

/// Code of a naked function that names the state by `state_in!`.
macro_rules! with_state {
    ($($code:tt)*) => { core::arch::naked_asm!($($code)* state = sym $crate::state::STATE) };
}

pub(crate) use {find_and_release, release, set_current, state_in, with_state};
