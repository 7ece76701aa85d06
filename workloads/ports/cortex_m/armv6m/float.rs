//! Owns: the answer that there is no floating-point unit; its works stand for the core registers'.

pub use super::registers::spin_with_registers as spin_with_float;
pub use crate::checks::calls::{
    doze_with_registers as doze_with_float, enter_with_registers as enter_with_float,
    nest_with_registers as nest_with_float, wait_with_registers as wait_with_float,
    yield_with_registers as yield_with_float,
};

/// Whether the processor has a floating-point unit.
pub const fn is_there() -> bool {
    false
}

/// No thread has floating-point state to begin without.
pub const fn begins_unused_after_an_end() {}
