//! Owns: whether an interrupted thread continues as it was when the call of another thread switches
//! to it, under interrupts that wait for the mask's end.

use super::frames::saved_at;
use super::registers::{spin_in_conditions, spin_with_registers};
use super::{LEFT, URGENT, Work, add, check, interrupts, labour};
use crate::Board;
use crate::board::interrupt;
use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{AnyThread, Span, System, Timeout};
use taktos_machine::Machine;

/// Without SIMD's flags: such a thread resumes without a handler if nothing else prevents that.
static SPINS: Work = Work {
    name: "interrupted again and again",
    act: spin_with_registers,
    rounds: 100,
    steps: 20,
    seed: 0xA5C0_4000,
};
static CONDITIONS: Work = Work {
    name: "interrupted again and again among conditions",
    act: spin_in_conditions,
    ..SPINS
};

/// How often an interrupt waits when the thread resumes, each time that it was preempted.
const TIMES: u32 = 20;
/// The bytes of a frame, by which the thread's stack may be deeper.
const FRAME: usize = 32;

/// How often the stack was deeper than when the thread was preempted.
static DEEPER: AtomicU32 = AtomicU32::new(0);

/// An interrupt that always pends when the mask ends puts one frame on the stack of the thread that
/// resumes, however often, and no register is lost.
pub fn hold_one_frame_more() {
    for work in [&SPINS, &CONDITIONS] {
        DEEPER.store(0, Relaxed);
        run(|| LEFT.start_with(labour, work).is_ok(), interrupt_again);
        check(
            "interrupted behind the mask's end",
            DEEPER.load(Relaxed) > 0,
        );
    }
    Board::write("frames do not pile up\n");
}

/// Runs a thread, and the urgent one next to it.
pub fn run(start: impl Fn() -> bool, beside: fn()) {
    check("beside", URGENT.start(beside).is_ok() && start());
    check("join", LEFT.join(Timeout::FOREVER).is_ok());
    check("delete", URGENT.delete().is_ok());
}

fn interrupt_again() {
    interrupts::will(|| check("resume", URGENT.resume().is_ok()));
    loop {
        doze();
        let preempted = saved_at(0).addr();
        for time in 0..TIMES {
            // The mask is not ended before the other thread resumes.
            <Board as System>::Machine::mask();
            interrupt::pend();
            if time % 2 == 0 {
                other_flags();
            }
            check("suspend", URGENT.suspend().is_ok());
            let now = saved_at(0).addr();
            check("frames pile up", now + FRAME >= preempted);
            add(&DEEPER, u32::from(now < preempted));
        }
    }
}

pub fn doze() {
    check("sleep", AnyThread::<Board>::sleep(3.micros()).is_ok());
}

/// Sets all flags, those of SIMD too, with which on Armv8-M a handler returns.
fn other_flags() {
    // SAFETY: changes the flags. msr apsr_nzcvqg, r0: the name is not for every target with
    // processors that have the bits.
    unsafe {
        asm!(
            #[cfg(target_has_atomic = "32")]
            ".inst.w 0xf3808c00",
            #[cfg(not(target_has_atomic = "32"))]
            "msr apsr, r0",
            in("r0") 0xF80F_0000_u32,
            options(nomem, nostack),
        );
    }
}
