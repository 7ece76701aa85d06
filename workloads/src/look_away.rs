//! Time that passes between two reads of a program that waits busily.
//!
//! Owns: how a processor counts. Must never know: what is waited for. Reading the clock, and a hint
//! that nothing is done, leave an emulator's translated code; a suite that does hardly anything
//! else takes three times as long.

/// Counts to `turns`: some instructions each.
pub fn look_away(turns: u32) {
    (0..turns).map(core::hint::black_box).for_each(drop);
}
