//! Owns: whether an interrupted thread continues as it was when the call of another thread switches
//! to it: under interrupts that wait for the mask's end, with a reservation, and in the midst of a
//! load of several registers.

use super::frames::{BELOW_BASIC, saved_at};
use super::registers::{spin_in_conditions, spin_with_registers};
use super::{LEFT, URGENT, Work, check, interrupts, labour};
use crate::Board;
use crate::board::interrupt;
use core::arch::{asm, naked_asm};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
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
fn run(start: impl Fn() -> bool, beside: fn()) {
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
            DEEPER.fetch_add(u32::from(now < preempted), Relaxed);
        }
    }
}

fn doze() {
    check("sleep", AnyThread::<Board>::sleep(3.micros()).is_ok());
}

/// Sets all flags, those of SIMD too, with which on Armv8-M a handler returns.
fn other_flags() {
    // SAFETY: changes the flags. msr apsr_nzcvqg, r0: the name is not for every target with
    // processors that have the bits.
    unsafe { asm!(".inst.w 0xf3808c00", in("r0") 0xF80F_0000_u32, options(nomem, nostack)) };
}

static WORD: AtomicUsize = AtomicUsize::new(0);
static RESERVED: AtomicU32 = AtomicU32::new(0);

/// Checks that a thread which resumes does not take the reservation of the thread that has switched
/// away for its own.
pub fn leave_no_reservation() {
    RESERVED.store(0, Relaxed);
    run(|| LEFT.start(store_reserved).is_ok(), reserve);
    Board::write("no reservation is left\n");
}

fn store_reserved() {
    let refused: u32;
    // SAFETY: two words of this test's own.
    unsafe {
        asm!(
            "ldrex {refused}, [{word}]",
            "2:",
            "ldr {refused}, [{reserved}]",
            "cmp {refused}, #0",
            "beq 2b",
            "strex {refused}, {word}, [{word}]",
            refused = out(reg) refused,
            word = in(reg) WORD.as_ptr(),
            reserved = in(reg) RESERVED.as_ptr(),
            options(nostack),
        );
    }
    check("a reservation of another thread's", refused == 1);
}

fn reserve() {
    loop {
        doze();
        RESERVED.store(1, Relaxed);
        // SAFETY: loads a word of this test's own.
        unsafe { asm!("ldrex {0}, [{1}]", out(reg) _, in(reg) WORD.as_ptr(), options(nostack)) };
    }
}

/// Each is that of a register that the load takes; together they are all bits by which a frame says
/// where a load continues.
const GOES_ON_AT: [usize; 4] = [1, 2, 4, 8];
const WORDS: [u32; 4] = [0x1111_0000, 0x2222_0000, 0x4444_0000, 0x8888_0000];

/// A load of several registers that was interrupted is gone on with by a handler, which alone can.
/// The emulator interrupts none: the frame is made to say so.
pub fn go_on_with_loads() {
    for _ in GOES_ON_AT {
        LOADS.fetch_add(1, Relaxed);
        run(|| LEFT.start(be_interrupted).is_ok(), interrupt_load);
    }
    Board::write("loads are gone on with\n");
}

static LOADS: AtomicUsize = AtomicUsize::new(0);

fn be_interrupted() {
    check("a load goes on", spin_before_load(&WORDS) == 0);
}

fn interrupt_load() {
    doze();
    let (place, status) = (saved_at(BELOW_BASIC + 6), saved_at(BELOW_BASIC + 7));
    let register = GOES_ON_AT[LOADS.load(Relaxed) - 1];
    // SAFETY: the frame of the other thread, which waits in `spin_before_load` for this.
    unsafe {
        place
            .cast_mut()
            .write_volatile(load as *const () as usize & !1);
        status
            .cast_mut()
            .write_volatile(status.read_volatile() | register << 12);
    }
    loop {
        doze();
    }
}

/// Waits to be sent to [`load`], with the registers loaded that an interrupted load may have
/// loaded.
#[unsafe(naked)]
extern "C" fn spin_before_load(words: &[u32; 4]) -> u32 {
    naked_asm!(
        "push {{r3-r11, lr}}",
        "ldr r11, ={unlike_status}",
        "ldmia r0, {{r1, r2, r4, r8}}",
        "2:",
        "b 2b",
        ".ltorg",
        unlike_status = const 0x1234_5678_u32,
    )
}

/// Loads, and checks whether a handler had returned here: its frame is at the place where r11 was
/// saved.
#[unsafe(naked)]
extern "C" fn load() {
    naked_asm!(
        "ldmia r0, {{r1, r2, r4, r8}}",
        "ldr r3, [sp, #-36]",
        "cmp r3, r11",
        "beq 3f",
        ".irp n, 1, 2, 4, 8",
        "ldr r3, [r0], #4",
        "cmp r3, r\\n",
        "bne 3f",
        ".endr",
        "movs r0, #0",
        "pop {{r3-r11, pc}}",
        "3:",
        "movs r0, #1",
        "pop {{r3-r11, pc}}",
    )
}
