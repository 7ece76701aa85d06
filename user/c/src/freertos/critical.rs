//! Owns: critical sections that nest, and the lock of the scheduler that does. Must never know:
//! objects.

use super::{Base, truth};
use crate::cmsis::interface;
use crate::cmsis::kernel::{osKernelLock, osKernelUnlock};
use crate::os::os;
use core::cell::Cell;
use taktos::System;
use taktos::board::Board;
use taktos_machine::Machine;

type Cpu = <Board as System>::Machine;
type Mask = <Cpu as Machine>::Mask;

/// How deep a program is in critical sections, and what the mask was before the first.
pub(crate) struct Critical {
    depth: Cell<usize>,
    before: Cell<Option<Mask>>,
}

impl Critical {
    #[cfg_attr(not(target_os = "none"), allow(dead_code))]
    /// In none.
    pub(crate) const fn new() -> Self {
        Self {
            depth: Cell::new(0),
            before: Cell::new(None),
        }
    }
}

interface! {
    /// Masks the kernel and all interrupts with handlers that may call it, until
    /// `vPortExitCritical` was called as often. Allowed in handlers. No kernel call may be made
    /// meanwhile.
    #[allow(clippy::let_unit_value, reason = "what a machine remembers of its mask may be nothing")]
    fn vPortEnterCritical() {
        let before = Cpu::mask();
        let critical = &os().critical;
        if critical.depth.get() == 0 {
            critical.before.set(Some(before));
        }
        critical.depth.set(critical.depth.get() + 1);
    }

    /// Ends what `vPortEnterCritical` has begun. Without such a beginning: nothing.
    fn vPortExitCritical() {
        let critical = &os().critical;
        let Some(rest) = critical.depth.get().checked_sub(1) else {
            return;
        };
        critical.depth.set(rest);
        if rest == 0 && let Some(before) = critical.before.take() {
            Cpu::unmask(before);
        }
    }

    /// Lets no other task run until `xTaskResumeAll` was called as often; handlers do. A call that
    /// would wait meanwhile comes back at once.
    fn vTaskSuspendAll() {
        // SAFETY: no address is handed over.
        unsafe { osKernelLock() };
        os().lock_depth.set(os().lock_depth.get() + 1);
    }

    /// Ends the suspension by `vTaskSuspendAll`; 0: any thread that was to preempt the caller has
    /// run when the call returns.
    fn xTaskResumeAll() -> Base {
        match os().lock_depth.get() {
            0 => return truth(false),
            1 => {
                os().lock_depth.set(0);
                // SAFETY: no address is handed over.
                unsafe { osKernelUnlock() };
            }
            depth => os().lock_depth.set(depth - 1),
        }
        truth(false)
    }
}
