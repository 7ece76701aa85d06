//! Owns: the exception vectors, which survive whatever this program does to itself. Must never
//! know: the details of that.

use crate::controller;
use crate::processor::{self, read, write};
use crate::user;
use core::arch::naked_asm;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Registers of the interrupted code.
#[repr(C)]
struct Frame {
    x: [u64; 31],
    elr: u64,
    spsr: u64,
    /// Address within the vector table's entry by which the exception came.
    entry: u64,
}

static EXCEPTIONS: AtomicU64 = AtomicU64::new(0);
/// ESR_EL1 of the last exception.
static SYNDROME: AtomicU64 = AtomicU64::new(0);
static INTERRUPTS: AtomicU64 = AtomicU64::new(0);
/// Time from which interrupts are not answered by further ones any more.
static END: AtomicU64 = AtomicU64::new(0);
/// Number of ticks after which the handler sets a timer that has come; [`NOT_AGAIN`]: not at all.
static AGAIN: AtomicU64 = AtomicU64::new(NOT_AGAIN);
/// Value that the handler sends after a software interrupt has come (ICC_SGI1R_EL1); zero: none.
static SENT_AGAIN: AtomicU64 = AtomicU64::new(0);
pub const NOT_AGAIN: u64 = u64::MAX;

/// Installs the vectors, and cancels further plans for interrupts.
pub fn install() {
    AGAIN.store(NOT_AGAIN, Relaxed);
    SENT_AGAIN.store(0, Relaxed);
    write!("vbar_el1", (vectors as extern "C" fn()) as usize as u64);
}

pub fn set_end(end: u64) {
    END.store(end, Relaxed);
}

/// Makes the handler set each timer that comes again, `ahead` ticks ahead; `None`: to an instant
/// that has long passed.
pub fn set_timers_again(ahead: Option<u64>) {
    AGAIN.store(ahead.unwrap_or(PAST), Relaxed);
}

pub fn send_again(value: u64) {
    SENT_AGAIN.store(value, Relaxed);
}

const PAST: u64 = u64::MAX - 1;

/// Returns the numbers of exceptions and interrupts so far.
pub fn counts() -> (u64, u64) {
    (EXCEPTIONS.load(Relaxed), INTERRUPTS.load(Relaxed))
}

/// Returns the cause of the last exception, as the processor reports it.
pub fn syndrome() -> u64 {
    SYNDROME.load(Relaxed)
}

/// The class (ESR_EL1.EC) of exceptions that continue after their instruction by themselves.
const CALL: u64 = 0x15;
/// SPSR_EL1: the level, zero for a user program; this program's own state.
const LEVEL: u64 = 0xF;
const KERNEL: u64 = 0x3C5;
/// The bytes of an entry of the table.
const ENTRY: u64 = 128;
/// Addresses of the program.
const IMAGE: core::ops::Range<u64> = 0x4020_0000..0x4080_0000;

extern "C" fn exception(frame: &mut Frame) {
    EXCEPTIONS.fetch_add(1, Relaxed);
    SYNDROME.store(read!("esr_el1"), Relaxed);
    if frame.spsr & LEVEL == 0 {
        let vectors = (vectors as extern "C" fn()) as usize as u64;
        let came = user::Came {
            entry: (frame.entry - vectors) / ENTRY,
            syndrome: read!("esr_el1"),
            at: frame.elr,
            x0: frame.x[0],
        };
        (frame.elr, frame.spsr) = (user::came(came), KERNEL);
        return;
    }
    if !IMAGE.contains(&frame.elr) || !frame.elr.is_multiple_of(4) {
        // A jump that led elsewhere: back to the code that jumped.
        frame.elr = frame.x[30];
    } else if read!("esr_el1") >> 26 != CALL {
        frame.elr += 4;
    }
}

