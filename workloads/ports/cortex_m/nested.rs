//! Owns: whether handlers of several priorities below the kernel's mask nest and wake threads,
//! without losing a register, and whether one above it leaves the mask as it was.

use super::float::nest_with_float;
use super::interrupts::{
    WOKEN, barrier, base_priority, in_handler, serve, serve_with_float, served,
};
use super::registers::nest_with_registers;
use super::{LEFT, Timer, URGENT, check, time};
use crate::Board;
use crate::storm;
use core::arch::{asm, naked_asm};
use core::cell::UnsafeCell;
use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_arch_cortex_m::{
    KERNEL_LEVEL, Level, bring_to_kernel_level, enable_interrupt, pend_interrupt,
};
use taktos_kernel::{System, Timeout};
use taktos_machine::{Machine, NestedSection};

type Port = <Board as System>::Machine;

/// Interrupts that no device of the board has: the first of them, which nest, and the one above the
/// kernel.
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
/// Its memory protection unit's control register: the table is located at null.
const PROTECTION: usize = 0xE000_ED94;
/// As many vectors as the board's own table has.
const OWN: usize = 16 + crate::INTERRUPTS;

/// The vectors of those that nest.
const NESTED: core::ops::Range<usize> = 16 + FIRST as usize..16 + ABOVE as usize;

/// Whether that is the vector of the program's timer, which is here at the kernel's level.
fn is_of_timer(vector: usize) -> bool {
    storm::TIMER.is_some_and(|timer| vector == 16 + usize::from(timer.number))
}

fn use_own_table() {
    let register = with_exposed_provenance_mut::<usize>(TABLE_ADDRESS);
    let protection = with_exposed_provenance_mut::<usize>(PROTECTION);
    // SAFETY: copies the table in use, without protection for as long, and brings the copy into use
    // when it is whole.
    unsafe {
        let protected = read_volatile(protection);
        write_volatile(protection, 0);
        let vectors = &mut *TABLE.0.get();
        let old = with_exposed_provenance::<usize>(read_volatile(register));
        for (number, vector) in vectors.iter_mut().enumerate() {
            *vector = match number {
                _ if is_of_timer(number) => take_back as *const () as usize,
                nested if NESTED.contains(&nested) => handler as *const () as usize,
                above if above == 16 + ABOVE as usize => section_above as *const () as usize,
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

/// Fills the registers that a handler must keep, acts, lets time pass, and looks whether they are
/// the same.
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

/// Wakes a thread, before and after an interrupt of the next priority.
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

/// Takes the woken thread back before it has run, or right after it.
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

static SECTION: NestedSection<Port> = NestedSection::new();
static ENTERED: AtomicU32 = AtomicU32::new(0);

/// A driver that knows nothing of the kernel's level: its vector is the handler itself.
extern "C" fn section_above() {
    SECTION.acquire();
    // SAFETY: entered above.
    unsafe { SECTION.release(|| ()) };
    ENTERED.fetch_add(1, Relaxed);
}

/// Outside the kernel's sections, in one, in such a section itself, and in the midst of a handler:
/// the mask stays what it was.
pub fn sections_from_above_leave_the_mask() {
    enable_interrupt(ABOVE, Level::Above(0x20));
    come_from_above();
    check("no mask is left", base_priority() == 0);
    Port::mask();
    come_from_above();
    check("the mask is left", base_priority() == KERNEL_LEVEL.into());
    Port::unmask(());
    SECTION.acquire();
    come_from_above();
    check(
        "the section is left",
        base_priority() == KERNEL_LEVEL.into(),
    );
    // SAFETY: entered above.
    unsafe { SECTION.release(|| ()) };
    check("the section has ended", base_priority() == 0);
    in_handler(come_from_above);
    check("it came each time", ENTERED.load(Relaxed) == 4);
    Board::write("sections from above the kernel's level leave the mask\n");
}

fn come_from_above() {
    pend_interrupt(ABOVE);
    barrier();
}

/// Priorities as a driver sets them before the kernel starts, and what becomes of them; of the last
/// it was said that it is above.
const SET: [(u8, u8); 5] = [
    (0, KERNEL_LEVEL),
    (0x70, KERNEL_LEVEL),
    (0x80, 0x80),
    (0xC0, 0xC0),
    (0x40, 0x40),
];

/// The priority of the interrupt `number`, in the controller.
fn priority(number: usize) -> *mut u8 {
    const PRIORITIES: usize = 0xE000_E400;
    with_exposed_provenance_mut(PRIORITIES + number)
}

/// Those that are above the kernel's level come to it, but for those that were let through there.
pub fn drivers_priorities_come_to_the_level() {
    let numbers = FIRST..FIRST + SET.len() as u16;
    for (number, (set, _)) in numbers.clone().zip(SET) {
        // SAFETY: a register of an interrupt that nothing uses any more.
        unsafe { write_volatile(priority(number.into()), set) };
    }
    bring_to_kernel_level();
    for (number, (_, expected)) in numbers.zip(SET) {
        // SAFETY: as above.
        let found = unsafe { read_volatile(priority(number.into())) };
        check("a driver's priority is at the level", found == expected);
    }
    Board::write("drivers' priorities come to the kernel's level\n");
}
