//! Owns: whether handlers of several priorities below the kernel's mask nest and wake threads, without losing a register, and
//! whether one above it is turned away.

use super::float::nest_with_float;
use super::interrupts::{
    WOKEN, barrier, base_priority, in_handler, serve, serve_with_float, served,
};
use super::registers::nest_with_registers;
use super::{LEFT, Timer, URGENT, check, time};
use crate::board::Board;
use crate::storm;
use core::arch::{asm, naked_asm};
use core::cell::UnsafeCell;
use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_arch_cortex_m::{KERNEL_LEVEL, Level, above, enable_interrupt, pend_interrupt};
use taktos_kernel::{AnyThread, Error, EventFlags, Notify, Semaphore, State, System, Timeout};
use taktos_machine::Machine;

type Port = <Board as System>::Machine;

/// Interrupts that no device of the board has: the first of them, which nest, and the one above the kernel.
const FIRST: u16 = 20;
const ABOVE: u16 = FIRST + LEVELS.len() as u16;
/// From the lowest priority there is, that of the switch itself, to the kernel's level.
const LEVELS: [Level; 4] = [
    Level::Below(0xFF),
    Level::Below(0xC0),
    Level::Below(0xA0),
    Level::Kernel,
];

/// The table of vectors, as a program makes it that brings its own.
#[repr(C, align(512))]
struct Table(UnsafeCell<[usize; VECTORS]>);
const VECTORS: usize = if OWN > 16 + ABOVE as usize {
    OWN
} else {
    16 + ABOVE as usize + 1
};

// SAFETY: written by one thread, before the processor uses it.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new([0; VECTORS]));

/// The processor's register that names the table.
const TABLE_ADDRESS: usize = 0xE000_ED08;
/// Its memory protection unit's switch: the table lies where null leads to.
const PROTECTION: usize = 0xE000_ED94;
/// As many vectors as the board's own table has.
const OWN: usize = 16 + crate::INTERRUPTS;

above!(above_vector, called_from_above);

/// The vectors of those that nest.
const NESTED: core::ops::Range<usize> = 16 + FIRST as usize..16 + ABOVE as usize;

/// Whether that is the vector of the program's timer, which is here at the kernel's level.
fn is_of_timer(vector: usize) -> bool {
    storm::TIMER.is_some_and(|timer| vector == 16 + usize::from(timer.number))
}

fn use_own_table() {
    let register = with_exposed_provenance_mut::<usize>(TABLE_ADDRESS);
    let protection = with_exposed_provenance_mut::<usize>(PROTECTION);
    // SAFETY: copies the table in use, without protection for as long, and brings the copy into use when it is whole.
    unsafe {
        let protected = read_volatile(protection);
        write_volatile(protection, 0);
        let vectors = &mut *TABLE.0.get();
        let old = with_exposed_provenance::<usize>(read_volatile(register));
        for (number, vector) in vectors.iter_mut().enumerate() {
            *vector = match number {
                _ if is_of_timer(number) => take_back as *const () as usize,
                nested if NESTED.contains(&nested) => handler as *const () as usize,
                above if above == 16 + ABOVE as usize => above_vector as *const () as usize,
                own if own < OWN => read_volatile(old.add(number)),
                _ => handler as *const () as usize,
            };
        }
        write_volatile(protection, protected);
        asm!("dsb", options(nostack, preserves_flags));
        write_volatile(register, TABLE.0.get().expose_provenance());
    }
    barrier();
}

/// Fills the registers that a handler must keep, acts, lets time pass, and looks whether they are the same.
#[unsafe(naked)]
extern "C" fn handler() {
    naked_asm!(
        "push {{r3-r11, lr}}",
        "mrs r0, ipsr",
        "lsl r0, r0, #8",
        ".irp n, 4,5,6,7,8,9,10,11",
        "add r\\n, r0, #\\n",
        ".endr",
        "bl {act}",
        ".rept 50",
        "nop",
        ".endr",
        "mrs r0, ipsr",
        "lsl r0, r0, #8",
        ".irp n, 4,5,6,7,8,9,10,11",
        "sub r1, r\\n, #\\n",
        "cmp r1, r0",
        "bne 2f",
        ".endr",
        "pop {{r3-r11, pc}}",
        "2:",
        "bl {broken}",
        "pop {{r3-r11, pc}}",
        act = sym act,
        broken = sym broken,
    )
}

extern "C" fn broken() {
    check("a handler keeps its registers", false);
}

static DEPTH: AtomicU32 = AtomicU32::new(0);
static DEEPEST: AtomicU32 = AtomicU32::new(0);

/// Wakes a thread, before and behind an interrupt of the next priority.
extern "C" fn act() {
    let exception: u16;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, ipsr", out(reg) exception, options(nomem, nostack, preserves_flags)) };
    let depth = DEPTH.fetch_add(1, Relaxed) + 1;
    DEEPEST.fetch_max(depth, Relaxed);
    let before = served();
    check("give", WOKEN.give().is_ok());
    let next = exception - 16 + 1;
    if next < ABOVE {
        pend_interrupt(next);
        barrier();
    }
    check("give", WOKEN.give().is_ok());
    check("a thread runs behind the last handler", served() == before);
    DEPTH.fetch_sub(1, Relaxed);
}

