//! Attacks on memory that pages protect: the same on each processor that has them.
//!
//! Owns: them, in the words of the architecture: `jump`, `write`, `push_on`, `spin_on`, `overflow`.
//! Must never know: an instruction.

use super::Float;

/// An attack that executes a place, and faults there.
macro_rules! jumps {
    ($name:literal, $place:expr) => {
        (
            $name,
            || jump($place),
            FaultAt(InstructionAccess, || $place),
        )
    };
}

/// All attacks of an architecture: these, and its own.
macro_rules! attacks {
    ($($own:expr,)*) => {
        &[
            looks!("read the kernel's memory", kernel::<S>()),
            writes!("write the kernel's memory", kernel::<S>()),
            looks!("read behind the own memory", behind(), anywhere),
            writes!("write behind the own memory", behind(), anywhere),
            writes!("write before the own memory", own() - 8, anywhere),
            writes!("write code", code()),
            writes!("write a constant", constant()),
            looks!("read null", 0),
            looks!("read what nobody has", NOWHERE),
            looks!("read the upper half", UPPER),
            looks!("read the console", S::CONSOLE),
            writes!("write the console", S::CONSOLE),
            (
                "execute the own memory",
                || jump(own()),
                Fault(InstructionAccess),
            ),
            jumps!("execute the kernel's memory", kernel::<S>()),
            jumps!("execute a constant", constant()),
            jumps!("execute a device", S::CONSOLE),
            jumps!("jump to null", 0),
            $($own,)*
            (
                "store on the kernel's stack",
                || push_on(kernel::<S>() + 512),
                FaultAt(DataAccess, || kernel::<S>() + 496),
            ),
            ignored("be interrupted on the kernel's stack", || spin_on(kernel::<S>() + 512)),
            ignored("be interrupted on no stack", || spin_on(0)),
            ("overflow the stack", overflow, Fault(DataAccess)),
        ]
    };
}

pub(super) use {attacks, jumps};

/// Whether a thread that waits has on its stack the state with which it resumes, so that it faults
/// if that is spoilt.
pub const FRAMES_ON_STACK: bool = false;
/// How threads with floating-point values fault: none has any.
pub const FLOAT: Option<Float> = None;

/// Where no partition has anything, on all boards.
pub(super) const NOWHERE: usize = 0x3000_0000;
/// Where nothing is in the kernel's map: beyond all memory and devices where addresses have more
/// than 32 bits.
pub(super) const UNMAPPED: usize = NOWHERE << ((usize::BITS - 32) / 4);
/// Addresses that no partition has.
pub(super) const UPPER: usize = usize::MAX - 0xFFF;

/// Returns the address of code.
pub(super) fn code() -> usize {
    super::overflow as fn() as usize
}

/// Where constants lie.
pub(super) fn constant() -> usize {
    static CONSTANT: u32 = 1;
    (&raw const CONSTANT).addr()
}
