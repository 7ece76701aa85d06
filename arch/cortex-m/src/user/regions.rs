//! Owns: the regions of partitions: what the unit of Armv7-M takes, and which partition's are loaded.
//! Must never know: threads. Registers: Armv7-M manual, B3.5.

use core::cell::Cell;
use cortex_m::peripheral::MPU;
use taktos_machine::{Access, Region, RegionRules};

/// The first region of a partition, and how many it can have; the port's own have higher numbers, and so precedence.
const FIRST: usize = 1;
const MOST: usize = 4;
/// Below these the region in which all code lies.
const CODE: u32 = 0;

/// What the unit demands.
pub const RULES: RegionRules = RegionRules {
    most: MOST,
    smallest: 32,
    powers_of_two: true,
};

/// What is loaded for a partition: pairs of a base and attributes, and who may use coprocessors.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Map {
    regions: [[u32; 2]; MOST],
    coprocessors: u32,
}

/// Where the pairs go, the first of them; four pairs stand there in a row.
pub const PAIRS: u32 = 0xE000_ED9C;
/// From there to the register of coprocessors.
pub const COPROCESSORS: i32 = 0xE000_ED88_u32 as i32 - PAIRS as i32;
/// Where its value lies in a map, and which bit of it says that threads of partitions may use the floating-point unit.
pub const FLOAT_WORD: usize = size_of::<[[u32; 2]; MOST]>();
/// The place of that bit from the top.
pub const FLOAT_BIT: u32 = 31 - 21;
const PRIVILEGED_ONLY: u32 = 0x5 << 20;
const FOR_ALL: u32 = 0xF << 20;

/// The partition whose map is loaded, or none.
#[repr(transparent)]
pub struct Loaded(Cell<usize>);

// SAFETY: written by the switch alone, which nothing of its kind interrupts.
unsafe impl Sync for Loaded {}

pub static LOADED: Loaded = Loaded(Cell::new(0));

/// The bit of a base that says that it names the region itself.
const NAMES_REGION: u32 = 1 << 4;
const ENABLE: u32 = 1;
const BUFFERABLE: u32 = 1 << 16;
const CACHEABLE: u32 = 1 << 17;
/// Privileged code may do all, the others nothing but read, or all; or both nothing but read.
const READS: u32 = 0b010 << 24;
const ALL: u32 = 0b011 << 24;
const ALL_READ: u32 = 0b110 << 24;
const NO_EXECUTE: u32 = 1 << 28;

/// The size, a power of two from 32 on, as attributes have it.
const fn size(bytes: usize) -> u32 {
    (bytes.ilog2() - 1) << 1
}

impl Map {
    /// No regions.
    pub const NONE: Self = Self {
        regions: [[0; 2]; MOST],
        coprocessors: PRIVILEGED_ONLY,
    };

    /// The map of the partition at this place, whose first field it is.
    pub fn of_partition(place: *const ()) -> Self {
        // SAFETY: by the law of `UserStart`; masked, so that nobody writes it.
        unsafe { place.cast::<Self>().read() }
    }

    /// Whether threads of the partition may use the floating-point unit.
    pub fn has_float(&self) -> bool {
        self.coprocessors == FOR_ALL
    }

    /// The map of `regions`.
    pub fn of(regions: &[Region], float: bool) -> Self {
        let mut map = Self::NONE;
        for (number, pair) in map.regions.iter_mut().enumerate() {
            let place = NAMES_REGION | (FIRST + number) as u32;
            *pair = match regions.get(number) {
                Some(region) => [region.base.addr() as u32 | place, attributes(region)],
                None => [place, 0],
            };
        }
        if float {
            map.coprocessors = FOR_ALL;
        }
        map
    }
}

fn attributes(region: &Region) -> u32 {
    let kind = match region.access {
        Access::Read => READS | CACHEABLE | BUFFERABLE,
        Access::Write => ALL | CACHEABLE | BUFFERABLE,
        Access::Device => ALL | BUFFERABLE,
    };
    kind | NO_EXECUTE | size(region.size) | ENABLE
}

unsafe extern "C" {
    /// The ends of the code and of the constants, which lie together.
    static __vector_table: u8;
    static __erodata: u8;
}

/// Has all threads execute code and read constants: a region for the whole, which is larger where that lies so.
pub fn enable_code() {
    let (begin, end) = (
        (&raw const __vector_table).addr(),
        (&raw const __erodata).addr(),
    );
    let mut bytes = 32;
    while (begin & !(bytes - 1)) + bytes < end {
        bytes *= 2;
    }
    // SAFETY: the unit belongs to this port; the region is one that it leaves free, and adds to what threads without privilege may do alone.
    unsafe {
        let mpu = &*MPU::PTR;
        mpu.rbar
            .write((begin & !(bytes - 1)) as u32 | NAMES_REGION | CODE);
        mpu.rasr.write(ALL_READ | CACHEABLE | size(bytes) | ENABLE);
    }
}
