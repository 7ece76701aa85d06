//! Owns: the hand-written paths that switch from one thread to another: how a kernel call is made,
//! and the frame of a thread that has not run yet. The instructions are the architecture's.
//!
//! A kernel call is written into its caller by [`call`], which declares to the compiler that it
//! destroys nearly all registers: so the caller keeps what is alive on its stack, and only that,
//! and the entry has to save no more than the two registers that cannot be so declared, r6 and r7
//! (and r4, for the stack's alignment).
//!
//! Everywhere below, at the common tail: r0 names the thread to resume, r1 the thread to switch
//! out. Kernel-level interrupts are masked, and r4, r6, r7 and the return address are on the stack.
//! Instructions are ordered so that single loads and stores follow each other, which the processor
//! pipelines.

/// Lines from which on the laboratory counts the phase "switch": a label, numbered by a counter of
/// the assembler's, since the tail is laid out many times.
macro_rules! phase {
    () => {
        "
        .ifndef .Ltaktos_tails
        .set .Ltaktos_tails, 0
        .endif
        .set .Ltaktos_tails, .Ltaktos_tails + 1
        .altmacro
        .macro taktos_phase number
        \"taktos.phase.switch.\\number\":
        .endm
        taktos_phase %.Ltaktos_tails
        .purgem taktos_phase
        .noaltmacro"
    };
}

#[cfg(armv6m)]
#[macro_use]
mod armv6m;
#[cfg(not(armv6m))]
#[macro_use]
mod armv7m;

#[cfg(armv6m)]
use armv6m as instructions;
#[cfg(not(armv6m))]
use armv7m as instructions;

use core::arch::{asm, naked_asm};
use core::mem::offset_of;
#[cfg(not(armv6m))]
use instructions::stay;
#[cfg(not(armv6m))]
pub use instructions::{SYSTEM_TIMER, return_from_exception};
use instructions::{begin, behind_last, unusual, unusual_in_slice};
pub use instructions::{operands, start};
use taktos_abi::Timeout;
use taktos_arch_common::Outcome32;
use taktos_machine::{Context, Decision, Machine, Processor, Reply, StackRegion};

/// The register of interrupt control and state.
pub const INTERRUPT_CONTROL: u32 = 0xE000_ED04;
/// The bit that pends `PendSV`.
pub const PEND_SWITCH: u32 = 1 << 28;
/// The offset of the function that a switch calls if a slice begins with it.
pub const AT_SWITCH: usize = offset_of!(Processor, at_switch);
/// The number of the exception that is the first interrupt.
const FIRST_INTERRUPT: u32 = 16;

/// Calls an entry with the words given, and ends the mask after it. Every register is named as
/// destroyed that can be: r6 and r7, which cannot, the entry preserves.
///
/// The standard leaves floating-point registers to the caller, too. Where the interface has them,
/// the compiler warns of those that this processor does not have if it is given the standard's
/// list; elsewhere they may be in use all the same.
macro_rules! call_entry {
    ($entry:path, $($words:tt)*) => {
        asm!(
            "bl {entry}",
            end_of_mask!(),
            entry = sym $entry,
            $($words)*
            out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _, out("r12") _, out("lr") _,
            #[cfg(not(target_abi = "eabihf"))]
            clobber_abi("C"),
            #[cfg(target_abi = "eabihf")] out("d0") _,
            #[cfg(target_abi = "eabihf")] out("d1") _,
            #[cfg(target_abi = "eabihf")] out("d2") _,
            #[cfg(target_abi = "eabihf")] out("d3") _,
            #[cfg(target_abi = "eabihf")] out("d4") _,
            #[cfg(target_abi = "eabihf")] out("d5") _,
            #[cfg(target_abi = "eabihf")] out("d6") _,
            #[cfg(target_abi = "eabihf")] out("d7") _,
        )
    };
}

