//! Owns: the way from an interrupt to its handler and back, and the handlers' stack.

use crate::board::Board;
use crate::memory;
use core::arch::asm;
use core::cell::Cell;
use taktos_arch_gicv2::Controller;

/// Handles an interrupt, at the kernel's level: it may call what does not block.
pub type Handler = fn();

/// The part of the address space, at its end, in which handlers' stacks and nothing else lie.
pub(crate) const INTERRUPT_STACKS_SIZE: usize = 1 << 20;
/// Where the stack begins, downwards.
pub(crate) const INTERRUPT_STACK_TOP: usize = 0xFFFF_0000;
/// The stack's size in bytes: two pages.
pub(crate) const INTERRUPT_STACK_SIZE: usize = 2 * memory::PAGE;

/// How many interrupts can have handlers: those that software sends, those of the processor, and 64
/// of devices.
pub const INTERRUPTS: u32 = 96;

struct Handlers([Cell<Option<Handler>>; INTERRUPTS as usize]);

// SAFETY: one word each, written before the interrupt is enabled, on the one processor.
unsafe impl Sync for Handlers {}

static HANDLERS: Handlers = Handlers([const { Cell::new(None) }; INTERRUPTS as usize]);

/// The board's interrupt controller.
#[inline(always)]
pub(crate) fn controller<B: Board>() -> Controller {
    // SAFETY: the board says where it is, and the map has it as a device; no other code uses it.
    unsafe { Controller::new(B::DISTRIBUTOR, B::PROCESSOR_INTERFACE) }
}

/// Makes `handler` handle the interrupt `number`, and lets it through.
pub(crate) fn set_handler<B: Board>(number: u32, handler: Handler) {
    if let Some(place) = HANDLERS.0.get(number as usize) {
        place.set(Some(handler));
        controller::<B>().enable(number);
    }
}

/// Keeps the interrupt `number` from its handler.
pub(crate) fn disable<B: Board>(number: u32) {
    if number < INTERRUPTS {
        controller::<B>().disable(number);
    }
}

/// Serves an interrupt, in its mode. Registers that a call does not preserve are then on the
/// handlers' stack. r0 is the current thread, r1 the heir, and the flag "equal" says whether they
/// are one. The code around has the operands `dispatch` and `processor`.
#[doc(hidden)]
#[macro_export]
macro_rules! serve_interrupt {
    () => {
        // The address of the instruction that was not executed. The stack stays aligned to eight
        // bytes. An exclusive access that was interrupted must begin again.
        "sub lr, lr, #4
         push {{r0-r3, r12, lr}}
         bl {dispatch}
         clrex
         movw r12, #:lower16:{processor}
         movt r12, #:upper16:{processor}
         ldrd r0, r1, [r12]
         cmp r0, r1"
    };
}

/// Where the vector of interrupts leads: the body of a naked function, which the board defines by
/// the name that the vector table has for it. (An alias of a generic function of this crate would
/// be none where the compiler makes several objects of the board.)
#[doc(hidden)]
#[macro_export]
macro_rules! interrupt_entry {
    ($board:ty) => {
        core::arch::naked_asm!(
            $crate::serve_interrupt!(),
            "pop {{r0-r3, r12, lr}}",
            "bne {preempt}",
            // Back, with CPSR as it was.
            "movs pc, lr",
            dispatch = sym $crate::entry::dispatch::<$board>,
            processor = sym $crate::TAKTOS_PROCESSOR,
            preempt = sym $crate::entry::preempt,
        )
    };
}

/// Serves one interrupt. If more are pending, the processor comes again at once.
pub extern "C" fn dispatch<B: Board>() {
    let Some(interrupt) = controller::<B>().acknowledge() else {
        return;
    };
    if let Some(handler) = HANDLERS.0.get(interrupt.number()).and_then(Cell::get) {
        handler();
    }
    // A handler that called the kernel comes back with the mask cleared. After the end of service
    // the mask alone keeps out the next interrupt.
    mask();
    controller::<B>().end(interrupt);
}

/// Masks kernel-level interrupts.
#[inline(always)]
pub(crate) fn mask() {
    // SAFETY: accesses to memory are not moved across.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) }
}

/// Ends the mask.
#[inline(always)]
pub(crate) fn unmask() {
    // SAFETY: as for `mask`; the module's head says why this is right in handlers too.
    unsafe { asm!("cpsie i", options(nostack, preserves_flags)) }
}

/// Masks kernel-level interrupts, wherever it is called; gives what was.
#[inline(always)]
pub(crate) fn mask_over() -> usize {
    let before;
    // SAFETY: masks, and remembers what was; accesses to memory are not moved across.
    unsafe {
        asm!("mrs {}, cpsr", "cpsid i", out(reg) before, options(nostack, preserves_flags));
    }
    before
}

/// Makes the mask what it was.
#[inline(always)]
pub(crate) fn restore(before: usize) {
    // SAFETY: puts the mask back; mode and state are what they were.
    unsafe {
        asm!("msr cpsr_c, {}", in(reg) before, options(nostack, preserves_flags));
    }
}

/// Whether the caller is a handler: it runs on the handlers' stack.
#[inline(always)]
pub(crate) fn in_handler() -> bool {
    let stack_pointer: usize;
    // SAFETY: reads a register.
    unsafe {
        asm!("mov {}, sp", out(reg) stack_pointer, options(nomem, nostack, preserves_flags));
    }
    stack_pointer >= INTERRUPT_STACKS_SIZE.wrapping_neg()
}

/// Gives IRQ mode its stack. The memory map is on; interrupts are masked.
pub(crate) fn set_stack() {
    const IRQ_MODE: u32 = 0x12;
    const SYSTEM_MODE: u32 = crate::switch::SYSTEM_MODE;
    // SAFETY: called once by the start, in system mode: sets a register of IRQ mode and comes back.
    unsafe {
        asm!(
            "cps #{irq}",
            "mov sp, {top}",
            "cps #{system}",
            irq = const IRQ_MODE,
            system = const SYSTEM_MODE,
            top = in(reg) INTERRUPT_STACK_TOP,
            options(nomem, preserves_flags),
        );
    }
}