extern "C" fn interrupt(_: &mut Frame) {
    INTERRUPTS.fetch_add(1, Relaxed);
    let number = controller::acknowledge();
    let now = processor::counter();
    let again = AGAIN.load(Relaxed);
    if now >= END.load(Relaxed) || again == NOT_AGAIN {
        processor::stop_timers();
    } else {
        let at = if again == PAST { 0 } else { now + again };
        match number {
            27 => processor::set_virtual_timer(at),
            30 => processor::set_physical_timer(at),
            _ => {}
        }
    }
    let sent = SENT_AGAIN.load(Relaxed);
    if number < 16 && sent != 0 && now < END.load(Relaxed) {
        controller::send(sent);
    }
    controller::end(number);
}

/// Counts an error that comes late: there is no instruction to continue after.
extern "C" fn error(_: &mut Frame) {
    EXCEPTIONS.fetch_add(1, Relaxed);
}

/// Four kinds of exceptions (synchronous, interrupt, fast interrupt, error) from four places (this
/// level with either stack pointer, the level below in either state). All come with this program's
/// stack, or with that of EL1 from below.
#[unsafe(naked)]
#[unsafe(link_section = ".text.vectors")]
extern "C" fn vectors() {
    naked_asm!(
        ".balign 2048",
        ".rept 4",
        ".balign 128",
        "sub sp, sp, #272",
        "stp x0, x1, [sp]",
        "adr x1, .",
        "str x1, [sp, #264]",
        "adrp x0, {exception}",
        "add x0, x0, :lo12:{exception}",
        "b 2f",
        ".balign 128",
        "sub sp, sp, #272",
        "stp x0, x1, [sp]",
        "adrp x0, {interrupt}",
        "add x0, x0, :lo12:{interrupt}",
        "b 2f",
        ".balign 128",
        "sub sp, sp, #272",
        "stp x0, x1, [sp]",
        "adrp x0, {interrupt}",
        "add x0, x0, :lo12:{interrupt}",
        "b 2f",
        ".balign 128",
        "sub sp, sp, #272",
        "stp x0, x1, [sp]",
        "adrp x0, {error}",
        "add x0, x0, :lo12:{error}",
        "b 2f",
        ".endr",
        "2:",
        "stp x2, x3, [sp, #16]",
        "stp x4, x5, [sp, #32]",
        "stp x6, x7, [sp, #48]",
        "stp x8, x9, [sp, #64]",
        "stp x10, x11, [sp, #80]",
        "stp x12, x13, [sp, #96]",
        "stp x14, x15, [sp, #112]",
        "stp x16, x17, [sp, #128]",
        "stp x18, x19, [sp, #144]",
        "stp x20, x21, [sp, #160]",
        "stp x22, x23, [sp, #176]",
        "stp x24, x25, [sp, #192]",
        "stp x26, x27, [sp, #208]",
        "stp x28, x29, [sp, #224]",
        "mrs x1, elr_el1",
        "stp x30, x1, [sp, #240]",
        "mrs x1, spsr_el1",
        "str x1, [sp, #256]",
        "mov x1, x0",
        "mov x0, sp",
        "blr x1",
        "ldr x1, [sp, #256]",
        "msr spsr_el1, x1",
        "ldp x30, x1, [sp, #240]",
        "msr elr_el1, x1",
        "ldp x28, x29, [sp, #224]",
        "ldp x26, x27, [sp, #208]",
        "ldp x24, x25, [sp, #192]",
        "ldp x22, x23, [sp, #176]",
        "ldp x20, x21, [sp, #160]",
        "ldp x18, x19, [sp, #144]",
        "ldp x16, x17, [sp, #128]",
        "ldp x14, x15, [sp, #112]",
        "ldp x12, x13, [sp, #96]",
        "ldp x10, x11, [sp, #80]",
        "ldp x8, x9, [sp, #64]",
        "ldp x6, x7, [sp, #48]",
        "ldp x4, x5, [sp, #32]",
        "ldp x2, x3, [sp, #16]",
        "ldp x0, x1, [sp], #272",
        "eret",
        exception = sym exception,
        interrupt = sym interrupt,
        error = sym error,
    )
}