/// Defines how a kernel call is made through the entry `$entry`.
macro_rules! call {
    ($name:ident, $entry:ident) => {
        /// Takes the decision `D`: two words, of which the second is the value. Called with the
        /// mask set, which ends here.
        #[inline(always)]
        fn $name<M: Machine<Outcome = Outcome32>, D: Decision<M>>(
            object: &'static D::Object,
            argument: usize,
            timeout: Timeout,
        ) -> (usize, usize) {
            let (status, value);
            if D::USES_WORDS && D::USES_TIMEOUT {
                let low = timeout.bits() as u32;
                let high = (timeout.bits() >> 32) as u32;
                // SAFETY: the entry follows the procedure call standard except for the registers
                // named as destroyed.
                unsafe {
                    call_entry!(
                        $entry::<M, D>,
                        inlateout("r0") object => status,
                        inlateout("r1") argument => value,
                        inlateout("r2") low => _,
                        inlateout("r3") high => _,
                    );
                }
            } else if D::USES_WORDS {
                // SAFETY: as above; the decision does not look at the registers left out.
                unsafe {
                    call_entry!(
                        $entry::<M, D>,
                        inlateout("r0") object => status,
                        inlateout("r1") argument => value,
                        out("r2") _, out("r3") _,
                    );
                }
            } else {
                // SAFETY: as above; the decision does not look at the registers left out.
                unsafe {
                    call_entry!(
                        $entry::<M, D>,
                        inlateout("r0") object => status,
                        lateout("r1") value,
                        out("r2") _, out("r3") _,
                    );
                }
            }
            (status, value)
        }
    };
}

call!(take_waking, enter_waking);
call!(take_waking_in_slice, enter_waking_in_slice);
call!(take_blocking, enter_blocking);
call!(take_blocking_in_slice, enter_blocking_in_slice);
call!(yield_waking, switch_waking);
call!(yield_waking_in_slice, switch_waking_in_slice);
call!(yield_blocking, switch_blocking);
call!(yield_blocking_in_slice, switch_blocking_in_slice);

/// Takes the decision `D` through the entry that suits it. Called with the mask set.
#[inline(always)]
pub fn take<M: Machine<Outcome = Outcome32>, D: Decision<M>>(
    object: &'static D::Object,
    argument: usize,
    timeout: Timeout,
) -> (usize, usize) {
    let through = match (D::ALWAYS_SWITCHES, D::BLOCKS, D::KEEPS_SLICE) {
        (false, false, false) => take_waking::<M, D>,
        (false, false, true) => take_waking_in_slice::<M, D>,
        (false, true, false) => take_blocking::<M, D>,
        (false, true, true) => take_blocking_in_slice::<M, D>,
        (true, false, false) => yield_waking::<M, D>,
        (true, false, true) => yield_waking_in_slice::<M, D>,
        (true, true, false) => yield_blocking::<M, D>,
        (true, true, true) => yield_blocking_in_slice::<M, D>,
    };
    through(object, argument, timeout)
}

/// Takes the decision `D`, which reads no words, as the last thing of a function that C calls.
/// Called with the mask set.
#[inline(always)]
pub fn take_last<M: Machine<Outcome = Outcome32>, D: Decision<M>, R: Reply>(
    object: &'static D::Object,
) -> usize {
    // A function that only jumps here, as that of a yield does, would get a stack frame before
    // that. A path that is never taken and has a call removes that frame.
    if D::ALWAYS_SWITCHES {
        // SAFETY: no instructions.
        unsafe {
            asm!("@ {never}", never = label { return never() }, options(nomem, nostack, preserves_flags));
        }
    }
    match (D::ALWAYS_SWITCHES, D::BLOCKS, D::KEEPS_SLICE) {
        (false, false, false) => last_waking::<M, D, R>(object),
        (false, false, true) => last_waking_in_slice::<M, D, R>(object),
        (false, true, false) => last_blocking::<M, D, R>(object),
        (false, true, true) => last_blocking_in_slice::<M, D, R>(object),
        (true, false, false) => last_switch_waking::<M, D, R>(object),
        (true, false, true) => last_switch_waking_in_slice::<M, D, R>(object),
        (true, true, false) => last_switch_blocking::<M, D, R>(object),
        (true, true, true) => last_switch_blocking_in_slice::<M, D, R>(object),
    }
}

/// Looks like a call to the compiler.
#[inline(always)]
fn never() -> usize {
    let result;
    // SAFETY: no code comes here.
    unsafe { asm!("udf #0", out("r4") _, lateout("r0") result) }
    result
}

