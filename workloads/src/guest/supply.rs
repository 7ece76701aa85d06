//! Owns: the time that a guest gets of a processor, computed from the gaps that it sees, and
//! whether that is what a server guarantees. Must never know: how gaps are seen.
//!
//! A server guarantees a budget in each of its periods, wherever in them. The guest does not know
//! where the periods begin, so all beginnings are tried: if the guarantee was kept, there is one by
//! which no period falls short.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The most gaps that are kept.
pub const MOST: usize = 1 << 18;
/// The bits of a gap's length; a longer one is kept as the longest.
const LENGTH_BITS: u32 = 28;
const LONGEST: u64 = (1 << LENGTH_BITS) - 1;
/// Number of beginnings that are tried; then `2 * FINE` are tried around the best of them.
const COARSE: u64 = 64;
const FINE: u64 = 16;

/// The gaps in a guest's time, in nanoseconds from where it began to look. One thread adds, or
/// looks when all are in.
pub struct Gaps {
    /// Where a gap begins, above its length.
    all: [AtomicU64; MOST],
    count: AtomicUsize,
}

/// How a span looks when it is cut into periods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Where the first period begins.
    pub first: u64,
    /// How many whole periods there are.
    pub periods: u64,
    /// The least that a period had of the processor.
    pub least: u64,
    /// How many periods had less than the budget.
    pub short: u64,
}

impl Gaps {
    /// No gap.
    pub const fn new() -> Self {
        Self {
            all: [const { AtomicU64::new(0) }; MOST],
            count: AtomicUsize::new(0),
        }
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.count.store(0, Relaxed);
    }

    /// Adds the gap from `from` to `to`, which is after all others. Returns whether there was space
    /// for it.
    pub fn add(&self, from: u64, to: u64) -> bool {
        let at = self.count.load(Relaxed);
        let Some(place) = self.all.get(at) else {
            return false;
        };
        place.store((from << LENGTH_BITS) | (to - from).min(LONGEST), Relaxed);
        self.count.store(at + 1, Relaxed);
        true
    }

