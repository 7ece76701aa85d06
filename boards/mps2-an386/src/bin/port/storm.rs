//! Owns: interrupts above the kernel's level, which come all the time wherever the processor is, destroy
//! what handlers may destroy, and count where they came.

use crate::checks::{Timer, check};
use core::arch::naked_asm;
use core::ptr::{with_exposed_provenance_mut, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use mps2_an386::Board;
use taktos_kernel::System;

/// The first simple timer: CMSDK TRM (DDI 0479), section 4.2.
const BASE: usize = 0x4000_0000;
const CONTROL: usize = 0x0;
const VALUE: usize = 0x4;
const RELOAD: usize = 0x8;
const CLEAR: usize = 0xC;
const ENABLE: u32 = 1;
const INTERRUPT: u32 = 1 << 3;
/// Ticks of 40 ns. The handler makes it vary.
const SHORTEST_PERIOD: u32 = 61;

/// How often the handler came; how often while the kernel masked, and in the middle of another handler.
static CAME: AtomicU32 = AtomicU32::new(0);
static WHILE_MASKED: AtomicU32 = AtomicU32::new(0);
static IN_A_HANDLER: AtomicU32 = AtomicU32::new(0);

/// The interrupt of this timer is the board's urgent one.
pub const TIMER: Option<Timer> = Some(Timer {
    number: 8,
    begin,
    end,
    once,
    stop,
});

fn write(register: usize, value: u32) {
    // SAFETY: registers of the timer that the board leaves to the program.
    unsafe { write_volatile(with_exposed_provenance_mut(BASE + register), value) }
}

fn begin() {
    write(RELOAD, SHORTEST_PERIOD);
    write(CONTROL, ENABLE | INTERRUPT);
}

/// The storm must have come everywhere; then it was not masked anywhere.
fn end() {
    write(CONTROL, 0);
    check("the storm came", CAME.load(Relaxed) > 1000);
    check(
        "it came while the kernel masked",
        WHILE_MASKED.load(Relaxed) > 100,
    );
    check("it came in handlers", IN_A_HANDLER.load(Relaxed) > 100);
    Board::write("interrupts above the kernel's level come everywhere\n");
}

/// Lets the timer's interrupt come once, after so many ticks.
fn once(ticks: u32) {
    write(VALUE, ticks);
    write(RELOAD, ticks);
    write(CONTROL, ENABLE | INTERRUPT);
}

/// Ends that.
fn stop() {
    write(CONTROL, 0);
    write(CLEAR, 1);
}

/// How often the handler came.
pub fn count() -> u32 {
    CAME.load(Relaxed)
}

/// Every second time it destroys floating-point registers too, which the processor has to save for it.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn taktos_urgent_interrupt() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "mov r12, #{timer}",
        "movs r1, #1",
        "str r1, [r12, #{clear}]",
        "ldr r2, ={came}",
        "ldr r3, [r2]",
        "adds r3, r3, #1",
        "str r3, [r2]",
        "and r1, r3, #31",
        "adds r1, r1, #{period}",
        "str r1, [r12, #{reload}]",
        // The mask that it found is what the board's vector keeps in r4.
        "cbz r4, 2f",
        "ldr r2, ={masked}",
        "ldr r1, [r2]",
        "adds r1, r1, #1",
        "str r1, [r2]",
        "2:",
        // Where the interrupt came lies on the stack, since the board's vector has called this.
        "ldr r1, [sp, #4]",
        "tst r1, #8",
        "bne 3f",
        "ldr r2, ={nested}",
        "ldr r1, [r2]",
        "adds r1, r1, #1",
        "str r1, [r2]",
        "3:",
        "lsls r3, r3, #31",
        "bmi 4f",
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov s\\n, r2",
        ".endr",
        "mvn r3, #0",
        "vmsr fpscr, r3",
        "4:",
        "mvn r0, #0",
        "mvn r1, #0",
        "mvn r2, #0",
        "mvn r3, #0",
        "mvn r12, #0",
        "msr apsr_nzcvqg, r0",
        "bx lr",
        ".ltorg",
        timer = const BASE,
        clear = const CLEAR,
        reload = const RELOAD,
        period = const SHORTEST_PERIOD,
        came = sym CAME,
        masked = sym WHILE_MASKED,
        nested = sym IN_A_HANDLER,
    )
}
