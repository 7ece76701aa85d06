//! Owns: the memory map: where what may be accessed, and the guards below stacks.
//! Must never know: whose stack it is.
//!
//! Three levels of tables (Sv39; RISC-V privileged architecture, chapter 12.4). Addresses are what they are physically.
//! Nothing is mapped at zero: a null pointer faults. Code and constants cannot be written, and nothing but code can be
//! executed. Memory is mapped in pages, so that any of them can become a guard while the map is in use.

use crate::board::Board;
use crate::processors::{devices, protect_stacks, tell_map};
use core::arch::asm;
use core::cell::Cell;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_arch_common::Guard;
pub(crate) use taktos_arch_common::PAGE;

pub(crate) const ENTRIES: usize = 512;
/// The bytes that an entry of the middle level maps.
const LARGE: usize = ENTRIES * PAGE;
/// One for each 2 MiB of the largest memory that a board may have, two of the middle level, and the root.
const TABLES: usize = 64 + 3;
/// The levels: of pages, of 2 MiB, of 1 GiB.
pub(crate) const LAST_LEVEL: usize = 0;
pub(crate) const ROOT_LEVEL: usize = 2;

pub(crate) const VALID: usize = 1;
pub(crate) const READ: usize = 1 << 1;
pub(crate) const WRITE: usize = 1 << 2;
pub(crate) const EXECUTE: usize = 1 << 3;
/// Accessed and dirty: the processor never has to write an entry. Nothing is global: a partition has what others do not.
const SETTLED: usize = 1 << 6 | 1 << 7;

const DATA: usize = VALID | READ | WRITE | SETTLED;
const CONSTANT: usize = VALID | READ | SETTLED;
const CODE: usize = VALID | READ | EXECUTE | SETTLED;
/// A page that nobody may touch: the processor looks at the lowest bit alone, we at this one of software's.
const GUARD_PAGE: usize = 1 << 8;

#[repr(C, align(4096))]
pub(crate) struct Table(pub(crate) [Cell<usize>; ENTRIES]);

struct Tables {
    /// The first is the root.
    all: [Table; TABLES],
    used: Cell<usize>,
}

// SAFETY: written with interrupts masked, and by the first processor alone before there are others; then only whole
// words change, to one that says guard. The processors read them.
unsafe impl Sync for Tables {}

static TABLES_OF_THE_MAP: Tables = Tables {
    all: [const { Table([const { Cell::new(0) }; ENTRIES]) }; TABLES],
    used: Cell::new(0),
};

unsafe extern "C" {
    // The limits of code and of constants, by the start-up code's linker script.
    static _stext: u8;
    static __etext: u8;
    static __srodata: u8;
    static __erodata: u8;
}

/// What an entry that maps `address` says.
pub(crate) const fn entry(address: usize, attributes: usize) -> usize {
    ((address / PAGE) << 10) | attributes
}

/// Where an entry leads.
pub(crate) const fn address_of(entry: usize) -> usize {
    (entry >> 10) * PAGE
}

/// The table of the map that an entry leads to.
pub(crate) fn table_of(entry: usize) -> Option<&'static Table> {
    if entry & (VALID | READ | EXECUTE) != VALID {
        return None;
    }
    let offset = address_of(entry).wrapping_sub(TABLES_OF_THE_MAP.all.as_ptr().addr());
    TABLES_OF_THE_MAP.all.get(offset / PAGE)
}

/// Where in a table of the given level the entry of `address` is.
pub(crate) const fn number(address: usize, level: usize) -> usize {
    address >> (12 + 9 * level) & (ENTRIES - 1)
}

/// The entry of `address` in a table of the given level.
fn place(table: &'static Table, level: usize, address: usize) -> &'static Cell<usize> {
    &table.0[number(address, level)]
}

pub(crate) fn root() -> &'static Table {
    &TABLES_OF_THE_MAP.all[0]
}

/// The entry of `address` at `level`; the tables above it are made.
fn make_place(address: usize, level: usize) -> &'static Cell<usize> {
    let mut table = root();
    for above in (level + 1..=ROOT_LEVEL).rev() {
        let upper = place(table, above, address);
        table = table_of(upper.get()).unwrap_or_else(|| {
            let number = TABLES_OF_THE_MAP.used.get() + 1;
            TABLES_OF_THE_MAP.used.set(number);
            let made = &TABLES_OF_THE_MAP.all[number];
            upper.set(entry(core::ptr::from_ref(made).addr(), VALID));
            made
        });
    }
    place(table, level, address)
}

