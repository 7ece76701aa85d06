//! Owns: the bounds of a set's utilisations, and the ways to draw them.
//! Must never know: periods.
//!
//! Utilisations are whole billionths of a processor, so that their sum is exactly the requested
//! one.

use super::GenerateError;
use super::draws::Draws;
use super::drs::bounded;
use super::fixed_sum::FixedSum;
use super::uunifast::{discard, uunifast};

/// Billionths in one.
pub const WHOLE: u64 = 1_000_000_000;

/// How utilisations are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Evenly over all with the sum; bounds are not kept, so sums above 1 may
    /// give tasks that no processor can serve.
    UUniFast,
    /// Like [`Method::UUniFast`], drawn again until the bounds are kept; for small sums.
    UUniFastDiscard,
    /// Evenly over all with the sum that keep one lower and one upper bound.
    RandFixedSum,
    /// Nearly evenly over all with the sum that keep each task's own bounds;
    /// exactly evenly where bounds are loose. See the module `drs`.
    Drs,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::UUniFast,
        Self::UUniFastDiscard,
        Self::RandFixedSum,
        Self::Drs,
    ];

    /// The name that users write.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UUniFast => "uunifast",
            Self::UUniFastDiscard => "uunifast-discard",
            Self::RandFixedSum => "randfixedsum",
            Self::Drs => "drs",
        }
    }
}

/// Bounds and sum of the utilisations of a set, in processors.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    pub sum: f64,
}

impl Request {
    /// The bounds, one pair for each task, and the sum, all in billionths.
    ///
    /// # Errors
    /// When nothing can keep them.
    pub(super) fn new(bounds: &[(u64, u64)], sum: u64) -> Result<Self, GenerateError> {
        let lower: u64 = bounds.iter().map(|(lower, _)| lower).sum();
        let upper: u64 = bounds.iter().map(|(_, upper)| upper).sum();
        let crossed = bounds.iter().any(|(lower, upper)| lower > upper);
        if crossed || !(lower..=upper).contains(&sum) {
            return Err(GenerateError::Sum { lower, upper, sum });
        }
        let part = |billionths: u64| billionths as f64 / WHOLE as f64;
        Ok(Self {
            lower: bounds.iter().map(|(lower, _)| part(*lower)).collect(),
            upper: bounds.iter().map(|(_, upper)| part(*upper)).collect(),
            sum: part(sum),
        })
    }

    /// Whether all bounds are kept.
    pub(super) fn keeps(&self, parts: &[f64]) -> bool {
        let bounds = self.lower.iter().zip(&self.upper);
        parts
            .iter()
            .zip(bounds)
            .all(|(part, (lower, upper))| (*lower..=*upper).contains(part))
    }

    /// Draws, and puts the lower bounds underneath.
    fn above_lower(&self, draw: impl FnOnce(&[f64], f64) -> Vec<f64>) -> Vec<f64> {
        let bounds = self.lower.iter().zip(&self.upper);
        let room: Vec<f64> = bounds.map(|(lower, upper)| upper - lower).collect();
        let all: f64 = room.iter().sum();
        let rest = (self.sum - self.lower.iter().sum::<f64>()).clamp(0.0, all);
        let parts = draw(&room, rest);
        self.lower
            .iter()
            .zip(parts)
            .map(|(lower, part)| lower + part)
            .collect()
    }
}

/// Utilisations in billionths: their sum is `sum`, and each is within its
/// bounds (but with [`Method::UUniFast`], which keeps none).
///
/// # Errors
/// When nothing can keep the bounds, or the method does not find what does.
pub(super) fn utilisations(
    method: Method,
    bounds: &[(u64, u64)],
    sum: u64,
    draws: &mut Draws,
) -> Result<Vec<u64>, GenerateError> {
    if method == Method::UUniFast {
        let parts = uunifast(bounds.len(), sum as f64 / WHOLE as f64, draws);
        return Ok(whole(&parts, &vec![(0, sum); bounds.len()], sum));
    }
    let request = Request::new(bounds, sum)?;
    let parts = match method {
        Method::UUniFast | Method::UUniFastDiscard => discard(&request, draws)?,
        Method::RandFixedSum => {
            if bounds.windows(2).any(|pair| pair[0] != pair[1]) {
                return Err(GenerateError::OneBound);
            }
            request.above_lower(|room, rest| scaled(room, rest, draws))
        }
        Method::Drs => request.above_lower(|room, rest| bounded(room, rest, draws)),
    };
    Ok(whole(&parts, bounds, sum))
}

