//! Owns: how the unit of Armv8-M says what a region is. Registers: Armv8-M Architecture Reference
//! Manual (DDI 0553), D1.2 (MPU_RBAR, MPU_RLAR, MPU_MAIR0); rules: B9 there.
//! Must never know: partitions but by what is loaded.
//!
//! An access to a byte in two regions is a fault for all code, so no two may have a byte in common.
//! And there is no memory that threads without privilege may only read and privileged code write.
//! So a store of the kernel's, of a handler's or of a thread with privilege faults if the loaded
//! partition may only read there. [`make_way`] then unloads the partition, which costs those
//! nothing that do not store there.

use super::{LOADED, MOST, PAIRS, code};
use core::ptr;
use cortex_m::peripheral::{MPU, SCB};
use taktos_machine::{Access, Region, RegionRules};

/// Requirements of the unit.
pub const RULES: RegionRules = RegionRules {
    most: MOST,
    smallest: STEP,
    powers_of_two: false,
};

/// In what steps regions begin and end.
const STEP: usize = 32;

/// The region of all code; a partition's are those before it. The port's own follow.
const CODE: u32 = 4;
/// The number by which a partition's are loaded, as the registers of three more follow those of the
/// one that it names.
const FIRST: u32 = 0;

const _: () = assert!(FIRST as usize + MOST == CODE as usize && FIRST.is_multiple_of(4));

/// Fields of a base: the permissions, and the prohibition to execute for all.
const PERMISSIONS: u32 = 0b11 << 1;
const ALL: u32 = 0b01 << 1;
const ALL_READ: u32 = 0b11 << 1;
const NO_EXECUTE: u32 = 1;
/// Of a limit.
const ENABLE: u32 = 1;
/// The bits of either that are of the address.
const ADDRESS: u32 = !(STEP as u32 - 1);

/// The kinds of memory that regions choose from, by number: what the map without regions has,
/// through which privileged code reaches the same places (B9.1: write-back from 0x2000_0000 and
/// 0x6000_0000 on, write-through at 0 and from 0x8000_0000 on).
const KINDS: u32 = u32::from_le_bytes([WRITTEN_BACK, WRITTEN_THROUGH, DEVICE, 0]);
const WRITTEN_BACK: u8 = 0xFF;
const WRITTEN_THROUGH: u8 = 0xAA;
/// As devices are in that map: gathered and reordered never, acknowledged early.
const DEVICE: u8 = 0x04;

/// The number of the kind of memory at `address`, as limits have it.
fn kind(address: u32, is_device: bool) -> u32 {
    let number = match address >> 29 {
        _ if is_device => 2,
        0 | 4 => 1,
        _ => 0,
    };
    number << 1
}

/// The pair of a base and a limit of `size` bytes, of which there are some.
fn from_to(base: u32, size: u32, permissions: u32, is_device: bool) -> [u32; 2] {
    let last = base + (size - 1);
    [
        base | permissions,
        last & ADDRESS | kind(base, is_device) | ENABLE,
    ]
}

/// The pair of a base and a limit that makes `region` one of a partition, whichever.
pub fn pair(_number: usize, region: Option<&Region>) -> [u32; 2] {
    let Some(region) = region else {
        return [0; 2];
    };
    let permissions = match region.access {
        Access::Read => ALL_READ | NO_EXECUTE,
        Access::Execute => ALL_READ,
        Access::Write | Access::Device => ALL | NO_EXECUTE,
    };
    let is_device = region.access == Access::Device;
    let base = region.base.addr() as u32;
    from_to(base, region.size as u32, permissions, is_device)
}

/// Whether no two have a byte in common, nor one with the port's own.
pub fn are_taken(pairs: &[[u32; 2]; MOST]) -> bool {
    let own = [of_null(), of_code()];
    let ends = || pairs.iter().chain(&own).filter_map(ends);
    ends().enumerate().all(|(number, [base, last])| {
        ends()
            .skip(number + 1)
            .all(|[other, end]| last < other || end < base)
    })
}

/// The first and the last byte of an enabled region.
fn ends([base, limit]: &[u32; 2]) -> Option<[u32; 2]> {
    (limit & ENABLE != 0).then_some([base & ADDRESS, limit | !ADDRESS])
}

/// The place that null leads to, which the port keeps.
fn of_null() -> [u32; 2] {
    from_to(0, STEP as u32, NO_EXECUTE, false)
}

/// All code and constants, but where null leads to, as the vectors do.
fn of_code() -> [u32; 2] {
    let [begin, end] = code();
    let begin = (begin & !(STEP - 1)).max(STEP);
    from_to(begin as u32, (end - begin) as u32, ALL_READ, false)
}

/// Lets all threads execute code and read constants, and lets partitions be loaded.
pub fn enable_code() {
    const MAIR0: usize = 0xE000_EDC0;
    let [base, limit] = of_code();
    // SAFETY: the unit belongs to this port; the region is one that it leaves free, and adds to
    // what threads without privilege may do alone.
    unsafe {
        ptr::with_exposed_provenance_mut::<u32>(MAIR0).write_volatile(KINDS);
        let mpu = &*MPU::PTR;
        mpu.rnr.write(CODE);
        mpu.rbar.write(base);
        mpu.rlar.write(limit);
        mpu.rnr.write(FIRST);
    }
}

/// The status of a forbidden access to data, of which the address is known, and of nothing else:
/// what [`make_way`] is for.
pub const FORBIDDEN_STORE: u32 = 1 << 7 | 1 << 1;
/// The register that has it.
pub const STATUS: u32 = 0xE000_ED28;

/// Lets privileged code store where the loaded partition may only read, if that was why it faulted,
/// and says whether it was. The partition is loaded again before a thread of it resumes: `PendSV`
/// comes before any thread does, and does that. Called in the handler of the fault.
pub extern "C" fn make_way() -> bool {
    // SAFETY: the registers are this port's own; bits of a status are cleared by writing them.
    unsafe {
        let scb = &*SCB::PTR;
        if !is_only_read(scb.mmfar.read()) {
            return false;
        }
        // Also where it is just being loaded: then it is once more.
        LOADED.0.set(0);
        for pair in 0..MOST {
            let limit = PAIRS as usize + 8 * pair + 4;
            ptr::with_exposed_provenance_mut::<u32>(limit).write_volatile(0);
        }
        scb.cfsr.write(FORBIDDEN_STORE);
        scb.hfsr.write(scb.hfsr.read());
    }
    SCB::set_pendsv();
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
    true
}

/// Whether the loaded partition may read at `address`, and nothing else. By the unit itself: a
/// partition may just be being loaded.
fn is_only_read(address: u32) -> bool {
    (0..MOST).any(|pair| {
        let place = ptr::with_exposed_provenance::<[u32; 2]>(PAIRS as usize + 8 * pair);
        // SAFETY: the registers are this port's own.
        let pair = unsafe { place.read_volatile() };
        let holds = |[base, last]: [u32; 2]| (base..=last).contains(&address);
        pair[0] & PERMISSIONS == ALL_READ && ends(&pair).is_some_and(holds)
    })
}
