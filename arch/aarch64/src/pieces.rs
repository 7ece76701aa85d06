//! Owns: the pieces of the hand-written paths that differ between one processor and several.
//! Must never know: what the paths are for.
//!
//! On one processor the state lies in a static; on several it is the processor's own block, to which `TPIDR_EL1`
//! leads, and whoever switches or stays releases the one lock.

/// The state's address, in the register named. The code around is in `with_state_and_lock!`.
#[cfg(not(feature = "smp"))]
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
#[cfg(feature = "smp")]
macro_rules! state_in {
    ($register:literal) => {
        concat!("mrs ", $register, ", tpidr_el1")
    };
}

/// Releases the one lock, where there is one. Destroys x9 and x10. The code around is in `with_lock!`.
#[cfg(not(feature = "smp"))]
macro_rules! release {
    () => {
        ""
    };
}
/// The holder alone writes the number that is served, so an addition in three steps does; the store makes all that the
/// holder read and wrote come before it.
#[cfg(feature = "smp")]
macro_rules! release {
    () => {
        "adrp x9, {lock}
         add x9, x9, :lo12:{lock}
         ldr w10, [x9]
         add w10, w10, #1
         stlr w10, [x9]\n"
    };
}

/// Code of a naked function that ends with `release!`.
#[cfg(not(feature = "smp"))]
macro_rules! with_lock {
    ($($code:tt)*) => { core::arch::naked_asm!($($code)*) };
}
#[cfg(feature = "smp")]
macro_rules! with_lock {
    ($($code:tt)*) => { core::arch::naked_asm!($($code)* lock = sym $crate::lock::LOCK) };
}

/// Code of a naked function that ends so, and names the state by `state_in!`.
#[cfg(not(feature = "smp"))]
macro_rules! with_state_and_lock {
    ($($code:tt)*) => { core::arch::naked_asm!($($code)* state = sym $crate::state::STATE) };
}
#[cfg(feature = "smp")]
macro_rules! with_state_and_lock {
    ($($code:tt)*) => { $crate::pieces::with_lock!($($code)*) };
}

pub(crate) use {release, state_in, with_lock, with_state_and_lock};
