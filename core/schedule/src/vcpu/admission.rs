//! Owns: the tests that say whether servers get their budgets.
//! Must never know: when they run.
//!
//! A server may use `budget` in each `period`. Sums are exact in integers as long
//! as the periods' least common multiple stays below 2⁶³ ns; beyond that each
//! term is rounded up to 2⁻⁶⁰ processors, which can only refuse.

use super::Error;
use taktos_time::Duration;

/// Whether new parameters have to pass a schedulability test, and which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// The density test: [`density`].
    Density,
    /// The interference test, which holds for any pattern of waking: [`interference`].
    Interference,
    /// None: whatever is in range.
    Forced,
}

/// A server's share: `budget` in each `period`, both above zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// The time that the server may use in a period.
    pub budget: Duration,
    /// How long a period is.
    pub period: Duration,
}

/// The density test of Goossens, Funk and Baruah (2003) for global EDF on
/// `cpus` processors: Σ B/P ≤ m − (m − 1) · max B/P. With one processor it is
/// Σ B/P ≤ 1. As many processors as servers are always enough.
///
/// It holds for servers that want their whole budget from the start of each
/// period, and for those which forfeit what they leave (SEDF). It does *not* hold
/// for deferrable servers that wake in the middle of a period with their budget
/// kept: see [`interference`]. Bound: two passes over `shares`.
pub fn density(shares: impl Iterator<Item = Share> + Clone, cpus: usize) -> Result<(), Error> {
    let scale = common_period(shares.clone()).unwrap_or(1 << 60);
    let (mut sum, mut most, mut count) = (0u128, 0u128, 0usize);
    for share in shares {
        let part = scaled(share, scale);
        sum += part;
        most = most.max(part);
        count += 1;
    }
    if count <= cpus && most <= scale {
        return Ok(()); // A processor for each.
    }
    let cpus = cpus as u128;
    // A share may be larger than the whole of what is left: never below zero.
    let available = (cpus * scale).saturating_sub(cpus.saturating_sub(1) * most);
    if sum <= available {
        return Ok(());
    }
    Err(Error::NotAdmitted {
        test: "the density test of Goossens, Funk and Baruah",
        needed: millionths_up(sum, scale),
        available: (available * 1_000_000 / scale) as u64,
    })
}

/// `share` as a number of parts of a `scale`th processor, rounded up.
fn scaled(share: Share, scale: u128) -> u128 {
    let budget = u128::from(share.budget.as_nanos());
    (budget * scale).div_ceil(u128::from(share.period.as_nanos().max(1)))
}

fn millionths_up(value: u128, scale: u128) -> u64 {
    u64::try_from((value * 1_000_000).div_ceil(scale)).unwrap_or(u64::MAX)
}

/// The least common multiple of the periods, if it stays below 2⁶³ ns.
fn common_period(shares: impl Iterator<Item = Share>) -> Option<u128> {
    let mut common = 1u64;
    for share in shares {
        let period = share.period.as_nanos().max(1);
        common = common.checked_mul(period / greatest_common_divisor(common, period))?;
    }
    (common < 1 << 63).then_some(u128::from(common))
}

const fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The interference test of Bertogna, Cirinei and Lipari (2005) for one server
/// `own` under global EDF, which may run on `cpus` processors that it shares with
/// `others`: it gets its budget in every period during all of which it wants it,
/// *whatever* the others do.
///
/// In a window as long as its period, another server uses with deadlines up to the window's end at
/// most W = ⌊P/Pᵢ⌋·Bᵢ + min(Bᵢ, P mod Pᵢ). This also holds when it wakes late with its budget kept
/// (two budgets back to back): so the test holds for deferrable servers. With X = P − B + 1 ns,
/// the delay which would first hurt, it tests Σ min(W, X) < m · X. Bound: one pass over `others`.
pub fn interference(
    own: Share,
    others: impl Iterator<Item = Share>,
    cpus: usize,
) -> Result<(), Error> {
    let period = own.period.as_nanos();
    let hurting = u128::from(period.saturating_sub(own.budget.as_nanos())) + 1;
    let mut sum = 0u128;
    for other in others {
        sum += u128::from(demand(other, period)).min(hurting);
    }
    let limit = cpus as u128 * hurting;
    if sum < limit {
        return Ok(());
    }
    Err(Error::NotAdmitted {
        test: "the interference test of Bertogna, Cirinei and Lipari",
        needed: millionths_up(sum, hurting),
        available: cpus as u64 * 1_000_000,
    })
}

