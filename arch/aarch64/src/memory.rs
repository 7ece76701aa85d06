//! Owns: the memory map: which memory may be accessed, and the guards below stacks.
//! Must never know: the owner of a stack.
//!
//! Addresses are what they are physically. Nothing is mapped at zero: a null pointer faults. Code
//! and constants cannot be written, and nothing but code can be executed. Memory is mapped in
//! pages, so that any of them can become a guard while the map is in use.

use crate::board::Board;
use crate::processors::protect_stacks;
use aarch64_paging::descriptor::El1Attributes;
use core::arch::asm;
use core::ops::Range;
use taktos_arch_common::PAGE;
use taktos_arch_common::tables::{Format, MachineMap, MadeMap};

/// An entry that leads to a table, or to a page; one that leads to more memory; and the bits of its
/// address.
pub(crate) const TABLE: usize = 0b11;
const LARGE: usize = 0b01;
pub(crate) const ADDRESS: usize = 0x0000_FFFF_FFFF_F000;
/// One for each 2 MiB of the largest memory that a board may have, and those above them.
const TABLES: usize = 64 + 4;

/// The start-up code's two kinds of memory: devices, and ordinary memory that is written back.
const DEVICE: El1Attributes = El1Attributes::ATTRIBUTE_INDEX_0
    .union(PRESENT)
    .union(El1Attributes::PXN);
const DATA: El1Attributes = MEMORY.union(El1Attributes::PXN);
const CONSTANT: El1Attributes = DATA.union(El1Attributes::READ_ONLY);
const CODE: El1Attributes = MEMORY.union(El1Attributes::READ_ONLY);
const MEMORY: El1Attributes = El1Attributes::ATTRIBUTE_INDEX_1
    .union(El1Attributes::INNER_SHAREABLE)
    .union(PRESENT);
const PRESENT: El1Attributes = El1Attributes::VALID
    .union(El1Attributes::ACCESSED)
    .union(El1Attributes::UXN);
/// A page that no code may access: the processor reads the lowest bit alone, this port reads this
/// one.
const GUARD_PAGE: El1Attributes = El1Attributes::SWFLAG_0;

/// Form of this processor's tables (Arm ARM, DDI 0487, D8.3).
pub(crate) enum Form {}

impl Format for Form {
    const GUARD: usize = GUARD_PAGE.bits();

    fn leading_to(address: usize) -> usize {
        address | TABLE
    }

    fn table_at(entry: usize) -> Option<usize> {
        (entry & TABLE == TABLE).then_some(entry & ADDRESS)
    }

    fn is_large(entry: usize) -> bool {
        entry & TABLE == LARGE
    }

    fn piece(large: usize, offset: usize, level: usize) -> usize {
        ((large & !TABLE) + offset) | if level == 0 { TABLE } else { LARGE }
    }
}

pub(crate) static MAP: MachineMap<Form, TABLES> = MachineMap::new();
/// [`MAP`], once it is made.
static MADE: MadeMap<Form, TABLES> = MadeMap::new();

unsafe extern "C" {
    // The limits of code and of constants, by the start-up code's linker script.
    static text_begin: u8;
    static text_end: u8;
    static rodata_begin: u8;
    static rodata_end: u8;
}

#[cold]
#[inline(never)]
fn make<B: Board>() {
    const { assert!(B::MEMORY.end - B::MEMORY.start <= 128 << 20) };
    let large = |attributes: El1Attributes| move |address| address | attributes.bits() | LARGE;
    MAP.map(B::DEVICES, 1, large(DEVICE));
    MAP.map(B::SHARED, 1, large(DATA));
    let (code, constants) = (code(), constants());
    MAP.map(B::MEMORY, 0, |page| {
        let attributes = match page {
            page if code.contains(&page) => CODE,
            page if constants.contains(&page) => CONSTANT,
            _ => DATA,
        };
        page | attributes.bits() | TABLE
    });
    MADE.set(&MAP);
}

/// The pages of code.
pub(crate) fn code() -> Range<usize> {
    (&raw const text_begin).addr()..(&raw const text_end).addr().next_multiple_of(PAGE)
}

/// The pages of constants.
pub(crate) fn constants() -> Range<usize> {
    (&raw const rodata_begin).addr()..(&raw const rodata_end).addr().next_multiple_of(PAGE)
}

/// Makes a guard, which is a page, such. Bound: fixed, but for the first one, before which the map
/// is made. Needs little stack: a thread that starts another one comes here.
pub(crate) fn protect<B: Board>(guard: usize) {
    if !MAP.is_made() {
        make::<B>();
    }
    MAP.protect(guard, forget);
}

/// Returns whether `address` is in a guard.
pub(crate) fn is_guard(address: usize) -> bool {
    MADE.is_guard(address)
}

/// Makes the processors forget what they knew of `address`.
fn forget(address: usize) {
    // SAFETY: drops one translation, which is read again from the tables when needed.
    unsafe {
        asm!(
            "dsb ishst",
            "tlbi vaae1is, {page}",
            "dsb ish",
            "isb",
            page = in(reg) address / PAGE,
            options(nostack, preserves_flags),
        );
    }
}

/// Makes the processors forget all that they knew of any map.
pub(crate) fn forget_all() {
    // SAFETY: drops translations, which are read again from the tables when needed.
    unsafe {
        asm!(
            "dsb ishst",
            "tlbi vmalle1is",
            "dsb ish",
            "isb",
            options(nostack, preserves_flags),
        );
    }
}

/// Switches from the start-up code's map to the whole one, with guards below the stacks of
/// handlers.
pub(crate) fn start<B: Board>() {
    crate::vectors::install();
    protect_stacks::<B>();
    activate();
}

/// Switches from the start-up code's map to the whole one.
pub(crate) fn activate() {
    // SAFETY: it maps the code that runs, its data and its stack to where they are.
    unsafe {
        asm!(
            "dsb ishst",
            "isb",
            "msr ttbr0_el1, {root}",
            "isb",
            root = in(reg) MAP.root().as_ptr(),
            options(nostack, preserves_flags),
        );
    }
}
