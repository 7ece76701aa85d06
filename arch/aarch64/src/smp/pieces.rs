//! Owns: the pieces of the hand-written paths that differ from those for one processor. `TPIDR_EL1`
//! leads to the processor's own block, and a path that switches or stays releases the one lock.
//! Must never know: the purpose of the paths.

/// The state's address, in the register named. The code around is in `with_state!`.
macro_rules! state_in {
    ($register:literal) => {
        concat!("mrs ", $register, ", tpidr_el1")
    };
}

/// Stores the present thread at a switch: by x2, which has the state's address. On one processor
/// the place is not in x2.
macro_rules! set_current {
    () => {
        "str x0, [x2, #{current}]\n"
    };
}

/// Releases the one lock, where there is one; on several processors the register named holds the
/// state's address. Destroys x9. Its first byte is the holder's alone; the store makes all that the
/// holder read and wrote come before it.
macro_rules! release {
    ($state:literal) => {
        concat!("ldr x9, [", $state, ", #32]\n stlrb wzr, [x9]\n")
    };
}

const _: () = assert!(core::mem::offset_of!(crate::state::State, lock) == 32);
const _: () = assert!(core::mem::offset_of!(taktos_machine::Processor, current) == 0);
const _: () = assert!(core::mem::offset_of!(taktos_machine::Processor, heir) == 8);

/// Takes the one lock for the thread that calls; the register named holds the processor's address.
/// Continues at the label 44, without the lock, if other processors have decided that the thread is
/// preempted. The stack pointer is the handlers'. Destroys x9 to x11 and x30; `wait` is
/// `wait_for_lock`.
macro_rules! take {
    ($processor:literal) => {
        concat!(
            "ldp x9, x10, [",
            $processor,
            ", #32]
             41:
             ldaxr w11, [x9]
             cbnz w11, 42f
             stxr w11, w10, [x9]
             cbnz w11, 41b
             43:
             ldp x10, x11, [",
            $processor,
            "]
             cmp x10, x11
             b.eq 45f
             ldr x9, [",
            $processor,
            ", #32]
             stlrb wzr, [x9]
             b 44f
             42:
             bl {wait}
             b 43b
             45:\n"
        )
    };
}

/// Releases the one lock if no register has the state's address.
macro_rules! find_and_release {
    () => {
        concat!("mrs x9, tpidr_el1\n", $crate::pieces::release!("x9"))
    };
}

// Nothing is to be named.
pub(crate) use core::arch::naked_asm as with_state;
pub(crate) use {find_and_release, release, set_current, state_in, take};
