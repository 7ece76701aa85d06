//! Owns: the processors' beginning and end, their counter and their sleep.
#![expect(unsafe_code, reason = "start-up code and processor registers")]

use core::arch::asm;
use core::sync::atomic::{AtomicBool, Ordering::SeqCst};

use super::{interrupts, sequence};

const PROCESSORS: usize = 4;

/// Processors that run: set by the processor that starts them, reset by themselves.
static RUNS: [AtomicBool; PROCESSORS] = [const { AtomicBool::new(false) }; PROCESSORS];

#[riscv_rt::entry]
fn entry() -> ! {
    sequence::first()
}

/// Returns whether this processor is the one that sets memory up; called by the start-up code. The
/// others wait here.
#[unsafe(no_mangle)]
extern "C" fn _mp_hook(processor: usize) -> bool {
    if processor == 0 {
        return true;
    }
    wait_for_start(processor)
}

fn wait_for_start(processor: usize) -> ! {
    interrupts::enable_calls();
    wait_for_interrupt();
    interrupts::end_call();
    sequence::other(processor)
}

pub(super) fn start_processor(processor: usize) {
    RUNS[processor].store(true, SeqCst);
    interrupts::call(processor);
}

pub(super) fn is_off(processor: usize) -> bool {
    !RUNS[processor].load(SeqCst)
}

pub(super) fn stop_this_processor() -> ! {
    let processor: usize;
    // SAFETY: reads this processor's number.
    unsafe { asm!("csrr {}, mhartid", out(reg) processor, options(nomem, nostack)) };
    RUNS[processor].store(false, SeqCst);
    wait_for_start(processor)
}

/// Ticks of the counter.
#[inline(always)]
pub(super) fn now() -> u64 {
    let ticks;
    // SAFETY: reads a counter.
    unsafe { asm!("rdtime {}", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// Ticks of the counter that the loops run: a millisecond; a tick is 100 ns.
pub(super) const SPAN: u64 = 10_000;

/// Turns of a loop from the tick `begin` on, for the span. A turn is four instructions in both
/// loops, and they divide the span: so it does not matter at which point of a turn the tick came.
pub(super) fn count_turns(begin: u64) -> u64 {
    let turns;
    // SAFETY: reads a counter.
    unsafe {
        asm!(
            ".option push",
            ".option norvc",
            "2:",
            "rdtime {now}",
            "nop",
            "nop",
            "bltu {now}, {begin}, 2b",
            "3:",
            "rdtime {now}",
            "addi {turns}, {turns}, 1",
            "nop",
            "bltu {now}, {end}, 3b",
            ".option pop",
            now = out(reg) _,
            turns = inout(reg) 0u64 => turns,
            begin = in(reg) begin,
            end = in(reg) begin + SPAN,
            options(nomem, nostack),
        );
    }
    turns
}

/// Halts until an interrupt waits; interrupts stay masked.
pub(super) fn wait_for_interrupt() {
    let mut waiting: u64;
    loop {
        // SAFETY: nothing but the halt, and a read of the interrupts that wait and may wake.
        unsafe {
            asm!("wfi", "csrr {0}, mip", "csrr {1}, mie", "and {0}, {0}, {1}",
                out(reg) waiting, out(reg) _, options(nostack));
        }
        if waiting != 0 {
            return;
        }
    }
}
