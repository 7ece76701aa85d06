//! Attacks on memory that pages protect: the same on each processor that has them.
//!
//! Owns: them, in the words of the board's own attacks: `jump`, `write`, `push_on`, `spin_on`, `overflow`, `UART`.
//! Must never know: an instruction. The attacks of such a board take this file as it is.

use crate::Board;
use taktos_workloads::user_mode::attack::AttackBoard;

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

/// All attacks of a board: these, and its own.
macro_rules! attacks {
    ($($own:expr,)*) => {
        &[
            looks!("read the kernel's memory", kernel()),
            writes!("write the kernel's memory", kernel()),
            looks!("read behind the own memory", behind(), anywhere),
            writes!("write behind the own memory", behind(), anywhere),
            writes!("write before the own memory", own() - 8, anywhere),
            writes!("write code", code()),
            writes!("write a constant", constant()),
            looks!("read null", 0),
            looks!("read what nobody has", NOWHERE),
            looks!("read the upper half", UPPER),
            looks!("read the console", UART),
            writes!("write the console", UART),
            (
                "execute the own memory",
                || jump(own()),
                Fault(InstructionAccess),
            ),
            jumps!("execute the kernel's memory", kernel()),
            jumps!("execute a constant", constant()),
            jumps!("execute a device", UART),
            jumps!("jump to null", 0),
            $($own,)*
            (
                "store on the kernel's stack",
                || push_on(kernel() + 512),
                FaultAt(DataAccess, || kernel() + 496),
            ),
            (
                "be interrupted on the kernel's stack",
                || spin_on(kernel() + 512),
                Nothing,
            ),
            ("be interrupted on no stack", || spin_on(0), Nothing),
            ("overflow the stack", overflow, Fault(DataAccess)),
        ]
    };
}

pub(crate) use {attacks, jumps};

/// Where nothing is, on all boards.
pub(crate) const NOWHERE: usize = 0x3000_0000;
/// Addresses that no partition has.
pub(crate) const UPPER: usize = usize::MAX - 0xFFF;

/// Where code lies.
pub(crate) fn code() -> usize {
    super::overflow as fn() as usize
}

/// Where constants lie.
pub(crate) fn constant() -> usize {
    Board::ATTACKS.as_ptr().addr()
}
