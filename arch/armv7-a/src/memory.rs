//! Owns: the memory map: which memory may be accessed, and the guards below stacks.
//! Must never know: the owner of a stack.
//!
//! The short-descriptor format (ARMv7-A manual, B3.5). Addresses are what they are physically, but
//! for the handlers' stack. The megabyte at zero is not mapped: a null pointer faults. Code and
//! constants cannot be written, and nothing but code can be executed. The linker script puts each
//! of them on pages of its own (`_region_alignment`).

use crate::board::Board;
use crate::interrupt::{INTERRUPT_STACK_SIZE, INTERRUPT_STACK_TOP};
use core::arch::asm;
use core::cell::{Cell, UnsafeCell};
use taktos_arch_common::Guard;
pub(crate) use taktos_arch_common::PAGE;

pub(crate) const MEGABYTE: usize = 1 << 20;
pub(crate) const PAGES: usize = MEGABYTE / PAGE;
/// One for each megabyte of the largest memory that a board may have, and one for the handlers'
/// stack.
const SECOND_LEVEL_TABLES: usize = 128 + 1;

/// Sections and pages of data, not executable: ordinary memory, written back, allocated on write.
const DATA_SECTION: u32 = 0b1_0100_0001_1110;
pub(crate) const DATA_PAGE: u32 = 0b101_1111;
/// Pages of constants, and of code: not writable.
pub(crate) const CONSTANT_PAGE: u32 = 0b10_0101_1111;
pub(crate) const CODE_PAGE: u32 = 0b10_0101_1110;
/// Sections of device registers, not executable.
pub(crate) const DEVICE_SECTION: u32 = 0b100_0001_0110;
/// A section that is divided into pages.
pub(crate) const TABLE: u32 = 0b01;
/// The kinds of entry.
pub(crate) const KIND: u32 = 0b11;
/// A page that no code may access: the processor reads the two lowest bits alone, this port reads
/// all.
const GUARD_PAGE: u32 = 0xDEAD_0000;

#[repr(C, align(16384))]
pub(crate) struct FirstLevel(pub [Cell<u32>; 4096]);

#[repr(C, align(1024))]
pub(crate) struct SecondLevel(pub [Cell<u32>; PAGES]);

/// The address of this is that of the first table.
#[repr(C)]
pub(crate) struct Tables {
    pub first: FirstLevel,
    pub second: [SecondLevel; SECOND_LEVEL_TABLES],
    used: Cell<usize>,
}

/// Entries that lead nowhere.
#[expect(
    clippy::declare_interior_mutable_const,
    reason = "initial values for statics"
)]
impl FirstLevel {
    pub const EMPTY: Self = Self([const { Cell::new(0) }; 4096]);
}

#[expect(
    clippy::declare_interior_mutable_const,
    reason = "initial values for statics"
)]
impl SecondLevel {
    pub const EMPTY: Self = Self([const { Cell::new(0) }; PAGES]);
}

// SAFETY: written with interrupts masked, on the one processor; words that the processor reads.
unsafe impl Sync for Tables {}

pub(crate) static TABLES: Tables = Tables {
    first: FirstLevel::EMPTY,
    second: [const { SecondLevel::EMPTY }; SECOND_LEVEL_TABLES],
    used: Cell::new(0),
};

#[repr(C, align(4096))]
struct InterruptStack(UnsafeCell<[u8; INTERRUPT_STACK_SIZE]>);

// SAFETY: used by the processor alone, as the stack of handlers, which do not nest.
unsafe impl Sync for InterruptStack {}

static INTERRUPT_STACK: InterruptStack = InterruptStack(UnsafeCell::new([0; INTERRUPT_STACK_SIZE]));

/// Writes an entry where the processor's table walk sees it.
pub(crate) fn write(entry: &Cell<u32>, value: u32) {
    entry.set(value);
    // SAFETY: cleans the entry's line from the data cache, past which tables are read, and waits
    // for it.
    unsafe {
        asm!(
            "mcr p15, 0, {entry}, c7, c10, 1",
            "dsb",
            entry = in(reg) core::ptr::from_ref(entry),
            options(nostack, preserves_flags),
        );
    }
}

/// Makes the processor forget what it knew of `address`.
pub(crate) fn forget(address: usize) {
    // SAFETY: drops one translation, which is read again from the tables when needed.
    unsafe {
        asm!(
            "mcr p15, 0, {address}, c8, c7, 1",
            "dsb",
            "isb",
            address = in(reg) address,
            options(nostack, preserves_flags),
        );
    }
}

pub(crate) fn next_table() -> &'static SecondLevel {
    let number = TABLES.used.get();
    TABLES.used.set(number + 1);

    &TABLES.second[number]
}

/// Returns the table of the megabyte that contains `address`, if that is divided into pages.
fn page_table(address: usize) -> Option<&'static SecondLevel> {
    let section = TABLES.first.0[address / MEGABYTE].get();
    if section & KIND != TABLE {
        return None;
    }
    let table = (section & !0x3FF) as usize;
    let number = (table - TABLES.second.as_ptr().addr()) / size_of::<SecondLevel>();
    TABLES.second.get(number)
}

