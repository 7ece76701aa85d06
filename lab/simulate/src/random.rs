//! Owns: random numbers that are functions of where they are used.
//! Must never know: the use of the numbers.
//!
//! Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as
//! easy as 1, 2, 3", SC 2011): a keyed function of a counter. A draw depends
//! on its coordinates alone, never on how many draws came before, so workers
//! and replays need no shared state.

/// The multipliers of the two halves of a round (the paper's table 2).
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// Increments of the key in each round: the golden ratio and √3 − 1, as fractions of 2³².
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: usize = 10;

/// Four words from a key of two and a counter of four. Ten rounds, no branch.
pub fn philox(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    let mut key = key;
    let mut block = counter;
    for _ in 0..ROUNDS {
        let left = u64::from(MULTIPLIERS[0]) * u64::from(block[0]);
        let right = u64::from(MULTIPLIERS[1]) * u64::from(block[2]);
        block = [
            (right >> 32) as u32 ^ block[1] ^ key[0],
            right as u32,
            (left >> 32) as u32 ^ block[3] ^ key[1],
            left as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    block
}

/// An endless row of numbers for one purpose: a seed and a number that says which row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    key: [u32; 2],
    row: u64,
}

impl Stream {
    /// The row `row` of `seed`.
    pub const fn new(seed: u64, row: u64) -> Self {
        Self {
            key: [seed as u32, (seed >> 32) as u32],
            row,
        }
    }

    /// The number at `place`: 64 even bits.
    pub fn at(self, place: u64) -> u64 {
        let [row, high_row] = [self.row as u32, (self.row >> 32) as u32];
        let block = philox(
            self.key,
            [place as u32, (place >> 32) as u32, row, high_row],
        );
        u64::from(block[0]) | u64::from(block[1]) << 32
    }

    /// The number at `place`, evenly distributed in 0 to `last`, both included.
    /// (The high half of a product; its bias is below `last` · 2⁻⁶⁴.)
    pub fn below_or_at(self, place: u64, last: u64) -> u64 {
        ((u128::from(self.at(place)) * (u128::from(last) + 1)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that the authors publish with their code (Random123, kat_vectors).
    #[test]
    fn known_answers() {
        assert_eq!(
            philox([0; 2], [0; 4]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox([u32::MAX; 2], [u32::MAX; 4]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox(
                [0xa409_3822, 0x299f_31d0],
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344]
            ),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn a_range_is_filled_evenly_and_never_left() {
        let stream = Stream::new(7, 3);
        let mut counts = [0u32; 5];
        for place in 0..50_000 {
            counts[stream.below_or_at(place, 4) as usize] += 1;
        }
        // Five standard deviations of a binomial with n = 50 000, p = 1/5: 447.
        assert!(
            counts.iter().all(|count| count.abs_diff(10_000) < 447),
            "{counts:?}"
        );
        assert_eq!(stream.below_or_at(9, 0), 0);
        assert_eq!(stream.below_or_at(9, u64::MAX), stream.at(9));
    }
}
