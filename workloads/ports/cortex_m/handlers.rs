//! Owns: the handlers of interrupts that nest, and of one above the kernel's level, in a table of
//! vectors of the program's own.

use super::interrupts::{barrier, base_priority, in_handler};
use super::nested::{BEHIND, FIRST, act, broken, take_back};
use super::{add, check};
use crate::Board;
use crate::storm;
use core::arch::{asm, naked_asm};
use core::cell::UnsafeCell;
use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_arch_cortex_m::{KERNEL_LEVEL, Level, enable_interrupt, pend_interrupt};
use taktos_kernel::System;
use taktos_machine::{Machine, NestedSection};

type Port = <Board as System>::Machine;

/// The interrupt above the kernel.
const ABOVE: u16 = BEHIND;
/// From the lowest priority there is, that of the switch itself, to the kernel's level.
pub const LEVELS: [Level; 4] = [
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

pub fn use_own() {
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

static SECTION: NestedSection<Port> = NestedSection::new();
static ENTERED: AtomicU32 = AtomicU32::new(0);

/// A driver that knows nothing of the kernel's level: its vector is the handler itself.
extern "C" fn section_above() {
    SECTION.acquire();
    // SAFETY: entered above.
    unsafe { SECTION.release(|| ()) };
    add(&ENTERED, 1);
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
