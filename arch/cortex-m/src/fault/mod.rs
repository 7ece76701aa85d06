//! Owns: what happens at a fault exception.

#[cfg(armv6m)]
mod armv6m;
#[cfg(not(armv6m))]
mod armv7m;

#[cfg(armv6m)]
use armv6m as registers;
#[cfg(not(armv6m))]
use armv7m as registers;

#[cfg(canary)]
use core::arch::naked_asm;
#[cfg(not(armv6m))]
pub(crate) use registers::collect;
pub(crate) use registers::lost;
#[cfg(any(armv8m, all(canary, not(armv6m))))]
pub use registers::overflow_at_switch;
pub use registers::{Registers, report_fault};
use taktos_machine::{Cause, Fault, Upcalls};

unsafe extern "C" {
    // The board's, by [`exceptions!`](crate::exceptions).
    fn taktos_fault();
    /// Reports that the running thread has overrun its stack.
    #[cfg(canary)]
    pub fn taktos_overrun();
}

/// Reports that the running thread has overrun its stack, as its call of the kernel found. On the
/// stack of the handlers, none of which runs: the thread's own has no room.
#[cfg(canary)]
#[unsafe(naked)]
pub(crate) extern "C" fn overrun_at_call() {
    naked_asm!(
        "movs r2, #0",
        "msr control, r2",
        "isb",
        "bl {report}",
        report = sym taktos_overrun,
    )
}

/// Reports to the kernel that a handler above its level has called it.
pub fn report_forbidden_call<U: Upcalls>() -> ! {
    report::<U>(Cause::ForbiddenCall, true)
}

/// Reports to the kernel that the running thread has overrun its stack.
pub fn report_overrun<U: Upcalls>() -> ! {
    report::<U>(Cause::StackOverflow, false)
}

/// Reports to the kernel what no exception was raised for.
fn report<U: Upcalls>(cause: Cause, in_interrupt: bool) -> ! {
    U::fault(&Fault {
        cause,
        address: None,
        values: &[],
        names: "",
        status: None,
        in_interrupt,
    })
}
