//! Common code of the tests of the distributions: a chi-square test over sixteen classes, with one
//! seed for all.

use super::draws::{Draws, Key, Purpose};
use super::drs::simplex;

const CLASSES: usize = 16;

/// The 99.99 % point of chi-square with fifteen degrees of freedom is 44.3.
pub(super) const LIMIT: f64 = 44.3;

/// Statistics of a point: a coordinate, the largest, the smallest.
pub(super) const STATISTICS: [fn(&[f64]) -> f64; 3] = [
    |point| point[0],
    |point| point.iter().copied().fold(0.0, f64::max),
    |point| point.iter().copied().fold(f64::MAX, f64::min),
];

pub(super) fn draws() -> Draws {
    numbered(0)
}

fn numbered(index: u32) -> Draws {
    let key = Key {
        experiment: 0x7461_6b74_6f73,
        point: 0,
        index,
    };
    Draws::new(key, Purpose::Utilisation)
}

/// Chi-square of values that should be even in [0, 1].
pub(super) fn uniform(count: usize, mut value: impl FnMut(&mut Draws) -> f64) -> f64 {
    let mut draws = draws();
    let mut classes = [0.0; CLASSES];
    for _ in 0..count {
        let class = (value(&mut draws) * CLASSES as f64) as usize;
        classes[class.min(CLASSES - 1)] += 1.0;
    }
    let expected = count as f64 / CLASSES as f64;
    classes
        .iter()
        .map(|seen| (seen - expected) * (seen - expected) / expected)
        .sum()
}

/// Chi-square of two kinds of draws that should have the same distribution:
/// the classes are equal parts of the second kind.
pub(super) fn different(
    count: usize,
    mut left: impl FnMut(&mut Draws) -> f64,
    mut right: impl FnMut(&mut Draws) -> f64,
) -> f64 {
    let (mut one, mut other) = (numbered(1), numbered(2));
    let mut known: Vec<f64> = (0..count).map(|_| right(&mut other)).collect();
    known.sort_unstable_by(f64::total_cmp);
    let bounds: Vec<f64> = (1..CLASSES)
        .map(|class| known[class * count / CLASSES])
        .collect();
    let mut seen = [[0.0; CLASSES]; 2];
    for _ in 0..count {
        let (value, again) = (left(&mut one), right(&mut other));
        seen[0][bounds.partition_point(|bound| *bound <= value)] += 1.0;
        seen[1][bounds.partition_point(|bound| *bound <= again)] += 1.0;
    }
    let [ours, theirs] = seen;
    ours.iter()
        .zip(theirs)
        .filter(|(ours, theirs)| **ours + theirs > 0.0)
        .map(|(ours, theirs)| (ours - theirs) * (ours - theirs) / (ours + theirs))
        .sum()
}

/// An exactly even point within limits: points of the simplex are thrown away
/// until one fits.
pub(super) fn thrown(limits: &[f64], sum: f64, draws: &mut Draws) -> Vec<f64> {
    let missing = sum > limits.iter().sum::<f64>() / 2.0;
    let sum = if missing {
        limits.iter().sum::<f64>() - sum
    } else {
        sum
    };
    loop {
        let point = simplex(limits.len(), sum, draws);
        if point.iter().zip(limits).all(|(part, limit)| part <= limit) {
            let turned = |(part, limit): (&f64, &f64)| if missing { limit - part } else { *part };
            return point.iter().zip(limits).map(turned).collect();
        }
    }
}
