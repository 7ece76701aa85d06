//! Owns: where traps lead, and the stacks that they use.

use crate::float::give_unit;
use crate::interrupt::{ENABLED, dispatch};
use crate::memory::{Guard, PAGE};
use crate::pieces::{load_state_address, of_state};
#[cfg(not(feature = "smp"))]
use crate::state::STATE;
use crate::state::State;
use crate::switch::preempt;
use core::arch::{asm, naked_asm};
use core::cell::UnsafeCell;
use core::mem::offset_of;
#[cfg(not(feature = "smp"))]
use taktos_machine::Processor;

/// The stack of handlers, with a guard below it.
#[repr(C, align(4096))]
pub(crate) struct HandlerStack {
    guard: Guard,
    memory: UnsafeCell<[u8; Self::SIZE]>,
}

// SAFETY: used by its processor alone, as the stack of handlers, which do not nest.
unsafe impl Sync for HandlerStack {}

impl HandlerStack {
    const SIZE: usize = 4 * PAGE;

    /// An unused stack.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NEW: Self = Self {
        guard: Guard::NEW,
        memory: UnsafeCell::new([0; Self::SIZE]),
    };

    /// Where the stack begins, downwards.
    pub fn top(&self) -> usize {
        self.memory.get().expose_provenance() + Self::SIZE
    }

    /// Where the stack begins, downwards, below a word that stays there: paths that have nothing but the stack find it.
    #[cfg(feature = "smp")]
    pub fn top_below(&self, word: usize) -> usize {
        let place = self.top() - 16;
        // SAFETY: within the memory, and a multiple of sixteen; nothing uses the stack yet.
        unsafe { core::ptr::with_exposed_provenance_mut::<usize>(place).write(word) };
        place
    }

    /// The address of the guard.
    pub fn guard(&self) -> usize {
        core::ptr::from_ref(&self.guard).addr()
    }
}

/// The stack on which faults are reported: whatever stack faulted, this one is good.
#[repr(C, align(16))]
pub(crate) struct FaultStack(UnsafeCell<[u8; Self::SIZE]>);

// SAFETY: used by its processor alone, and what uses it never returns.
unsafe impl Sync for FaultStack {}

impl FaultStack {
    const SIZE: usize = 8192;
    /// How far from its lowest address the registers are collected; the stack begins there, downwards.
    const PLACE: usize = Self::SIZE - REGISTERS.next_multiple_of(16);

    /// An unused stack.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NEW: Self = Self(UnsafeCell::new([0; Self::SIZE]));

    /// Where the registers are collected.
    #[cfg(feature = "smp")]
    pub fn place(&self) -> usize {
        self.0.get().addr() + Self::PLACE
    }
}

#[cfg(not(feature = "smp"))]
pub(crate) static HANDLER_STACK: HandlerStack = HandlerStack::NEW;

#[cfg(not(feature = "smp"))]
static FAULTS: FaultStack = FaultStack::NEW;

unsafe extern "C" {
    /// The board's, by [`exceptions!`](crate::exceptions).
    fn taktos_fault();
}

/// Makes traps lead to [`trap`].
pub(crate) fn install() {
    // SAFETY: the handler is whole and aligned; called before interrupts are let through.
    unsafe {
        asm!(
            "csrw stvec, {}",
            in(reg) trap as *const () as usize,
            options(nostack, preserves_flags),
        );
    }
}

/// What a call does not keep, from the handlers' stack; the interrupted stack pointer last. `sscratch` is again the top.
macro_rules! restore {
    () => {
        "addi t0, sp, 144
         csrw sscratch, t0
         ld ra, 0(sp)
         ld t0, 8(sp)
         ld t1, 16(sp)
         ld t2, 24(sp)
         ld t3, 32(sp)
         ld t4, 40(sp)
         ld t5, 48(sp)
         ld t6, 56(sp)
         ld a0, 64(sp)
         ld a1, 72(sp)
         ld a2, 80(sp)
         ld a3, 88(sp)
         ld a4, 96(sp)
         ld a5, 104(sp)
         ld a6, 112(sp)
         ld a7, 120(sp)
         ld sp, 128(sp)"
    };
}

/// Serves an interrupt. Says whether another thread is to run: then the one lock is held.
///
/// # Safety
/// As of [`dispatch`].
#[cfg(feature = "smp")]
pub(crate) unsafe extern "C" fn dispatch_and_choose(cause: usize) -> bool {
    // SAFETY: the caller's. Behind `dispatch` interrupts are masked; a handler gives back the lock that it takes.
    unsafe {
        dispatch(cause);
        crate::smp::choose()
    }
}

