//! Owns: a pseudo-random source. Must never know: the decisions that use it.

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Chance(u64);

impl Chance {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, which is not zero.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Returns one of `all`, which is not empty.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// Returns a word that hits edges more often than uniform numbers would: all zeroes, all ones,
    /// one bit, something small, anything.
    pub fn word(&mut self) -> u64 {
        let any = self.next();
        match any % 8 {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (any >> 8 & 63),
            3 => any >> 8 & 0xFF,
            4 => any >> 32,
            _ => any,
        }
    }
}
