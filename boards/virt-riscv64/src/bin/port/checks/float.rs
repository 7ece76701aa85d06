//! Owns: whether the floating-point unit begins cleared.

use super::float_work::spin_with_float;
use super::{FLOATS_RIGHT, LEFT, RIGHT, check, labour};
use core::arch::asm;
use taktos_kernel::{System, Timeout};
use virt_riscv64::Board;

/// A thread that ends with floating-point state leaves nothing behind, not even when it begins anew.
pub fn begins_cleared_after_an_end() {
    for _ in 0..3 {
        check("cleared", LEFT.start(begins_cleared).is_ok());
        check("cleared", LEFT.join(Timeout::FOREVER).is_ok());
        check("cleared", RIGHT.start_with(labour, &FLOATS_RIGHT).is_ok());
        check("cleared", RIGHT.join(Timeout::FOREVER).is_ok());
    }
    Board::write("floating point begins cleared\n");
}

fn begins_cleared() {
    let (first, last): (u64, u64);
    // SAFETY: reads two registers of this thread.
    unsafe {
        asm!(
            ".option push",
            ".option arch, +d",
            "fmv.x.d {0}, f0",
            "fmv.x.d {1}, f31",
            ".option pop",
            out(reg) first, out(reg) last,
            options(nomem, nostack, preserves_flags),
        );
    }
    check("floating-point registers begin as zero", first | last == 0);
    check("floats", spin_with_float(0x7777_7777, 3) == 0);
}
