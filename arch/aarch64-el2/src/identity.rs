//! Owns: how the processor's identification registers are read by number. Must never know: what
//! guests may see of them.

use core::arch::naked_asm;

/// The registers of a row of the table.
const ROW: u32 = 8;
/// The first row, and the last.
const FIRST: u32 = 1;
const LAST: u32 = 7;

/// The identification register with op0 = 3, op1 = 0, CRn = 0, `crm` and `op2`; zero where there is
/// none (Arm ARM, D12.3.1: those that are not allocated read as zero).
pub(crate) fn read(crm: u32, op2: u32) -> u64 {
    match (FIRST..=LAST).contains(&crm) && op2 < ROW {
        true => numbered(u64::from((crm - FIRST) * ROW + op2)),
        false => 0,
    }
}

macro_rules! row {
    ($crm:literal) => {
        concat!(
            row!($crm, "0"),
            row!($crm, "1"),
            row!($crm, "2"),
            row!($crm, "3"),
            row!($crm, "4"),
            row!($crm, "5"),
            row!($crm, "6"),
            row!($crm, "7"),
        )
    };
    ($crm:literal, $op2:literal) => {
        concat!("mrs x0, s3_0_c0_c", $crm, "_", $op2, "\n ret\n")
    };
}

/// Register `number` of the table: two instructions each, at which the number is an index.
#[unsafe(naked)]
extern "C" fn numbered(number: u64) -> u64 {
    naked_asm!(concat!(
        "adr x1, 1f
             add x1, x1, x0, lsl #3
             br x1
             1:\n",
        row!("1"),
        row!("2"),
        row!("3"),
        row!("4"),
        row!("5"),
        row!("6"),
        row!("7"),
    ))
}
