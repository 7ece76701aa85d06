//! Owns: the timer of a CMSDK that raises the board's urgent interrupt, and the handler of that
//! interrupt, which destroys what handlers may destroy, and counts where it came. Must never know:
//! the code that it interrupts.
//!
//! The program says how many ticks there are between two at least: `SHORTEST_PERIOD`.

use crate::SHORTEST_PERIOD;
use core::arch::naked_asm;
use core::ptr::{with_exposed_provenance_mut, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The first simple timer: CMSDK TRM (DDI 0479), section 4.2. Its ticks are of 40 ns.
const BASE: usize = 0x4000_0000;
const CONTROL: usize = 0x0;
const VALUE: usize = 0x4;
const RELOAD: usize = 0x8;
const CLEAR: usize = 0xC;
const ENABLE: u32 = 1;
const INTERRUPT: u32 = 1 << 3;

/// How often the handler came; how often while the kernel masked, and in the middle of another
/// handler.
static CAME: AtomicU32 = AtomicU32::new(0);
static WHILE_MASKED: AtomicU32 = AtomicU32::new(0);
static IN_A_HANDLER: AtomicU32 = AtomicU32::new(0);

fn write(register: usize, value: u32) {
    // SAFETY: registers of the timer that the board leaves to the program.
    unsafe { write_volatile(with_exposed_provenance_mut(BASE + register), value) }
}

/// Lets it come after `ticks` ticks, and then again and again, unless it is stopped: the handler
/// makes the period vary.
pub fn start(ticks: u32) {
    write(VALUE, ticks);
    write(RELOAD, ticks);
    write(CONTROL, ENABLE | INTERRUPT);
}

/// Lets it come no more.
pub fn stop() {
    write(CONTROL, 0);
    write(CLEAR, 1);
}

/// How often the handler came.
pub fn count() -> u32 {
    CAME.load(Relaxed)
}

/// How often while the kernel masked.
pub fn while_masked() -> u32 {
    WHILE_MASKED.load(Relaxed)
}

/// How often in the middle of another handler.
pub fn in_a_handler() -> u32 {
    IN_A_HANDLER.load(Relaxed)
}

/// Every second time it destroys floating-point registers too, which the processor has to save for
/// it.
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
        // The place of the interrupt is on the stack, since the board's vector has called this.
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
