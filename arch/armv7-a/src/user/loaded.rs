//! Owns: which map is loaded, and how another one is.
//! Must never know: what is in a map.
//!
//! The paths learn from memory which partition runs: that is one instruction less than to find the
//! thread that does.
//!
//! Tables and address space cannot change in one instruction. In between, an address space number
//! is in use that no map has. So the processor never takes a translation of that time for an entry
//! of one of the maps (ARMv7-A manual, B3.10.4). That needs code that is the same in all maps and
//! of no address space, and pieces of one size at each address in all maps: both are so. Branch
//! predictors need no upkeep, as the address space changes with the tables and code is at the same
//! place in all maps (B2.2).

use core::cell::Cell;

/// Partition that has its map loaded, or none: then the kernel's map is loaded.
#[repr(transparent)]
pub struct Loaded(Cell<usize>);

// SAFETY: written by the switch alone, which nothing of its kind interrupts.
unsafe impl Sync for Loaded {}

pub static LOADED: Loaded = Loaded(Cell::new(0));

/// The number of the address space that nothing is of.
pub const NOBODY: u32 = 0xFF;

/// The address of [`LOADED`], in the register named. The code around has the operand `loaded`.
macro_rules! loaded_in {
    ($register:literal) => {
        concat!(
            "movw ",
            $register,
            ", #:lower16:{loaded}\n movt ",
            $register,
            ", #:upper16:{loaded}"
        )
    };
}

/// Loads the map in r3: the address of its tables and, in the lowest eight bits, the number of its
/// address space. Destroys r2 and r3.
macro_rules! load_map {
    () => {
        "mov r2, #{nobody}
         mcr p15, 0, r2, c13, c0, 1
         isb
         bic r2, r3, #0xFF
         uxtb r3, r3
         mcr p15, 0, r2, c2, c0, 0
         isb
         mcr p15, 0, r3, c13, c0, 1
         isb"
    };
}

/// Loads the kernel's map; the operand `tables` names its tables. Destroys r2, r3 and r12.
macro_rules! load_kernel {
    () => {
        concat!(
            $crate::user::loaded::loaded_in!("r12"),
            "\n mov r3, #0
             str r3, [r12]
             movw r3, #:lower16:{tables}
             movt r3, #:upper16:{tables}\n",
            $crate::user::loaded::load_map!()
        )
    };
}

pub(crate) use {load_kernel, load_map, loaded_in};
