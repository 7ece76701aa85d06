//! Owns: the hand-written paths that switch from one thread to another.
//!
//! Everywhere below, at the common tail: r0 names the thread to resume, r1 the thread to switch
//! out. Kernel-level interrupts are masked, and the stack holds a whole frame.

use crate::float::{leave_float, leave_float_in_slice};
use crate::interrupt::INTERRUPT_STACKS_SIZE;
use crate::state::STATE;
use core::arch::{asm, naked_asm};
use core::mem::offset_of;
use taktos_abi::{Error, Timeout};
use taktos_arch_common::{Outcome32, TAKTOS_PROCESSOR, switch_marks, with_context};
use taktos_machine::{Context, Decision, Machine, Processor, StackRegion};

/// The number of the mode in which threads run.
pub(crate) const SYSTEM_MODE: u32 = 0x1F;
/// That of the mode in which an interrupt comes.
const INTERRUPT_MODE: u32 = 0x12;

/// The first part of each switch. In r2 is the function to call if a slice begins, or zero. In r3
/// is a value that is not zero if there is floating-point state to save. The latency of the loads
/// is hidden by the pushes that follow. r12 is the state's address.
macro_rules! load_state {
    () => {
        "movw r12, #:lower16:{state}
         movt r12, #:upper16:{state}
         ldrd r2, r3, [r12]"
    };
}

/// The second part: r5 is the address that the tail stores to.
macro_rules! load_address {
    () => {
        "movw r5, #:lower16:{processor}
         movt r5, #:upper16:{processor}"
    };
}

/// The third part: a thread with floating-point state goes another way.
macro_rules! ask_for_float {
    () => {
        "cmp r3, #0
         bne {leave_float}"
    };
}

/// A time slice begins, where slices are on: before [`tail`], where the switch is not within one.
macro_rules! begin_slice {
    () => {
        "cmp r2, #0
         blne {switch_slice}"
    };
}

