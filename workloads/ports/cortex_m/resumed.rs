//! Owns: whether an interrupted thread continues as it was on Armv7-M and Armv8-M: with a
//! reservation, and in the midst of a load of several registers.

use super::LEFT;
use super::check;
use super::frames::{BELOW_BASIC, saved_at};
use super::returns::{doze, run};
use crate::Board;
use core::arch::{asm, naked_asm};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::System;

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