/// The most that `share` uses in a `window` with deadlines up to its end.
fn demand(share: Share, window: u64) -> u64 {
    let (budget, period) = (share.budget.as_nanos(), share.period.as_nanos().max(1));
    let whole = (window / period).saturating_mul(budget);
    whole.saturating_add(budget.min(window % period))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(budget: u64, period: u64) -> Share {
        Share {
            budget: Duration::from_millis(budget),
            period: Duration::from_millis(period),
        }
    }

    #[test]
    fn one_processor_is_filled_to_the_last_nanosecond() {
        let thirds = [share(1, 3), share(2, 6), share(3, 9)];
        assert_eq!(density(thirds.into_iter(), 1), Ok(()));
        let more = Share {
            budget: Duration::from_nanos(1),
            period: Duration::from_secs(1),
        };
        let refused = density(thirds.into_iter().chain([more]), 1);
        assert!(matches!(
            refused,
            Err(Error::NotAdmitted {
                needed: 1_000_001,
                available: 1_000_000,
                ..
            })
        ));
    }

    #[test]
    fn a_heavy_server_leaves_less_of_several_processors() {
        // Bound on two: 2 − 0.9 = 1.1.
        let set = [share(9, 10), share(1, 10)];
        let heavy = [share(9, 10); 3];
        assert_eq!(density(heavy.into_iter(), 3), Ok(()));
        assert!(density(heavy.into_iter().chain([share(1, 10)]), 3).is_err());
        assert_eq!(density(set.into_iter(), 2), Ok(()));
        let refused = density(set.into_iter().chain([share(2, 10)]), 2);
        assert!(matches!(
            refused,
            Err(Error::NotAdmitted {
                needed: 1_200_000,
                available: 1_100_000,
                ..
            })
        ));
    }

    #[test]
    fn periods_without_a_small_multiple_only_ever_refuse() {
        // Three primes near 2³¹: their multiple is beyond 2⁶³. A third of each,
        // rounded down, fits; all of it with a nanosecond more does not.
        let primes = [2_147_483_647u64, 2_147_483_629, 2_147_483_587];
        let set = |extra: u64| {
            primes.map(|period| Share {
                budget: Duration::from_nanos(period / 3 + extra),
                period: Duration::from_nanos(period),
            })
        };
        assert_eq!(density(set(0).into_iter(), 1), Ok(()));
        assert!(density(set(1).into_iter(), 1).is_err());
    }

    #[test]
    fn budgets_back_to_back_are_counted() {
        // 10 and 14 ms: in any 14 ms the first can use 5 + min(5, 4) = 9, which
        // leaves 5: below 7, though the densities sum to one.
        let (first, second) = (share(5, 10), share(7, 14));
        assert_eq!(density([first, second].into_iter(), 1), Ok(()));
        assert!(interference(second, [first].into_iter(), 1).is_err());
        assert_eq!(interference(share(5, 14), [first].into_iter(), 1), Ok(()));
        let more = Share {
            budget: Duration::from_nanos(5_000_001),
            period: Duration::from_millis(14),
        };
        assert!(interference(more, [first].into_iter(), 1).is_err());
    }

    #[test]
    fn a_server_of_whole_periods_needs_a_processor_that_nobody_can_take() {
        let own = share(10, 10);
        assert_eq!(interference(own, [share(1, 10)].into_iter(), 2), Ok(()));
        assert!(interference(own, [share(1, 10); 2].into_iter(), 2).is_err());
    }
}
