//! Owns: random numbers from a seed. Must never know: what for.

#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
pub(crate) struct Chance {
    state: u64,
}

impl Chance {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    #[cfg(target_has_atomic = "64")]
    /// A random source of a thread that can end at any time. The thread continues with it in its
    /// next life.
    pub(crate) fn draw(state: &AtomicU64) -> Self {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let state = state.fetch_add(STEP, Relaxed);
        Self {
            state: mix(state ^ 0x5DEE_CE66),
        }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True in one of `cases`.
    pub(crate) fn one_in(&mut self, cases: u64) -> bool {
        self.below(cases) == 0
    }
}

fn mix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