    /// The gaps, each from where to where.
    fn each(&self) -> impl Iterator<Item = (u64, u64)> {
        let kept = &self.all[..self.count.load(Relaxed).min(MOST)];
        kept.iter().map(|gap| {
            let gap = gap.load(Relaxed);
            let from = gap >> LENGTH_BITS;
            (from, from + (gap & LONGEST))
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// How long all are together, and how long the longest.
    pub fn lengths(&self) -> (u64, u64) {
        self.each().fold((0, 0), |(sum, most), (from, to)| {
            (sum + (to - from), most.max(to - from))
        })
    }

    /// Returns the best cut of a span of `span` nanoseconds into periods, each to have `budget`:
    /// the one with the most in the poorest period. A beginning is found to a 1024th of a period.
    pub fn best(&self, span: u64, period: u64, budget: u64) -> Cut {
        let step = (period / COARSE).max(1);
        let coarse = self.best_of((0..COARSE).map(|n| n * step), span, period, budget);
        let fine = (step / FINE).max(1);
        // One step before the best, to one after it.
        let least = coarse.first + period - step;
        let around = (0..2 * FINE).map(|n| (least + n * fine) % period);
        let found = self.best_of(around, span, period, budget);
        if found.least > coarse.least {
            found
        } else {
            coarse
        }
    }

    fn best_of(
        &self,
        firsts: impl Iterator<Item = u64>,
        span: u64,
        period: u64,
        budget: u64,
    ) -> Cut {
        firsts
            .map(|first| self.cut(first, span, period, budget))
            .max_by_key(|cut| cut.least)
            .unwrap_or(Cut {
                first: 0,
                periods: 0,
                least: 0,
                short: 0,
            })
    }

    /// How the span looks when its periods begin at `first`.
    pub fn cut(&self, first: u64, span: u64, period: u64, budget: u64) -> Cut {
        let periods = span.saturating_sub(first) / period;
        let mut cut = Cut {
            first,
            periods,
            least: period,
            short: 0,
        };
        // The period that is looked at, and what it lacks so far.
        let (mut number, mut lacking) = (0, 0);
        for (from, to) in self.each() {
            let mut from = from.max(first);
            while from < to {
                let at = (from - first) / period;
                if at != number {
                    cut.close(number, period - lacking, budget);
                    (number, lacking) = (at, 0);
                }
                let end = to.min(first + (at + 1) * period);
                lacking += end - from;
                from = end;
            }
        }
        cut.close(number, period - lacking, budget);
        cut
    }
}

impl Cut {
    fn close(&mut self, number: u64, supply: u64, budget: u64) {
        if number < self.periods {
            self.least = self.least.min(supply);
            self.short += u64::from(supply < budget);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;
    use std::vec::Vec;

    fn gaps(all: &[(u64, u64)]) -> Box<Gaps> {
        let zeroes: Vec<AtomicU64> = (0..MOST).map(|_| AtomicU64::new(0)).collect();
        let all_of_them: Box<[AtomicU64; MOST]> = zeroes.try_into().expect("as many");
        let mut made = Box::new(Gaps::new());
        made.all = *all_of_them;
        for (from, to) in all {
            assert!(made.add(*from, *to));
        }
        made
    }

    /// Returns the supply of each period, nanosecond by nanosecond.
    fn naive(all: &[(u64, u64)], first: u64, span: u64, period: u64) -> Vec<u64> {
        let gap = |at: u64| all.iter().any(|(from, to)| (*from..*to).contains(&at));
        (0..span.saturating_sub(first) / period)
            .map(|number| {
                let from = first + number * period;
                (from..from + period).filter(|at| !gap(*at)).count() as u64
            })
            .collect()
    }

    #[test]
    fn periods_have_what_is_no_gap() {
        let all = [(5, 7), (9, 31), (40, 41), (55, 62), (99, 140)];
        let made = gaps(&all);
        for first in 0..25 {
            for (span, period) in [(130, 10), (100, 25), (137, 33), (20, 50)] {
                let found = made.cut(first, span, period, 8);
                let expected = naive(&all, first, span, period);
                let short = expected.iter().filter(|supply| **supply < 8).count() as u64;
                let least = expected.iter().copied().min().unwrap_or(period);
                assert_eq!(found.periods, expected.len() as u64);
                assert_eq!((found.least, found.short), (least, short), "{first} {span}");
            }
        }
        assert_eq!(made.lengths(), (2 + 22 + 1 + 7 + 41, 41));
        assert_eq!(made.count(), 5);
    }

    /// A server of 400 in 1000 with periods from 37 on, served at once, at the end, or in pieces.
    fn served(periods: u64) -> Vec<(u64, u64)> {
        let mut all = Vec::from([(0, 37)]);
        for number in 0..periods {
            let at = 37 + number * 1000;
            match number % 3 {
                0 => all.push((at + 400, at + 1000)),
                1 => all.push((at, at + 600)),
                _ => all.extend([(at + 100, at + 500), (at + 800, at + 1000)]),
            }
        }
        all
    }

    #[test]
    fn the_beginning_is_found_by_which_a_server_kept_its_promise() {
        let made = gaps(&served(60));
        let best = made.best(60_000, 1000, 400);
        // A thousandth of a period may be lost at each end.
        assert!(best.least >= 398, "{best:?}");
        assert!(best.first.abs_diff(37) <= 2, "{best:?}");
        assert_eq!(made.best(60_000, 1000, 398).short, 0);
    }

    #[test]
    fn one_period_that_falls_short_is_seen() {
        let mut all = served(60);
        let place = all.iter().position(|(from, _)| *from == 37 + 400 + 30_000);
        all[place.expect("it is served at once")].0 -= 50;
        let best = gaps(&all).best(60_000, 1000, 398);
        assert!(best.least <= 352 && best.short > 0, "{best:?}");
    }

    #[test]
    fn a_gap_that_lasts_is_not_forgotten() {
        let made = gaps(&[(0, 10), (500, 1 << 40)]);
        assert!(made.lengths().1 == LONGEST);
    }
}