/// The table of pages that maps `address`, if memory is mapped there in pages.
fn page_table(address: usize) -> Option<&'static Table> {
    let middle = table_of(place(root(), ROOT_LEVEL, address).get())?;
    table_of(place(middle, 1, address).get())
}

/// Where code lies.
pub(crate) fn code() -> Range<usize> {
    (&raw const _stext).addr()..(&raw const __etext).addr()
}

/// Where constants lie.
pub(crate) fn constants() -> Range<usize> {
    (&raw const __srodata).addr()..(&raw const __erodata).addr()
}

fn make<B: Board>() {
    let (code, constants) = (code(), constants());
    const { assert!(B::MEMORY.end - B::MEMORY.start <= 128 << 20) };
    for page in (B::MEMORY.start..B::MEMORY.end).step_by(PAGE) {
        let attributes = match page {
            page if code.contains(&page) => CODE,
            page if constants.contains(&page) => CONSTANT,
            _ => DATA,
        };
        make_place(page, LAST_LEVEL).set(entry(page, attributes));
    }
    for device in (B::DEVICES.start..B::DEVICES.end).step_by(LARGE) {
        make_place(device, 1).set(entry(device, DATA));
    }
    for registers in crate::clint::REGISTERS.step_by(LARGE) {
        make_place(registers, 1).set(entry(registers, DATA));
    }
    let Range { start, end } = devices::registers::<B>();
    for device in (start & !(LARGE - 1)..end).step_by(LARGE) {
        make_place(device, 1).set(entry(device, DATA));
    }
}

/// Makes the pages of a guard such. Bound: fixed, but for the first one, before which the map is made. Needs little
/// stack: a thread that starts another one comes here.
///
/// Other processors are called to drop the old translations, unless they are a guard's already. They are not waited for:
/// the call comes at the latest when they end the mask that they may hold, so before a thread that uses the stack
/// has run there for longer than it takes an interrupt to arrive.
pub(crate) fn protect<B: Board>(guard: usize) {
    if TABLES_OF_THE_MAP.used.get() == 0 {
        make::<B>();
    }
    let mut is_new = false;
    let mut table = page_table(guard);
    for page in Guard::pages(guard) {
        if number(page, LAST_LEVEL) == 0 {
            table = page_table(page);
        }
        let Some(entry) = table
            .map(|table| place(table, LAST_LEVEL, page))
            .filter(|entry| entry.get() != GUARD_PAGE)
        else {
            continue;
        };
        shared(entry).store(GUARD_PAGE, Relaxed);
        // SAFETY: drops one translation, which is read again from the tables when needed.
        unsafe { asm!("sfence.vma {}, zero", in(reg) page, options(nostack, preserves_flags)) };
        is_new = true;
    }
    if is_new {
        tell_map::<B>();
    }
}

/// An entry as it is read and written while other processors may do so: whole.
pub(crate) fn shared(entry: &Cell<usize>) -> &AtomicUsize {
    // SAFETY: the words are alike, and live as long; while there are several processors, whoever writes one comes here.
    unsafe { AtomicUsize::from_ptr(entry.as_ptr()) }
}

/// Whether `address` lies in a guard.
pub(crate) fn is_guard(address: usize) -> bool {
    page_table(address).is_some_and(|table| place(table, LAST_LEVEL, address).get() == GUARD_PAGE)
}

/// Switches the map on, with guards below the stacks of handlers.
pub(crate) fn start<B: Board>() {
    protect_stacks::<B>();
    crate::trap::install();
    switch_on();
}

/// What `satp` says of the kind of tables: Sv39.
pub(crate) const MODE: usize = 8 << 60;

/// Switches the map on.
pub(crate) fn switch_on() {
    let map = MODE | (core::ptr::from_ref(root()).addr() / PAGE);
    // SAFETY: it maps the code that runs, its data and its stack to where they are.
    unsafe { asm!("sfence.vma", "csrw satp, {}", "sfence.vma", in(reg) map, options(nostack)) };
}
