//! Stress tests of random operations, and making a failing one small.

/// An operation is one random number; its parts are drawn from it.
pub struct Dice(pub u64);

impl Dice {
    pub fn draw(&mut self, sides: usize) -> usize {
        let value = self.0 % sides as u64;
        self.0 /= sides as u64;
        value as usize
    }
}

/// The operation at which a stress test failed, and how.
pub type Failure = (usize, String);

/// Runs a stress test of `length` operations; a failing one is made small before it is reported.
pub fn storm(run: impl Fn(&[u64]) -> Result<(), Failure>, seed: u64, length: usize) {
    let mut state = seed;
    let words = (0..length)
        .map(|_| {
            // SplitMix64 (Steele, Lea, Flood 2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        })
        .collect::<Vec<_>>();
    if let Err((index, error)) = run(&words) {
        let words = shrink(&run, words[..=index.min(length - 1)].to_vec());
        let (_, last) = run(&words).expect_err("it fails still");
        panic!("seed {seed}: {error}\nshrunk: {last}\n{words:?}");
    }
}

/// Leaves out ever smaller parts of a failing stress test as long as it fails.
fn shrink(run: &impl Fn(&[u64]) -> Result<(), Failure>, mut words: Vec<u64>) -> Vec<u64> {
    let mut part = words.len().div_ceil(2);
    loop {
        let mut from = 0;
        let mut shrunk = false;
        while from < words.len() {
            let mut fewer = words.clone();
            fewer.drain(from..(from + part).min(words.len()));
            if run(&fewer).is_err() {
                words = fewer;
                shrunk = true;
            } else {
                from += part;
            }
        }
        if !shrunk && part == 1 {
            return words;
        }
        part = part.div_ceil(2).max(1);
    }
}