/// Every trap.
#[unsafe(naked)]
pub(crate) extern "C" fn trap() {
    naked_asm!(
        ".p2align 2",
        // For the laboratory.
        ".globl \"taktos.point.interrupt\"",
        "\"taktos.point.interrupt\":",
        "csrrw sp, sscratch, sp",
        "beqz sp, 9f",
        "addi sp, sp, -144",
        "sd ra, 0(sp)",
        "sd t0, 8(sp)",
        "sd t1, 16(sp)",
        "sd t2, 24(sp)",
        "sd t3, 32(sp)",
        "sd t4, 40(sp)",
        "sd t5, 48(sp)",
        "sd t6, 56(sp)",
        "sd a0, 64(sp)",
        "sd a1, 72(sp)",
        "sd a2, 80(sp)",
        "sd a3, 88(sp)",
        "sd a4, 96(sp)",
        "sd a5, 104(sp)",
        "sd a6, 112(sp)",
        "sd a7, 120(sp)",
        "csrrw t0, sscratch, zero",
        "sd t0, 128(sp)",
        "csrr a0, scause",
        "bgez a0, 3f",
        // An interrupt. Handlers run with none enabled.
        "csrw sie, zero",
        "call {dispatch}",
        "li t0, {enabled}",
        "csrw sie, t0",
        #[cfg(not(feature = "smp"))]
        "ld t0, {current}(tp)",
        #[cfg(not(feature = "smp"))]
        "ld t1, {heir}(tp)",
        #[cfg(not(feature = "smp"))]
        "bne t0, t1, 2f",
        #[cfg(feature = "smp")]
        "bnez a0, 2f",
        restore!(),
        "sret",
        "2:",
        restore!(),
        "j {preempt}",
        // An instruction of a thread. The first one that is illegal may be a use of the floating-point unit.
        "3:",
        "li t0, 2",
        "bne a0, t0, 4f",
        load_state_address!("t1"),
        concat!("ld t0, ", of_state!("{float_in_use}", "t1")),
        "bnez t0, 4f",
        "call {give_unit}",
        restore!(),
        "sret",
        "4:",
        restore!(),
        "j {fault_in_thread}",
        // A handler's instruction: the stack pointer is where it was.
        "9:",
        "csrrw sp, sscratch, sp",
        "j {fault_in_handler}",
        #[cfg(not(feature = "smp"))]
        dispatch = sym dispatch,
        #[cfg(feature = "smp")]
        dispatch = sym dispatch_and_choose,
        preempt = sym preempt,
        give_unit = sym give_unit,
        #[cfg(not(feature = "smp"))]
        state = sym STATE,
        enabled = const ENABLED,
        float_in_use = const offset_of!(State, float_in_use),
        #[cfg(not(feature = "smp"))]
        current = const offset_of!(Processor, current),
        #[cfg(not(feature = "smp"))]
        heir = const offset_of!(Processor, heir),
        fault_in_thread = sym fault_in_thread,
        fault_in_handler = sym fault_in_handler,
    )
}

const REGISTERS: usize = 33 * 8;

/// Defines how the registers of a fault are collected; `sscratch` is not needed any more.
macro_rules! fault {
    ($name:ident, $in_handler:literal) => {
        #[unsafe(naked)]
        extern "C" fn $name() {
            naked_asm!(
                "csrw sscratch, t0",
                #[cfg(not(feature = "smp"))]
                "la t0, {stack} + {offset}",
                #[cfg(feature = "smp")]
                "ld t0, {stack}(tp)",
                ".irp n, 1,2,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                "sd x\\n, (\\n - 1) * 8(t0)",
                ".endr",
                "mv sp, t0",
                "csrr t1, sscratch",
                "sd t1, 4 * 8(sp)",
                "csrr t1, sepc",
                "sd t1, 31 * 8(sp)",
                "csrr t1, sstatus",
                "sd t1, 32 * 8(sp)",
                "mv a0, sp",
                "csrr a1, scause",
                "csrr a2, stval",
                concat!("li a3, ", $in_handler),
                "tail {report}",
                #[cfg(not(feature = "smp"))]
                stack = sym FAULTS,
                #[cfg(not(feature = "smp"))]
                offset = const FaultStack::PLACE,
                #[cfg(feature = "smp")]
                stack = const offset_of!(State, fault_stack),
                report = sym taktos_fault,
            )
        }
    };
}

fault!(fault_in_thread, 0);
fault!(fault_in_handler, 1);
