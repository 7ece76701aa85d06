//! Owns: the hypervisor's own memory map: what EL2 may read, write and execute.
//! Must never know: what partitions see.
//!
//! Addresses are what they are physically. Code cannot be written, and nothing else can be executed; the processor is
//! told to hold that for whatever can be written. Nothing is mapped at zero, nor below stacks.

use crate::own::{PAGE, STACKS};
use crate::tables::Pool;
use aarch64_cpu::registers::{ReadWriteable, SCTLR_EL2};
use aarch64_paging::Mapping;
use aarch64_paging::descriptor::{El23Attributes, PhysicalAddress};
use aarch64_paging::paging::{Constraints, El2, MemoryRegion};
use core::arch::asm;
use core::cell::UnsafeCell;
use core::ops::Range;
use taktos_abi::vm::layout;

/// The level of the root: 39 bits of address, as the start-up code has set.
const ROOT_LEVEL: usize = 1;

/// The start-up code's two kinds of memory: devices, and ordinary memory that is written back.
const PRESENT: El23Attributes = El23Attributes::VALID
    .union(El23Attributes::ACCESSED)
    .union(El23Attributes::USER_RES1);
const DEVICE: El23Attributes = El23Attributes::ATTRIBUTE_INDEX_0
    .union(PRESENT)
    .union(El23Attributes::XN);
const CODE: El23Attributes = El23Attributes::ATTRIBUTE_INDEX_1
    .union(El23Attributes::INNER_SHAREABLE)
    .union(PRESENT)
    .union(El23Attributes::READ_ONLY);
const CONSTANT: El23Attributes = CODE.union(El23Attributes::XN);
const DATA: El23Attributes = CONSTANT.difference(El23Attributes::READ_ONLY);
const NOTHING: El23Attributes = El23Attributes::empty();

/// The devices of the machine that the hypervisor uses, and the passages to those that partitions have.
const DEVICES: Range<usize> = 0x0800_0000..0x0A00_0000;

type Map = Mapping<Pool, El2>;

struct TheMap(UnsafeCell<Option<Map>>);

// SAFETY: written once, by the first processor, before the others start.
unsafe impl Sync for TheMap {}

static MAP: TheMap = TheMap(UnsafeCell::new(None));

unsafe extern "C" {
    // The limits of code and of constants, by the start-up code's linker script.
    static text_begin: u8;
    static text_end: u8;
    static rodata_begin: u8;
    static rodata_end: u8;
}

/// Makes the map. Called once, by the first processor.
pub(crate) fn make() {
    let mut map = Mapping::new(Pool, ROOT_LEVEL, El2);
    let code = (&raw const text_begin).addr()..(&raw const text_end).addr();
    let constants = (&raw const rodata_begin).addr()..(&raw const rodata_end).addr();
    let image = layout::HYPERVISOR as usize..layout::DESCRIPTION as usize;
    let description = image.end..(layout::DESCRIPTION + layout::DESCRIPTION_BYTES) as usize;
    let partitions = layout::PARTITIONS as usize..layout::END as usize;
    set(&mut map, DEVICES, DEVICE);
    set(&mut map, image, DATA);
    set(&mut map, description, CONSTANT);
    set(&mut map, partitions, DATA);
    set(&mut map, code, CODE);
    set(&mut map, constants, CONSTANT);
    for guard in STACKS.iter().flat_map(|stacks| stacks.guards()) {
        set(&mut map, guard..guard + PAGE, NOTHING);
    }
    // SAFETY: the first use, by the start-up code alone.
    unsafe { *MAP.0.get() = Some(map) };
}

fn set(map: &mut Map, range: Range<usize>, attributes: El23Attributes) {
    let done = map.map_range(
        &MemoryRegion::new(range.start, range.end),
        PhysicalAddress(range.start),
        attributes,
        Constraints::NO_CONTIGUOUS_HINT,
    );
    assert!(done.is_ok(), "the memory map cannot be made so");
}

/// Switches this processor from the start-up code's map to the one that was made.
pub(crate) fn activate() {
    // SAFETY: it is not written any more once there are others to read it.
    let map = unsafe { (*MAP.0.get()).as_ref() };
    let Some(map) = map else { return };
    // SAFETY: it maps the code that runs, its data and its stack to where they are.
    unsafe { map.activate() };
    // SAFETY: what was known of the old map is dropped, and read from the new one when needed.
    unsafe {
        asm!(
            "tlbi alle2",
            "dsb nsh",
            "isb",
            options(nostack, preserves_flags)
        )
    };
    SCTLR_EL2.modify(SCTLR_EL2::WXN::Enable);
    aarch64_cpu::asm::barrier::isb(aarch64_cpu::asm::barrier::SY);
}
