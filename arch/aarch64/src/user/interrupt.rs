//! Owns: interrupts that come while a thread of a partition runs, and the path to another thread
//! after them; stores of their handlers to the partition's read-only memory.
//! Must never know: which interrupt, why another thread resumes.
//!
//! No right of the tables is "EL0 reads, EL1 writes" (Arm ARM, D8.4): such a store faults, the
//! kernel's map is loaded, and the store is done again. The map is loaded back where the interrupt
//! ends. For that the place where it came is kept in memory, since an exception in the handler
//! takes the registers that have it.

use super::entry::leave;
use super::state::{INTERRUPTED, OFFSET, PC, REST, STACK};
use crate::interrupt::dispatch;
use crate::processors::entry::look_again;
use crate::processors::user::{kernel_map, own_map, with_kernel_map, with_own_map};
use crate::registers::{x2_to_x17, x18_to_x28};
use crate::switch::CALL_FRAME;
use crate::vectors::{end_interrupt, fault, keep_registers};
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_machine::Processor;

/// An interrupt while a thread of a partition ran.
#[unsafe(naked)]
pub extern "C" fn interrupt() {
    with_own_map!(
        keep_registers!(),
        "mrs x0, elr_el1",
        "mrs x1, spsr_el1",
        "stp x0, x1, [sp, #-16]!",
        "bl {dispatch}",
        "ldp x2, x3, [sp], #16",
        "msr elr_el1, x2",
        "tbnz x3, #{unloaded}, 5f",
        "4:",
        "msr spsr_el1, x3",
        // Current and heir.
        "mrs x0, tpidr_el1",
        "ldp x0, x1, [x0, #{current}]",
        "cmp x0, x1",
        look_again!(),
        end_interrupt!(),
        // The return, or the switch, is what has the map count.
        "5:",
        "and x3, x3, #{state}",
        own_map!(),
        "msr ttbr0_el1, x2",
        "b 4b",
        dispatch = sym dispatch,
        preempt = sym preempt,
        current = const offset_of!(Processor, current),
        unloaded = const UNLOADED,
        state = const !(1_u64 << UNLOADED),
    )
}

/// Bit in the saved state of the interrupted code that means nothing to the processor: set if the
/// kernel's map was loaded since.
const UNLOADED: usize = 63;
/// The offset of that state below the beginning of the handlers' stack.
const KEPT_STATE: usize = 160 + 8;
/// A store that the map forbids, by an instruction of EL1 (Arm ARM, `ESR_EL1`): the class, and
/// where it says so.
const DATA: usize = 0x25;
const STORE_AND_KIND: usize = 1 << 6 | 0x3C;
const FORBIDDEN_STORE: usize = 1 << 6 | 0x0C;
/// Where the number of an address space begins in `TTBR0_EL1`; the kernel's is zero.
const SPACE: usize = 48;

/// An exception that an instruction of a handler caused, or of the code that follows a handler. A
/// store that a partition's map forbids is done again in the kernel's map; all others are faults.
/// The stack is used only after those comparisons: it may be the cause of the fault.
#[unsafe(naked)]
pub extern "C" fn handler_fault() {
    with_kernel_map!(
        "msr tpidrro_el0, x0",
        "mrs x0, esr_el1",
        "lsr x0, x0, #26",
        "cmp x0, #{data}",
        "b.ne 1f",
        "mrs x0, esr_el1",
        "and x0, x0, #{store_and_kind}",
        "cmp x0, #{forbidden_store}",
        "b.ne 1f",
        "mrs x0, ttbr0_el1",
        "lsr x0, x0, #{space}",
        "cbz x0, 1f",
        "stp x1, x2, [sp, #-16]!",
        kernel_map!(),
        "ldr x2, [x1, #-{kept}]",
        "orr x2, x2, #{unloaded}",
        "str x2, [x1, #-{kept}]",
        "msr ttbr0_el1, x0",
        "ldp x1, x2, [sp], #16",
        // The return is what has the map count.
        "mrs x0, tpidrro_el0",
        "msr tpidrro_el0, xzr",
        "eret",
        "1:",
        "mrs x0, tpidrro_el0",
        "b {fault}",
        data = const DATA,
        store_and_kind = const STORE_AND_KIND,
        forbidden_store = const FORBIDDEN_STORE,
        space = const SPACE,
        kept = const KEPT_STATE,
        unloaded = const 1_u64 << UNLOADED,
        fault = sym fault,
    )
}

/// The rest of an interrupt after which another thread runs. All registers are the thread's, and
/// nothing is left on the handlers' stack, below which no code writes meanwhile.
#[unsafe(naked)]
extern "C" fn preempt() {
    naked_asm!(
        "stp x0, x1, [sp, #-16]",
        "mrs x0, tpidr_el1",
        "ldr x0, [x0, #{current}]",
        "add x0, x0, #{state}",
        "stp x19, x29, [x0]",
        "add x1, x0, #{rest}",
        x2_to_x17!("stp", "x1, #"),
        x18_to_x28!("stp", "x1, #"),
        "str x30, [x1, #224]",
        "ldp x2, x3, [sp, #-16]",
        "stp x2, x3, [x1]",
        "mrs x2, sp_el0",
        "mrs x3, tpidr_el0",
        "stp x2, x3, [x0, #{stack}]",
        "mrs x2, elr_el1",
        "mrs x3, spsr_el1",
        "orr x3, x3, #{interrupted}",
        "stp x2, x3, [x0, #{pc}]",
        "msr spsel, #0",
        "mov sp, x0",
        "mrs x7, tpidr_el1",
        "ldr x1, [x7, #{current}]",
        "ldr x0, [x7, #{heir}]",
        // For a whole slice.
        "mov w23, #0",
        "b {leave}",
        leave = sym leave,
        state = const OFFSET,
        rest = const CALL_FRAME + REST,
        stack = const CALL_FRAME + STACK,
        pc = const CALL_FRAME + PC,
        interrupted = const 1_u64 << INTERRUPTED,
        current = const offset_of!(Processor, current),
        heir = const offset_of!(Processor, heir),
    )
}