/// Lets the least urgent of the handlers come; the others nest in it.
pub extern "C" fn nest() {
    pend_interrupt(FIRST);
    barrier();
}

fn be_interrupted() {
    let registers = nest_with_registers(0x4567_8000, 50);
    check("registers below handlers", registers == 0);
    let floats = nest_with_float(0x5678_9000, 50);
    check("floats below handlers", floats == 0);
}

/// Handlers of all priorities below the mask, one in the other.
pub fn handlers_nest() {
    use_own_table();
    for (number, level) in (FIRST..).zip(LEVELS) {
        enable_interrupt(number, level);
    }
    for serve in [serve as fn(), serve_with_float] {
        check("serve", URGENT.start(serve).is_ok());
        let before = served();
        check("start", LEFT.start(be_interrupted).is_ok());
        check("join", LEFT.join(Timeout::FOREVER).is_ok());
        let wakes = 2 * LEVELS.len() as u32;
        check("all were served", served() == before + 100 * wakes);
        check("end", URGENT.delete().is_ok());
    }
    check("all nested", DEEPEST.load(Relaxed) == LEVELS.len() as u32);
    Board::write("handlers nest\n");
}

static TAKEN_BACK: AtomicU32 = AtomicU32::new(0);

/// Takes the woken thread back before it has run, or right behind.
extern "C" fn take_back() {
    if let Some(timer) = storm::TIMER {
        (timer.stop)();
    }
    check("suspend", URGENT.suspend().is_ok());
    TAKEN_BACK.store(served(), Relaxed);
}

/// A handler names another heir while a switch is under way, at each instruction of it.
pub fn heirs_may_change_on_the_way(timer: &Timer) {
    check("serve", URGENT.start(serve).is_ok());
    enable_interrupt(timer.number, Level::Kernel);
    let (mut before_it_ran, mut behind) = (0, 0);
    for delay in 1..=150 {
        let before = served();
        (timer.once)(10);
        time::spin(delay);
        in_handler(|| check("give", WOKEN.give().is_ok()));
        time::spin(300);
        check(
            "it did not run behind",
            TAKEN_BACK.load(Relaxed) == served(),
        );
        if served() == before {
            before_it_ran += 1;
        } else {
            behind += 1;
        }
        check("resume", URGENT.resume().is_ok());
        check("it was woken once", served() == before + 1);
    }
    check("the heir was taken back", before_it_ran > 20 && behind > 20);
    check("end", URGENT.delete().is_ok());
    Board::write("heirs may change on the way\n");
}

static PERMIT: Semaphore<Board> = Semaphore::new(0);
static FLAG: EventFlags<Board> = EventFlags::new(0);
/// How a thread waits, and what wakes it.
type Wake = (fn(), fn() -> Result<(), Error>);
const WAKES: [Wake; 3] = [
    (
        || check("take", PERMIT.take(Timeout::FOREVER).is_ok()),
        || PERMIT.give(),
    ),
    (
        || check("take_any", FLAG.take_any(1, Timeout::FOREVER).is_ok()),
        || FLAG.set(1),
    ),
    (
        || {
            check(
                "notify_wait",
                AnyThread::<Board>::notify_wait(0, Timeout::FOREVER).is_ok(),
            )
        },
        || URGENT.notify(Notify::Overwrite(1)),
    ),
];

/// Which of them is tried from above; how often that was refused.
static TRIED: AtomicU32 = AtomicU32::new(0);
static REFUSED: AtomicU32 = AtomicU32::new(0);

extern "C" fn called_from_above() {
    let (_, wake) = WAKES[TRIED.load(Relaxed) as usize];
    check(
        "a wake from above is refused",
        wake() == Err(Error::Context),
    );
    for timeout in [Timeout::NONE, Timeout::FOREVER] {
        check(
            "and so is a wait",
            WOKEN.take(timeout) == Err(Error::Context),
        );
    }
    REFUSED.fetch_add(1, Relaxed);
}

/// Outside the kernel's sections, in one, and in the midst of a handler: nobody is woken, and the mask stays what it was.
pub fn wakes_from_above_are_refused() {
    enable_interrupt(ABOVE, Level::Above(0x20));
    for (number, (wait, wake)) in (0..).zip(WAKES) {
        TRIED.store(number, Relaxed);
        let refused = REFUSED.load(Relaxed);
        check("wait", URGENT.start(wait).is_ok());
        call_from_above();
        check("no mask is left", base_priority() == 0);
        Port::mask();
        call_from_above();
        check("the mask is left", base_priority() == KERNEL_LEVEL.into());
        Port::unmask(());
        in_handler(call_from_above);
        check("each was refused", REFUSED.load(Relaxed) == refused + 3);
        check("it still waits", URGENT.state() == State::Blocked);
        check("wake", wake().is_ok());
        check("it has been woken", URGENT.state() == State::Dormant);
    }
    Board::write("wakes from above the kernel's level are refused\n");
}

fn call_from_above() {
    pend_interrupt(ABOVE);
    barrier();
}
