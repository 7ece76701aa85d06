//! Owns: the memory map: which memory may be accessed, and the guards below stacks.
//! Must never know: the owner of a stack.
//!
//! Three levels of tables (Sv39; RISC-V privileged architecture, chapter 12.4). Addresses are what
//! they are physically. Nothing is mapped at zero: a null pointer faults. Code and constants cannot
//! be written, and nothing but code can be executed. Memory is mapped in pages, so that any of them
//! can become a guard while the map is in use.

use crate::board::Board;
use crate::processors::{devices, protect_stacks, tell_map};
use core::arch::asm;
use core::ops::Range;
use taktos_arch_common::PAGE;
use taktos_arch_common::tables::{Format, MachineMap, MadeMap};

/// One for each 2 MiB of the largest memory that a board may have, two of the middle level, and the
/// root.
const TABLES: usize = 64 + 3;

pub(crate) const VALID: usize = 1;
pub(crate) const READ: usize = 1 << 1;
pub(crate) const WRITE: usize = 1 << 2;
pub(crate) const EXECUTE: usize = 1 << 3;
/// Accessed and dirty: the processor never has to write an entry. Nothing is global: a partition
/// has what others do not.
const SETTLED: usize = 1 << 6 | 1 << 7;

const DATA: usize = VALID | READ | WRITE | SETTLED;
const CONSTANT: usize = VALID | READ | SETTLED;
const CODE: usize = VALID | READ | EXECUTE | SETTLED;
/// A page that no code may access: the processor reads the lowest bit alone, this port reads this
/// one of software's.
const GUARD_PAGE: usize = 1 << 8;

/// Form of this processor's tables.
pub(crate) enum Form {}

impl Format for Form {
    const GUARD: usize = GUARD_PAGE;

    fn leading_to(address: usize) -> usize {
        entry(address, VALID)
    }

    fn table_at(entry: usize) -> Option<usize> {
        (entry & (VALID | READ | EXECUTE) == VALID).then_some((entry >> 10) * PAGE)
    }

    fn is_large(entry: usize) -> bool {
        entry & READ != 0
    }

    fn piece(large: usize, offset: usize, _level: usize) -> usize {
        large + entry(offset, 0)
    }
}

pub(crate) static MAP: MachineMap<Form, TABLES> = MachineMap::new();
/// [`MAP`], once it is made.
static MADE: MadeMap<Form, TABLES> = MadeMap::new();

unsafe extern "C" {
    // The limits of code and of constants, by the start-up code's linker script.
    static _stext: u8;
    static __etext: u8;
    static __srodata: u8;
    static __erodata: u8;
}

/// Returns the entry that maps `address`.
pub(crate) const fn entry(address: usize, attributes: usize) -> usize {
    ((address / PAGE) << 10) | attributes
}

/// Returns the addresses of code.
pub(crate) fn code() -> Range<usize> {
    (&raw const _stext).addr()..(&raw const __etext).addr()
}

/// Where constants lie.
pub(crate) fn constants() -> Range<usize> {
    (&raw const __srodata).addr()..(&raw const __erodata).addr()
}

#[cold]
#[inline(never)]
fn make<B: Board>() {
    const { assert!(B::MEMORY.end - B::MEMORY.start <= 128 << 20) };
    let (code, constants) = (code(), constants());
    MAP.map(B::MEMORY, 0, |page| {
        let attributes = match page {
            page if code.contains(&page) => CODE,
            page if constants.contains(&page) => CONSTANT,
            _ => DATA,
        };
        entry(page, attributes)
    });
    for devices in [
        B::DEVICES,
        crate::clint::REGISTERS,
        devices::registers::<B>(),
    ] {
        MAP.map(devices, 1, |device| entry(device, DATA));
    }
    MADE.set(&MAP);
}

/// Makes the pages of a guard such. Bound: fixed, but for the first one, before which the map is
/// made. Needs little stack: a thread that starts another one comes here.
///
/// Other processors are called to drop the old translations, unless they are a guard's already.
/// They are not waited for: the call comes at the latest when they end the mask that they may hold,
/// so before a thread that uses the stack has run there for longer than it takes an interrupt to
/// arrive.
pub(crate) fn protect<B: Board>(guard: usize) {
    if !MAP.is_made() {
        make::<B>();
    }
    let is_new = MAP.protect(guard, |page| {
        // SAFETY: drops one translation, which is read again from the tables when needed.
        unsafe { asm!("sfence.vma {}, zero", in(reg) page, options(nostack, preserves_flags)) };
    });
    if is_new {
        tell_map::<B>();
    }
}

/// Returns whether `address` is in a guard.
pub(crate) fn is_guard(address: usize) -> bool {
    MADE.is_guard(address)
}

/// Switches the map on, with guards below the stacks of handlers.
pub(crate) fn start<B: Board>() {
    protect_stacks::<B>();
    crate::trap::install();
    switch_on();
}

/// Bits of `satp` for the kind of tables: Sv39.
pub(crate) const MODE: usize = 8 << 60;

/// Switches the map on.
pub(crate) fn switch_on() {
    let map = MODE | (MAP.root().as_ptr().addr() / PAGE);
    // SAFETY: it maps the code that runs, its data and its stack to where they are.
    unsafe { asm!("sfence.vma", "csrw satp, {}", "sfence.vma", in(reg) map, options(nostack)) };
}
