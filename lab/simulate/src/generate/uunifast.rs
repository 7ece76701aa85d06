//! Owns: utilisations that are evenly distributed over all with one sum.
//! Must never know: periods.

use super::GenerateError;
use super::draws::Draws;
use super::utilisation::Request;

/// How many vectors are drawn before it is given up: above that, hardly any
/// vector of this sum keeps the bound.
const ATTEMPTS: u32 = 10_000;

/// UUniFast (Bini, Buttazzo: "Measuring the performance of schedulability
/// tests", Real-Time Systems 30, 2005): what is left for the other tasks is the
/// largest of as many even draws. O(n).
///
/// Sums above 1 give vectors with parts above 1; no bound is kept.
pub(super) fn uunifast(count: usize, sum: f64, draws: &mut Draws) -> Vec<f64> {
    let mut left = sum;
    let mut parts = Vec::with_capacity(count);
    for others in (1..count).rev() {
        let rest = left * libm::pow(draws.unit(), 1.0 / others as f64);
        parts.push(left - rest);
        left = rest;
    }
    parts.push(left);
    parts
}

/// UUniFast with discard (Davis, Burns: RTSS 2009): draws again until every
/// part keeps its bounds.
///
/// # Errors
/// When hardly any vector of this sum keeps the bounds.
pub(super) fn discard(request: &Request, draws: &mut Draws) -> Result<Vec<f64>, GenerateError> {
    for _ in 0..ATTEMPTS {
        let parts = uunifast(request.lower.len(), request.sum, draws);
        if request.keeps(&parts) {
            return Ok(parts);
        }
    }
    Err(GenerateError::Discarded { attempts: ATTEMPTS })
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn parts_are_distributed_as_the_simplex_says() {
        // One part of an even point of the simplex has the distribution
        // function 1 − (1 − x)^(n−1).
        let even = check::uniform(40_000, |draws| {
            let parts = uunifast(5, 1.0, draws);
            1.0 - libm::pow(1.0 - parts[0], 4.0)
        });
        assert!(even < check::LIMIT, "first part: {even}");
        let even = check::uniform(40_000, |draws| {
            let parts = uunifast(5, 1.0, draws);
            1.0 - libm::pow(1.0 - parts[4], 4.0)
        });
        assert!(even < check::LIMIT, "last part: {even}");
    }
}