/// Defines an entry: the lines by which it begins, and how it is declared; `$stay` are the lines by
/// which it leaves where there is no switch. Both with their operands.
macro_rules! enter {
    (
        $name:ident, $blocks:literal, $unusual:ident, $slice:ident, [$($first:expr),*], [$($stay:expr),*],
        [$($behind:expr),*], [$($operand:tt)*],
        [$($reply:ident)?], ($($argument:ident: $type:ty),*) -> $result:ty
    ) => {
        /// Takes the decision `D`. Entered and left with the mask set: the caller ends the mask, or
        /// the code after the last call of a function does.
        #[unsafe(naked)]
        extern "C" fn $name<M: Machine<Outcome = Outcome32>, D: Decision<M> $(, $reply: Reply)?>(
            $($argument: $type),*
        ) -> $result {
            with_tail!([
                $($first,)*
                "push {{r4, r6, r7, lr}}",
                usual_or!("5f"),
                "bl {decide}",
                $($stay,)*
            ], $slice, [
                // After the tail, out of the fast path.
                "5:",
                concat!("movs r5, #", $blocks),
                "ldr r6, ={decide}",
                far!("unusual"),
                $($behind,)*
            ], [
                decide = sym D::decide,
                unusual = sym $unusual,
                $($operand)*
            ])
        }
    };
}

/// Defines all forms of an entry: with the question whether to switch at all, and without; called
/// where a thread switches away, and as the last call of a function that C calls. Registers that
/// such a function preserves, and the common tail does not, are above the frame that the tail
/// knows. The end of that frame leads to the code that restores them.
macro_rules! entries {
    ($blocks:literal: [$name:ident, $certain:ident], [$last:ident, $last_certain:ident], $unusual:ident, $slice:ident) => {
        entries!(@ $blocks: $name, $certain, $unusual, $slice, [], [],
            [], (object: &'static D::Object, argument: usize, timeout: Timeout) -> u64);
        entries!(@ $blocks: $last, $last_certain, $unusual, $slice, [save_for_last!("behind")],
            [behind = sym behind_last::<R>,], [R], (object: &'static D::Object) -> usize);
    };
    (@ $blocks:literal: $name:ident, $certain:ident, $unusual:ident, $slice:ident, $first:tt, [$($operand:tt)*], $reply:tt, $($declared:tt)*) => {
        // Odd: no switch.
        enter!($name, $blocks, $unusual, $slice, $first, [stay_if_odd!()], [behind_odd!()],
            [#[cfg(not(armv6m))] stay = sym stay, $($operand)*], $reply, $($declared)*);
        enter!($certain, $blocks, $unusual, $slice, $first, [], [], [$($operand)*], $reply, $($declared)*);
    };
}

// Decisions that never block, and those that may.
entries!(0: [enter_waking, switch_waking], [last_waking, last_switch_waking], unusual, slice);
entries!(0: [enter_waking_in_slice, switch_waking_in_slice], [last_waking_in_slice, last_switch_waking_in_slice], unusual_in_slice, keep);
entries!(1: [enter_blocking, switch_blocking], [last_blocking, last_switch_blocking], unusual, slice);
entries!(1: [enter_blocking_in_slice, switch_blocking_in_slice], [last_blocking_in_slice, last_switch_blocking_in_slice], unusual_in_slice, keep);

/// Frame on the stack of a thread that is not running, from low to high.
#[repr(C)]
struct Frame {
    r4: usize,
    r6: usize,
    r7: usize,
    resume_at: usize,
}

/// Lays out the frame of a thread that has not run yet.
pub fn prepare(
    context: &Context,
    stack: StackRegion,
    entry: extern "C" fn(usize, usize) -> !,
    first: usize,
    second: usize,
) {
    let frame = Frame {
        r4: first,
        r6: second,
        r7: entry as usize,
        resume_at: begin as *const () as usize,
    };
    let top = (stack.base + stack.size) & !7;
    let place = top - size_of::<Frame>();
    // SAFETY: within the thread's stack, which is not in use; a multiple of eight.
    unsafe { core::ptr::with_exposed_provenance_mut::<Frame>(place).write(frame) };
    context.stack_pointer.set(place);
}