/// The entry of the page of `address` in the table of its megabyte.
fn place(table: &'static SecondLevel, address: usize) -> &'static Cell<u32> {
    &table.0[address % MEGABYTE / PAGE]
}

/// Divides the megabyte that contains `address` into pages, if it is not divided yet. Steps: the
/// pages.
fn divide(address: usize, page: impl Fn(usize) -> u32) {
    let section = &TABLES.first.0[address / MEGABYTE];
    if section.get() & KIND == TABLE {
        return;
    }
    let table = next_table();
    let base = address / MEGABYTE * MEGABYTE;
    for (number, entry) in table.0.iter().enumerate() {
        write(entry, page(base + number * PAGE));
    }
    write(section, core::ptr::from_ref(table).addr() as u32 | TABLE);
    forget(address);
}

unsafe extern "C" {
    // The limits of code and of constants, by the start-up code's linker script.
    static __svector: u8;
    static __etext: u8;
    static __srodata: u8;
    static __erodata: u8;
}

/// The entry of a page of memory, by what the image has there.
fn page_of_memory(page: usize) -> u32 {
    let code = (&raw const __svector).addr()..(&raw const __etext).addr();
    let constants = (&raw const __srodata).addr()..(&raw const __erodata).addr();
    let attributes = match page {
        page if code.contains(&page) => CODE_PAGE,
        page if constants.contains(&page) => CONSTANT_PAGE,
        _ => DATA_PAGE,
    };
    page as u32 | attributes
}

/// Makes the pages of a guard such. Bound: fixed; most where it is the first one in its megabyte.
pub(crate) fn protect(guard: usize) {
    let mut table = None;
    for page in Guard::pages(guard) {
        if page == guard || page % MEGABYTE == 0 {
            divide(page, page_of_memory);
            table = page_table(page);
        }
        let entry = table.map(|table| place(table, page));
        if let Some(entry) = entry.filter(|entry| entry.get() != GUARD_PAGE) {
            write(entry, GUARD_PAGE);
            forget(page);
        }
    }
}

/// Returns whether `address` is in a guard.
pub(crate) fn is_guard(address: usize) -> bool {
    page_table(address).is_some_and(|table| place(table, address).get() == GUARD_PAGE)
}

/// Fills the tables and switches the memory map and the caches on.
pub(crate) fn start<B: Board>() {
    const { assert!(B::MEMORY.start % MEGABYTE == 0 && B::MEMORY.end % MEGABYTE == 0) };
    const { assert!((B::MEMORY.end - B::MEMORY.start) / MEGABYTE < SECOND_LEVEL_TABLES) };
    let code_and_constants = (&raw const __svector).addr()..(&raw const __erodata).addr();
    for section in code_and_constants.start / MEGABYTE..=code_and_constants.end / MEGABYTE {
        divide(section * MEGABYTE, page_of_memory);
    }
    map(B::MEMORY.start, B::MEMORY.end, DATA_SECTION);
    map(B::DEVICES.start, B::DEVICES.end, DEVICE_SECTION);
    map_interrupt_stack();
    switch_on();
}

fn map(start: usize, end: usize, attributes: u32) {
    for section in start / MEGABYTE..end / MEGABYTE {
        let entry = &TABLES.first.0[section];
        // Those with code or with prepared threads are divided already.
        if entry.get() & KIND != TABLE {
            write(entry, (section * MEGABYTE) as u32 | attributes);
        }
    }
}

/// Only the stack itself and the guard below it are known in the last megabyte.
fn map_interrupt_stack() {
    let bottom = INTERRUPT_STACK_TOP - INTERRUPT_STACK_SIZE;
    let place = INTERRUPT_STACK.0.get().addr();
    divide(bottom, |page| match page {
        stack if (bottom..INTERRUPT_STACK_TOP).contains(&stack) => {
            (stack - bottom + place) as u32 | DATA_PAGE
        }
        guard if (bottom - Guard::SIZE..bottom).contains(&guard) => GUARD_PAGE,
        _ => 0,
    });
}

fn switch_on() {
    // SAFETY: called once. The tables map the code that runs, its data and its stack to where they
    // are. Domain 0 obeys the entries' permissions; the map, the caches and branch prediction
    // are switched on together, and translations from before are dropped.
    unsafe {
        asm!(
            "mcr p15, 0, {tables}, c2, c0, 0",  // TTBR0
            "mcr p15, 0, {zero}, c2, c0, 2",    // TTBCR
            "mcr p15, 0, {client}, c3, c0, 0",  // DACR
            "mcr p15, 0, {zero}, c8, c7, 0",    // TLBIALL
            "mcr p15, 0, {zero}, c7, c5, 0",    // ICIALLU
            "dsb",
            "isb",
            "mrc p15, 0, {control}, c1, c0, 0", // SCTLR
            "bic {control}, {control}, #2",     // A: no checks of alignment
            "orr {control}, {control}, #0x1800", // I and Z
            "orr {control}, {control}, #5",     // C and M
            "mcr p15, 0, {control}, c1, c0, 0",
            "isb",
            tables = in(reg) &raw const TABLES.first,
            zero = in(reg) 0,
            client = in(reg) 1,
            control = out(reg) _,
            options(nostack, preserves_flags),
        );
    }
}