fn scaled(room: &[f64], rest: f64, draws: &mut Draws) -> Vec<f64> {
    let width = room[0];
    if width <= 0.0 {
        return vec![0.0; room.len()];
    }
    let point = FixedSum::new(room.len(), rest / width).draw(draws);
    point.into_iter().map(|part| part * width).collect()
}

/// Rounds to billionths within the bounds, with the sum kept: what rounding
/// takes away is given back one by one, in the order of the tasks.
fn whole(parts: &[f64], bounds: &[(u64, u64)], sum: u64) -> Vec<u64> {
    let rounded = |(part, (lower, upper)): (&f64, &(u64, u64))| {
        ((part * WHOLE as f64) as u64).clamp(*lower, *upper)
    };
    let mut whole: Vec<u64> = parts.iter().zip(bounds).map(rounded).collect();
    let mut all: u64 = whole.iter().sum();
    while all != sum {
        for (part, (lower, upper)) in whole.iter_mut().zip(bounds) {
            if all < sum && *part < *upper {
                *part += 1;
                all += 1;
            } else if all > sum && *part > *lower {
                *part -= 1;
                all -= 1;
            }
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::check;
    use super::*;

    #[test]
    fn a_sum_that_no_bounds_allow_is_refused() {
        let mut draws = check::draws();
        for method in [Method::UUniFastDiscard, Method::RandFixedSum, Method::Drs] {
            for sum in [199, 2 * WHOLE + 1] {
                let drawn = utilisations(method, &[(100, WHOLE); 2], sum, &mut draws);
                assert!(
                    matches!(drawn, Err(GenerateError::Sum { .. })),
                    "{method:?}"
                );
            }
        }
    }

    #[test]
    fn discard_gives_up_where_hardly_anything_fits() {
        let mut draws = check::draws();
        let drawn = utilisations(
            Method::UUniFastDiscard,
            &[(0, WHOLE); 20],
            15 * WHOLE,
            &mut draws,
        );
        assert!(matches!(drawn, Err(GenerateError::Discarded { .. })));
    }

    #[test]
    fn bounds_of_ones_own_need_drs() {
        let mut draws = check::draws();
        let bounds = [(0, WHOLE), (0, WHOLE / 2)];
        let drawn = utilisations(Method::RandFixedSum, &bounds, WHOLE, &mut draws);
        assert!(matches!(drawn, Err(GenerateError::OneBound)));
        assert!(utilisations(Method::Drs, &bounds, WHOLE, &mut draws).is_ok());
    }

    #[test]
    fn methods_agree_where_all_can_draw() {
        for method in [Method::UUniFastDiscard, Method::Drs] {
            let draw = |method: Method| {
                move |draws: &mut Draws| {
                    let bounds = [(WHOLE / 20, WHOLE * 6 / 10); 4];
                    let drawn = utilisations(method, &bounds, WHOLE, draws).unwrap();
                    drawn[1] as f64
                }
            };
            let different = check::different(20_000, draw(method), draw(Method::RandFixedSum));
            assert!(different < check::LIMIT, "{method:?}: {different}");
        }
    }

    proptest! {
        #![proptest_config(taktos_random::config())]

        #[test]
        fn the_sum_is_exact_and_every_bound_is_kept(
            bounds in prop::collection::vec((0..=WHOLE, 0..=WHOLE), 1..12),
            share in 0..=WHOLE,
            index: u32,
        ) {
            let bounds: Vec<(u64, u64)> = bounds
                .into_iter()
                .map(|(one, other)| (one.min(other), one.max(other)))
                .collect();
            let lower: u64 = bounds.iter().map(|(lower, _)| lower).sum();
            let upper: u64 = bounds.iter().map(|(_, upper)| upper).sum();
            let range = u128::from(upper - lower) * u128::from(share) / u128::from(WHOLE);
            let sum = lower + range as u64;
            let key = super::super::Key { experiment: 5, point: 0, index };
            let mut draws = Draws::new(key, super::super::draws::Purpose::Utilisation);
            let drawn = utilisations(Method::Drs, &bounds, sum, &mut draws).unwrap();
            prop_assert_eq!(drawn.iter().sum::<u64>(), sum);
            for (part, (lower, upper)) in drawn.iter().zip(&bounds) {
                prop_assert!((*lower..=*upper).contains(part));
            }
            let even = vec![(lower / bounds.len() as u64, WHOLE); bounds.len()];
            let drawn = utilisations(Method::RandFixedSum, &even, sum, &mut draws).unwrap();
            prop_assert_eq!(drawn.iter().sum::<u64>(), sum);
            prop_assert!(drawn.iter().all(|part| (even[0].0..=WHOLE).contains(part)));
        }
    }
}
