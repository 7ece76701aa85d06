//! Owns: how an interrupt ends, and where reports of faults find their stack, on one of several
//! processors. Must never know: what is done there.

/// The end of an interrupt that has compared heir and current thread. Another heir may be none yet,
/// or may have been replaced by another processor since: that is looked at once more with the lock
/// held, which the switch then releases.
macro_rules! look_again {
    () => {
        "b.eq 2f
         bl {choose}
         cmp x0, #0
         2:"
    };
}

/// Code of a naked function that has `look_again!` in it.
macro_rules! with_choice {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            choose = sym taktos_arch_common::choose::<$crate::processors::Arm>,
        )
    };
}

/// Where the stack for faults begins, in x0. The code around is in `on_fault_stack!`.
macro_rules! fault_stack {
    () => {
        "mrs x0, tpidr_el1
         ldr x0, [x0, #{stack}]"
    };
}

/// Code of a naked function that names the stack by `fault_stack!`.
macro_rules! on_fault_stack {
    ($($code:tt)*) => {
        core::arch::naked_asm!(
            $($code)*
            stack = const core::mem::offset_of!($crate::state::State, fault_stack),
        )
    };
}

pub(crate) use {fault_stack, look_again, on_fault_stack, with_choice};
