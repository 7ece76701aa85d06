//! Owns: the regions of partitions: what is loaded into the memory protection unit for one, and
//! which partition's are loaded. Must never know: threads; how a unit says where a region ends
//! ([`form`] does).

use core::cell::Cell;
use taktos_machine::Region;

/// Armv8-M: regions from a base to a limit, in steps of 32 bytes.
#[cfg(armv8m)]
#[path = "limits.rs"]
mod form;
/// Armv7-M: regions with sizes that are powers of two.
#[cfg(not(armv8m))]
#[path = "powers.rs"]
mod form;

#[cfg(armv8m)]
pub use form::{FORBIDDEN_STORE, STATUS, make_way};
pub use form::{RULES, enable_code};

/// How many regions a partition can have.
const MOST: usize = 4;

/// Value to load for a partition: pairs of a base and attributes, and the rights to use
/// coprocessors.
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
/// The offset of its value in a map, and the bit of it that says that threads of partitions may use
/// the floating-point unit.
pub const FLOAT_WORD: usize = size_of::<[[u32; 2]; MOST]>();
/// The place of that bit from the top.
pub const FLOAT_BIT: u32 = 31 - 21;
const PRIVILEGED_ONLY: u32 = 0x5 << 20;
const FOR_ALL: u32 = 0xF << 20;

/// Partition that has its map loaded, or none.
#[repr(transparent)]
pub struct Loaded(Cell<usize>);

// SAFETY: one word, written by the switch, which nothing of its kind interrupts, and by the handler
// of faults, after which it is checked again.
unsafe impl Sync for Loaded {}

pub static LOADED: Loaded = Loaded(Cell::new(0));

impl Map {
    /// No regions.
    pub const NONE: Self = Self {
        regions: [[0; 2]; MOST],
        coprocessors: PRIVILEGED_ONLY,
    };

    /// Returns the map of the partition at this place; the map is its first field.
    pub fn of_partition(place: *const ()) -> Self {
        // SAFETY: by `UserStart` the partition begins with its map; interrupts are masked, so no
        // code writes it.
        unsafe { place.cast::<Self>().read() }
    }

    /// Whether threads of the partition may use the floating-point unit.
    pub fn has_float(&self) -> bool {
        self.coprocessors == FOR_ALL
    }

    /// The map of `regions`; none where the unit does not take these together. A processor without
    /// a floating-point unit has no registers to give, and an instruction of the unit is a fault.
    pub fn of(regions: &[Region], float: bool) -> Option<Self> {
        let mut map = Self::NONE;
        for (number, pair) in map.regions.iter_mut().enumerate() {
            *pair = form::pair(number, regions.get(number));
        }
        if float && has_unit() {
            map.coprocessors = FOR_ALL;
        }
        form::are_taken(&map.regions).then_some(map)
    }
}

/// Whether the processor has a floating-point unit: its access, which the start of the kernel has
/// set, is zero without one.
fn has_unit() -> bool {
    const ACCESS: usize = (PAIRS as i32 + COPROCESSORS) as u32 as usize;
    // SAFETY: a register that is only read.
    let access = unsafe { core::ptr::with_exposed_provenance::<u32>(ACCESS).read_volatile() };
    access & FOR_ALL != 0
}

/// The ends of the code and of the constants, which lie together.
fn code() -> [usize; 2] {
    unsafe extern "C" {
        static __vector_table: u8;
        static __erodata: u8;
    }
    [&raw const __vector_table, &raw const __erodata].map(<*const u8>::addr)
}
