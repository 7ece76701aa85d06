//! Owns: points of a cube that are evenly distributed over all with one sum.
//! Must never know: the meaning of the points.
//!
//! RandFixedSum (Stafford 2006; for task sets: Emberson, Stafford, Davis,
//! "Techniques for the synthesis of multiprocessor tasksets", WATERS 2010).
//!
//! The points of the n-cube [0, 1]ⁿ with sum r form a polytope P(n, r). Its
//! faces are where one coordinate is 0, each of them a P(n−1, r), and where one
//! is 1, each a P(n−1, r−1). Its centre has all coordinates r/n. The pyramids
//! from the centre over the faces fill it; their heights are as r to n − r. So
//! with v(n, r) the volume up to a factor that depends on n alone,
//!
//! v(n, r) = r · v(n−1, r) + (n − r) · v(n−1, r−1).
//!
//! An even point is drawn by choosing a face by its pyramid's volume, then the
//! distance from the centre (the (n−1)-th root of an even draw, since sections
//! grow with that power), then an even point of the face, in the same way. At
//! the end the coordinates change places at random: faces of one kind are alike.

use super::draws::Draws;

/// The chances of each step, for points of `count` coordinates with one sum.
#[derive(Clone, Debug)]
pub(super) struct FixedSum {
    count: usize,
    sum: f64,
    /// How many coordinates can still become 1, at the start.
    ones: usize,
    /// For each dimension from 2 on, by the number of ones left: the probability that the face is
    /// one where a coordinate is 1.
    chances: Vec<Vec<f64>>,
}

impl FixedSum {
    /// The table for `count` coordinates (at least 1) with the sum `sum`, 0 to
    /// `count`. O(n²) time and memory.
    pub(super) fn new(count: usize, sum: f64) -> Self {
        let ones = (sum as usize).min(count - 1);
        // The rest of the sum when `left` ones are still to come.
        let rest = |left: usize| sum - (ones - left) as f64;
        let mut volumes = vec![0.0; ones + 1];
        volumes[0] = 1.0;
        let mut chances = Vec::with_capacity(count - 1);
        for dimension in 2..=count {
            let mut next = vec![0.0; ones + 1];
            let mut chance = vec![0.0; ones + 1];
            for left in 0..=ones.min(dimension - 1) {
                let zero = volumes[left] * rest(left).max(0.0);
                let from = if left == 0 { 0.0 } else { volumes[left - 1] };
                let one = from * (dimension as f64 - rest(left)).max(0.0);
                next[left] = zero + one;
                chance[left] = if next[left] > 0.0 {
                    one / next[left]
                } else {
                    // A corner of the cube, without volume: all zeros, or all ones.
                    f64::from(rest(left) > dimension as f64 / 2.0)
                };
            }
            // Only ratios within a row matter: keep the numbers in range.
            let most = next.iter().copied().fold(0.0, f64::max);
            if most > 0.0 {
                next.iter_mut().for_each(|volume| *volume /= most);
            }
            volumes = next;
            chances.push(chance);
        }
        Self {
            count,
            sum,
            ones,
            chances,
        }
    }

    /// A point. O(n).
    pub(super) fn draw(&self, draws: &mut Draws) -> Vec<f64> {
        let mut point = Vec::with_capacity(self.count);
        let (mut sum, mut left) = (self.sum, self.ones);
        // The point is at `base + scale · (point of the face)`.
        let (mut base, mut scale) = (0.0, 1.0);
        for dimension in (2..=self.count).rev() {
            let one = draws.unit() < self.chances[dimension - 2][left];
            let reach = libm::pow(draws.unit(), 1.0 / (dimension - 1) as f64);
            base += (1.0 - reach) * scale * sum / dimension as f64;
            scale *= reach;
            if one {
                sum -= 1.0;
                left -= 1;
                point.push(base + scale);
            } else {
                point.push(base);
            }
        }
        point.push(base + scale * sum);
        draws.shuffle(&mut point);
        point
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_sum_is_kept_and_no_coordinate_leaves_the_cube() {
        let mut draws = check::draws();
        for (count, sum) in [
            (1, 0.7),
            (2, 1.0),
            (3, 2.999),
            (5, 0.0),
            (5, 5.0),
            (4, 3.0),
            (8, 3.2),
            (40, 20.0),
            (300, 7.5),
        ] {
            let table = FixedSum::new(count, sum);
            for _ in 0..200 {
                let point = table.draw(&mut draws);
                let total: f64 = point.iter().sum();
                assert!((total - sum).abs() < 1e-9, "{count}, {sum}: {total}");
                assert!(
                    point
                        .iter()
                        .all(|part| (-1e-12..=1.0 + 1e-12).contains(part))
                );
            }
        }
    }

    #[test]
    fn points_are_as_those_that_are_thrown_away_until_they_fit() {
        for (count, sum) in [(3, 1.5), (4, 1.3), (4, 2.7), (6, 2.0)] {
            let table = FixedSum::new(count, sum);
            let limits = vec![1.0; count];
            for statistic in check::STATISTICS {
                let different = check::different(
                    20_000,
                    |draws| statistic(&table.draw(draws)),
                    |draws| statistic(&check::thrown(&limits, sum, draws)),
                );
                assert!(different < check::LIMIT, "{count}, {sum}: {different}");
            }
        }
    }
}