/// The end of each switch.
macro_rules! tail {
    () => {
        "str sp, [r1, #{stack_pointer}]
         ldr sp, [r0, #{stack_pointer}]
         // The laboratory sees the switch by this store.
         str r0, [r5, #{current}]
         // The answer, for a thread that called the kernel.
         ldrd r0, r1, [r0, #{status}]
         // The mask ends after the call, or by the `rfe` of an interrupted thread: when this frame
         // is used up, so that frames cannot pile up under a burst of interrupts.
         pop {{r4-r12, pc}}"
    };
}

pub(crate) use {begin_slice, tail};

/// The thread of r1 is switched out for the thread of r0: calls r2, on the stack of interrupts,
/// which is empty. Keeps r0, r1 and r5. In system mode.
#[unsafe(naked)]
pub(crate) extern "C" fn switch_slice() {
    naked_asm!(
        "cps #{interrupt_mode}",
        "push {{r0, r1}}",
        "mov r3, r2",
        "mov r2, r0",
        "mov r0, r1",
        "mov r1, r2",
        "mov r2, #0",
        "blx r3",
        "pop {{r0, r1}}",
        "cps #{system_mode}",
        "bx lr",
        interrupt_mode = const INTERRUPT_MODE,
        system_mode = const SYSTEM_MODE,
    )
}

/// The switch after an entry: saves the caller in the thread of r1 and resumes the thread of r0,
/// for a whole slice. On the stack are r12 and the return address.
#[unsafe(naked)]
pub(crate) extern "C" fn switch() {
    with_context!([naked_asm]
        switch_marks!(),
        load_state!(),
        // The registers that the procedure call standard leaves to the callee.
        "push {{r4-r11}}",
        load_address!(),
        ask_for_float!(),
        begin_slice!(),
        tail!(),
        state = sym STATE,
        processor = sym TAKTOS_PROCESSOR,
        leave_float = sym leave_float,
        switch_slice = sym switch_slice,
    )
}

/// Like [`switch`], for the rest of the present slice.
#[unsafe(naked)]
pub(crate) extern "C" fn switch_in_slice() {
    with_context!([naked_asm]
        load_state!(),
        "push {{r4-r11}}",
        load_address!(),
        ask_for_float!(),
        tail!(),
        state = sym STATE,
        processor = sym TAKTOS_PROCESSOR,
        leave_float = sym leave_float_in_slice,
    )
}

/// Defines an entry: how to take a decision, with the switch that may follow.
macro_rules! enter {
    ($name:ident, $switch:expr $(, $word:ident: $type:ty)*) => {
        /// Takes the decision `D`. Entered and left with the mask set: the caller ends it.
        #[unsafe(naked)]
        pub(crate) extern "C" fn $name<M: Machine<Outcome = Outcome32>, D: Decision<M>>(
            object: &'static D::Object,
            $($word: $type,)*
        ) -> u64 {
            naked_asm!(
                // A decision that may block is not begun in a handler.
                ".if {blocks}",
                "cmn sp, #{interrupt_stacks}",
                "bcs {turn_away}",
                ".endif",
                // r12 keeps the stack aligned; decisions preserve r4 to r11, which are saved only
                // for a switch.
                "push {{r12, lr}}",
                "bl {decide}",
                // Odd: no switch.
                ".if {always_switches} == 0",
                "tst r0, #1",
                ".endif",
                ".if {blocks}",
                ".if {always_switches}",
                "b {switch}",
                ".else",
                "beq {switch}",
                ".endif",
                ".else",
                ".if {always_switches} == 0",
                "bne 2f",
                ".endif",
                "cmn sp, #{interrupt_stacks}",
                "bcc {switch}",
                // A handler's: the end of the interrupt switches. The answer is OK.
                "mov r0, #0",
                "mov r1, #0",
                "2:",
                ".endif",
                // Stay: the status is half of the odd word; the value is in r1.
                "lsr r0, r0, #1",
                "pop {{r12, pc}}",
                blocks = const D::BLOCKS as u32,
                always_switches = const D::ALWAYS_SWITCHES as u32,
                interrupt_stacks = const INTERRUPT_STACKS_SIZE,
                turn_away = sym turn_away,
                decide = sym D::decide,
                switch = sym $switch,
            )
        }
    };
}

enter!(enter, switch, argument: usize, timeout: Timeout);
enter!(enter_in_slice, switch_in_slice, argument: usize, timeout: Timeout);
// For decisions that do not look at the words, which are then not even set.
enter!(enter_without_words, switch);
enter!(enter_without_words_in_slice, switch_in_slice);

/// Returns the error for a handler that calls an operation that may block.
#[unsafe(naked)]
extern "C" fn turn_away() {
    naked_asm!(
        "mov r0, #{context}",
        "mov r1, #0",
        "bx lr",
        context = const Error::Context as u32,
    )
}

/// The rest of an interrupt after which another thread runs. In IRQ mode, with the interrupted
/// thread's registers as they were, lr and SPSR leading back to it, and nothing left on the
/// handlers' stack.
#[unsafe(naked)]
pub extern "C" fn preempt() {
    with_context!([naked_asm]
        // pc and CPSR go to the thread's stack, and so does the processor.
        "srsdb sp!, #{system_mode}",
        "cps #{system_mode}",
        "push {{r0-r3, r12, lr}}",
        // The rest of the frame is as a caller's, but that it leads to `resume_interrupted`.
        "movw lr, #:lower16:{resume_interrupted}",
        "movt lr, #:upper16:{resume_interrupted}",
        "push {{r4-r12, lr}}",
        // r0 is the heir's address, r1 that of the thread to switch out.
        load_state!(),
        load_address!(),
        "ldr r1, [r5, #{current}]",
        "ldr r0, [r5, #{heir}]",
        ask_for_float!(),
        begin_slice!(),
        tail!(),
        system_mode = const SYSTEM_MODE,
        resume_interrupted = sym resume_interrupted,
        state = sym STATE,
        processor = sym TAKTOS_PROCESSOR,
        leave_float = sym leave_float,
        switch_slice = sym switch_slice,
        heir = const offset_of!(Processor, heir),
    )
}

/// Where the frame of an interrupted thread leads: the registers that a call does not keep. Its
/// status register, and with it the end of the mask, comes by the last instruction.
#[unsafe(naked)]
extern "C" fn resume_interrupted() {
    naked_asm!("pop {{r0-r3, r12, lr}}", "rfeia sp!")
}

/// The registers of a thread that is not running, from low to high.
#[repr(C)]
struct Frame {
    r4_to_r11: [usize; 8],
    r12: usize,
    resume_at: usize,
}

/// Lays out the frame of a thread that has not run yet.
///
/// # Safety
/// `stack` is memory that nothing else is in.
pub(crate) unsafe fn prepare(
    context: &Context,
    stack: StackRegion,
    entry: extern "C" fn(usize, usize) -> !,
    [first, second]: [usize; 2],
) {
    let frame = Frame {
        r4_to_r11: [first, second, entry as usize, 0, 0, 0, 0, 0],
        r12: 0,
        resume_at: begin as *const () as usize,
    };
    let top = (stack.base + stack.size) & !7;
    let place = top - size_of::<Frame>();
    // SAFETY: within the stack, which the caller says is free; a multiple of eight.
    unsafe { core::ptr::with_exposed_provenance_mut::<Frame>(place).write(frame) };
    context.stack_pointer.set(place);
}

/// The first instructions of every thread.
#[unsafe(naked)]
extern "C" fn begin() {
    naked_asm!("cpsie i", "mov r0, r4", "mov r1, r5", "bx r6")
}

/// Leaves the start-up code, which runs in system mode with both kinds of interrupt masked, for
/// the current thread.
pub(crate) fn start() -> ! {
    // SAFETY: called once, with all set up; nothing of the present stack is used again. The first
    // thread's frame was written by `prepare`.
    unsafe {
        asm!(
            "ldr r0, [{processor}]",
            "ldr sp, [r0]",
            // From here on nothing masks fast interrupts, nor late errors of the bus. The thread's
            // first instructions end the mask of the others.
            "cpsie af",
            "pop {{r4-r12, pc}}",
            processor = in(reg) &raw const TAKTOS_PROCESSOR,
            options(noreturn),
        )
    }
}
