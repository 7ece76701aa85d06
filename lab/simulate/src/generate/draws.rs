//! Owns: draws for a generator, one after the other, from numbers that are
//! functions of where they are used.
//! Must never know: the generated task sets.
//!
//! The elementary functions are those of `libm`, in Rust: the same bits on
//! every machine.

use crate::random::Stream;

/// Which set is generated: any one is made again without the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// Which experiment; users call it the seed.
    pub experiment: u64,
    /// Which point of the experiment.
    pub point: u32,
    /// Which set of the point.
    pub index: u32,
}

/// Draws for one set, in a fixed order.
#[derive(Clone, Debug)]
pub struct Draws {
    stream: Stream,
    place: u64,
}

impl Draws {
    /// The draws of the set `key`, for one `purpose`: draws for one purpose do
    /// not depend on how many there were for another.
    #[must_use]
    pub const fn new(key: Key, purpose: Purpose) -> Self {
        let row = (key.point as u64) << 32 | key.index as u64;
        Self {
            stream: Stream::new(key.experiment, row),
            place: (purpose as u64) << 56,
        }
    }

    fn bits(&mut self) -> u64 {
        self.place += 1;
        self.stream.at(self.place)
    }

    /// Evenly distributed in [0, 1), in steps of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Evenly distributed from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        self.place += 1;
        low + self
            .stream
            .below_or_at(self.place, high.saturating_sub(low))
    }

    /// Exponentially distributed with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Puts the values in an order, all orders equally likely.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            let other = self.between(0, last as u64) as usize;
            values.swap(last, other);
        }
    }
}

/// Purpose of draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Utilisations.
    Utilisation = 1,
    /// Periods.
    Period = 2,
    /// Deadlines.
    Deadline = 3,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_does_not_depend_on_the_others() {
        let key = |index| Key {
            experiment: 7,
            point: 1,
            index,
        };
        let first = |key, purpose| Draws::new(key, purpose).unit();
        assert_eq!(
            first(key(3), Purpose::Period),
            first(key(3), Purpose::Period)
        );
        assert_ne!(
            first(key(3), Purpose::Period),
            first(key(4), Purpose::Period)
        );
        assert_ne!(
            first(key(3), Purpose::Period),
            first(key(3), Purpose::Deadline)
        );
    }

    #[test]
    fn exponentials_have_mean_and_variance_one() {
        let mut draws = Draws::new(Key::default(), Purpose::Utilisation);
        let values: Vec<f64> = (0..100_000).map(|_| draws.exponential()).collect();
        let mean = values.iter().sum::<f64>() / 1e5;
        let square = values.iter().map(|value| value * value).sum::<f64>() / 1e5;
        // Five standard deviations: 5 / sqrt(1e5) and 5 * sqrt(20) / sqrt(1e5).
        assert!((mean - 1.0).abs() < 0.016, "{mean}");
        assert!((square - 2.0).abs() < 0.071, "{square}");
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut draws = Draws::new(Key::default(), Purpose::Utilisation);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut order = [0, 1, 2, 3];
            draws.shuffle(&mut order);
            *counts.entry(order).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // Five standard deviations of a binomial with n = 24 000, p = 1/24: 155.
        assert!(
            counts.values().all(|count| count.abs_diff(1000) < 155),
            "{counts:?}"
        );
    }
}
