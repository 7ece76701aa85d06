//! Owns: the processor's vector registers, which no other code may change: the compiler of these
//! images uses none. Must never know: the cause of a change.
#![cfg_attr(
    all(target_arch = "aarch64", target_os = "none"),
    expect(unsafe_code, reason = "registers that the compiler does not name")
)]

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// 32 registers of two words.
const WORDS: usize = 64;
/// As for the memory's pattern.
const SPREAD: u64 = 0xD134_2543_DE82_EF95;

/// Where the registers come from, and go to.
pub struct Vectors([AtomicU64; WORDS]);

impl Vectors {
    /// Nothing in them yet.
    pub const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; WORDS])
    }

    fn word(number: u64) -> u64 {
        (number + 1).wrapping_mul(SPREAD)
    }

    /// Fills the registers of the thread that calls.
    pub fn fill(&self) {
        for (number, word) in (0..).zip(&self.0) {
            word.store(Self::word(number), Relaxed);
        }
        self.load();
    }

    /// Whether the registers of the thread that calls are as they were filled.
    pub fn are_kept(&self) -> bool {
        self.store();
        (0..)
            .zip(&self.0)
            .all(|(number, word)| word.load(Relaxed) == Self::word(number))
    }

    #[cfg(all(target_arch = "aarch64", target_os = "none"))]
    fn load(&self) {
        // SAFETY: reads the words; only this module uses the registers.
        unsafe {
            core::arch::asm!(
                ".arch_extension fp",
                ".arch_extension simd",
                ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                "ldr q\\n, [{words}, #16 * \\n]",
                ".endr",
                words = in(reg) self.0.as_ptr(),
                options(nostack, readonly)
            );
        }
    }

    #[cfg(all(target_arch = "aarch64", target_os = "none"))]
    fn store(&self) {
        // SAFETY: writes the words, which are as many, and shared by atomic accesses of this one
        // thread.
        unsafe {
            core::arch::asm!(
                ".arch_extension fp",
                ".arch_extension simd",
                ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                "str q\\n, [{words}, #16 * \\n]",
                ".endr",
                words = in(reg) self.0.as_ptr(),
                options(nostack)
            );
        }
    }

    /// Elsewhere there are no such registers: the words stand for them.
    #[cfg(not(all(target_arch = "aarch64", target_os = "none")))]
    fn load(&self) {}

    /// See [`Vectors::load`].
    #[cfg(not(all(target_arch = "aarch64", target_os = "none")))]
    fn store(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_is_seen() {
        let vectors = Vectors::new();
        assert!(!vectors.are_kept());
        vectors.fill();
        assert!(vectors.are_kept());
        vectors.0[63].fetch_xor(1, Relaxed);
        assert!(!vectors.are_kept());
    }
}
