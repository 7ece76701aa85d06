//! Owns: points with one sum and bounds of their own for each coordinate.
//! Must never know: the meaning of the points.
//!
//! Dirichlet-Rescale (Griffin, Bate, Davis: "Generating utilization vectors for the systematic
//! evaluation of schedulability tests", RTSS 2020). An even point of the simplex that leaves its
//! bounds is in a corner of the simplex: the part beyond all the bounds that it leaves. The corner
//! is a smaller simplex of the same shape, so it is stretched onto the whole one, and so on until
//! no bound is left.
//!
//! A corner has corners of its own, cut off by the other bounds, so what is stretched is not the
//! whole corner: where bounds are tight, the distribution is not even. Two things keep the
//! difference small. If the sum is above half of the bounds' sum, what is missing to the bounds is
//! drawn instead of what is there, which has the smaller simplex. And points are first thrown away
//! until one fits, which is exactly even, as long as that is quick.

use super::draws::Draws;

/// How many points are thrown away before stretching begins.
const THROWN: u32 = 64;
/// How often a point is stretched before another one is drawn.
const STRETCHED: u32 = 1000;
/// How far rounding may have moved the sum.
const SLACK: f64 = 1e-10;

/// A point with coordinates in 0 to `limits`, and the sum `sum`, 0 to the sum
/// of the limits. O(n) for each attempt.
pub(super) fn bounded(limits: &[f64], sum: f64, draws: &mut Draws) -> Vec<f64> {
    let all: f64 = limits.iter().sum();
    if sum <= all / 2.0 {
        return within(limits, sum, draws);
    }
    let missing = within(limits, (all - sum).max(0.0), draws);
    limits
        .iter()
        .zip(missing)
        .map(|(limit, missing)| limit - missing)
        .collect()
}

fn within(limits: &[f64], sum: f64, draws: &mut Draws) -> Vec<f64> {
    for _ in 0..THROWN {
        let point = simplex(limits.len(), sum, draws);
        if fits(&point, limits) {
            return point;
        }
    }
    loop {
        if let Some(point) = stretched(limits, sum, draws) {
            return point;
        }
    }
}

fn fits(point: &[f64], limits: &[f64]) -> bool {
    point.iter().zip(limits).all(|(part, limit)| part <= limit)
}

/// An even point of the simplex (Dirichlet's distribution with all parameters 1).
pub(super) fn simplex(count: usize, sum: f64, draws: &mut Draws) -> Vec<f64> {
    let parts: Vec<f64> = (0..count).map(|_| draws.exponential()).collect();
    let all: f64 = parts.iter().sum();
    // All draws are zero with a probability of 2⁻⁵³ⁿ.
    let scale = if all > 0.0 { sum / all } else { 0.0 };
    parts.iter().map(|part| part * scale).collect()
}

/// A point that was stretched until it fits; none when it did not come to that,
/// or rounding has grown too much on the way.
fn stretched(limits: &[f64], sum: f64, draws: &mut Draws) -> Option<Vec<f64>> {
    let mut point = simplex(limits.len(), sum, draws);
    for _ in 0..STRETCHED {
        if fits(&point, limits) {
            let total: f64 = point.iter().sum();
            return ((total - sum).abs() <= SLACK * sum.max(1.0)).then_some(point);
        }
        let left = |(part, limit): (&f64, &f64)| if part > limit { *limit } else { 0.0 };
        let cut: Vec<f64> = point.iter().zip(limits).map(left).collect();
        let rest = sum - cut.iter().sum::<f64>();
        if rest <= 0.0 {
            return None;
        }
        for (part, cut) in point.iter_mut().zip(cut) {
            *part = (*part - cut) * (sum / rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    const CASES: [(&[f64], f64); 5] = [
        (&[0.3, 0.3, 0.3, 0.3], 1.0),
        (&[0.6, 0.5, 0.2, 0.1], 1.0),
        (&[1.0, 0.1, 0.1], 0.9),
        (&[0.25, 0.5, 0.75, 1.0, 1.0], 1.4),
        (&[0.4, 0.4, 0.4, 0.4, 0.4, 0.4], 1.1),
    ];

    #[test]
    fn bounds_and_the_sum_are_kept() {
        let mut draws = check::draws();
        let tight: (&[f64], f64) = (&[0.05; 20], 0.9999);
        let loose: (&[f64], f64) = (&[1.0; 20], 0.5);
        let exact: (&[f64], f64) = (&[0.5, 0.5], 1.0);
        for (limits, sum) in CASES
            .into_iter()
            .chain([tight, loose, exact, (&[1.0], 0.25)])
        {
            for _ in 0..200 {
                let point = bounded(limits, sum, &mut draws);
                let total: f64 = point.iter().sum();
                assert!((total - sum).abs() < 1e-8, "{limits:?}, {sum}: {total}");
                for (part, limit) in point.iter().zip(limits) {
                    assert!((-1e-9..=limit + 1e-9).contains(part), "{point:?}");
                }
            }
        }
    }

    #[test]
    fn points_are_as_those_that_are_thrown_away_until_they_fit() {
        for (limits, sum) in CASES {
            for statistic in check::STATISTICS {
                let different = check::different(
                    20_000,
                    |draws| statistic(&bounded(limits, sum, draws)),
                    |draws| statistic(&check::thrown(limits, sum, draws)),
                );
                assert!(different < check::LIMIT, "{limits:?}, {sum}: {different}");
            }
        }
    }

    #[test]
    fn stretched_points_are_nearly_even() {
        // Mean and spread, within 2 % of those of the even distribution.
        let moments = |draw: &dyn Fn(&mut Draws) -> Vec<f64>| {
            let mut draws = check::draws();
            let points: Vec<f64> = (0..40_000).map(|_| draw(&mut draws)[0]).collect();
            let mean = points.iter().sum::<f64>() / points.len() as f64;
            let square = points.iter().map(|part| part * part).sum::<f64>();
            (mean, (square / points.len() as f64 - mean * mean).sqrt())
        };
        for (limits, sum) in [(&[0.6, 0.5, 0.2, 0.1][..], 0.4), (&[0.3; 6][..], 0.9)] {
            let ours = moments(&|draws| loop {
                if let Some(point) = stretched(limits, sum, draws) {
                    return point;
                }
            });
            let even = moments(&|draws| check::thrown(limits, sum, draws));
            assert!((ours.0 / even.0 - 1.0).abs() < 0.02, "{ours:?}, {even:?}");
            assert!((ours.1 / even.1 - 1.0).abs() < 0.02, "{ours:?}, {even:?}");
        }
    }
}
