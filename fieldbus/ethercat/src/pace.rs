//! Owns: when a cycle begins: the kernel's period, moved towards the clock of the segment.
//! Must never know: frames.

use taktos_kernel::{Duration, Error, Instant, Kernel, Period, System};

/// The part of a difference that one cycle corrects. With a smaller part the releases follow a
/// drifting clock too late; with a larger part they follow jitter that is no drift.
const SHARE: i64 = 4;
/// The most that one cycle is shorter or longer, as a part of it.
const MOST: i64 = 100;

/// A release of the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Release {
    /// The planned instant.
    pub at: Instant,
    /// How much later the thread resumed.
    pub late: Duration,
    /// Whether the former cycle had not ended then. The next release is the first future one on
    /// the grid.
    pub missed: bool,
}

/// When cycles begin. Of the thread that created it.
pub struct Pace<S: System> {
    period: &'static Period<S>,
    cycle: Duration,
    /// The release that the thread was last released for, and the length from there to the next
    /// one, which is fixed by now.
    release: Instant,
    length: Duration,
    /// By how much the length after that is another.
    correction: i64,
    /// Whether releases have passed, so that the grid must begin again.
    passed: bool,
}

impl<S: System> Pace<S> {
    /// The first cycle begins at `first`: blocks until then.
    ///
    /// # Errors
    /// Those of [`Period::create`] and [`Period::begin_at`].
    pub fn begin(
        period: &'static Period<S>,
        first: Instant,
        cycle: Duration,
    ) -> Result<(Self, Release), Error> {
        period.create()?;
        period.begin_at(first, cycle)?;
        let late = Kernel::<S>::now().since(first);
        let pace = Self {
            period,
            cycle,
            release: first,
            length: cycle,
            correction: 0,
            passed: false,
        };
        let release = Release {
            at: first,
            late,
            missed: false,
        };
        Ok((pace, release))
    }

    /// Blocks until the next release; does not block if it has passed. If several have passed, the
    /// oldest is returned and the others are left out: a controller that is late must not hurry
    /// afterwards.
    ///
    /// # Errors
    /// `Cancelled`, `Deleted`: as [`Period::next`] and [`Period::begin_at`].
    pub fn await_release(&mut self) -> Result<Release, Error> {
        let due = self.release.saturating_add(self.length);
        if self.passed {
            return self.begin_anew(due);
        }
        let length = moved(self.cycle, self.correction);
        let missed = match self.period.next(length) {
            Ok(()) => false,
            Err(Error::Timeout) => true,
            Err(error) => return Err(error),
        };
        self.passed = missed;
        Ok(self.released(due, length, missed))
    }

    /// Begins another grid at the first future release of the old one.
    fn begin_anew(&mut self, due: Instant) -> Result<Release, Error> {
        let cycle = self.cycle.as_nanos();
        let behind = Kernel::<S>::now().since(due).as_nanos();
        let at = due.saturating_add(Duration::from_nanos(behind.div_ceil(cycle) * cycle));
        self.period.cancel()?;
        self.period.begin_at(at, self.cycle)?;
        self.passed = false;
        Ok(self.released(at, self.cycle, false))
    }

    fn released(&mut self, at: Instant, length: Duration, missed: bool) -> Release {
        self.release = at;
        self.length = length;
        self.correction = 0;
        let late = Kernel::<S>::now().since(at);
        Release { at, late, missed }
    }

    /// Adjusts the next releases to the segment's clock, which requires the next release `next`
    /// after this one. The release after the next moves in that direction by a quarter of the
    /// difference, and by a hundredth of a cycle at most. If the difference is more than half a
    /// cycle, the segment's nearest release is meant.
    pub fn follow(&mut self, next: Duration) {
        self.correction = correction(self.cycle, self.length, next);
    }
}

/// Returns the nanoseconds by which the cycle after the next is to be longer.
fn correction(cycle: Duration, length: Duration, next: Duration) -> i64 {
    let [cycle, length, next] = [cycle, length, next].map(|span| span.as_nanos() as i64);
    let difference = (next - length).rem_euclid(cycle);
    let nearest = match difference > cycle / 2 {
        true => difference - cycle,
        false => difference,
    };
    (nearest / SHARE).clamp(-cycle / MOST, cycle / MOST)
}

fn moved(cycle: Duration, correction: i64) -> Duration {
    Duration::from_nanos(cycle.as_nanos().saturating_add_signed(correction))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CYCLE: Duration = Duration::from_millis(1);

    fn wants(next: u64) -> i64 {
        correction(CYCLE, CYCLE, Duration::from_nanos(next))
    }

    #[test]
    fn a_part_of_the_difference_is_taken_back() {
        assert_eq!(wants(1_000_000), 0);
        assert_eq!(wants(1_000_400), 100);
        assert_eq!(wants(999_600), -100);
    }

    #[test]
    fn the_nearest_release_of_the_segment_is_meant() {
        assert_eq!(wants(2_000_400), 100);
        assert_eq!(wants(400), 100);
    }

    #[test]
    fn no_cycle_is_much_longer_or_shorter() {
        assert_eq!(wants(1_300_000), 10_000);
        assert_eq!(wants(1_700_000), -10_000);
    }

    #[test]
    fn a_clock_that_drifts_is_followed() {
        // The reference clock is 40 ppm fast: its cycles last 40 ns less by ours.
        let (mut ours, mut theirs, mut length, mut asked) = (0i64, 0i64, CYCLE, 0i64);
        for cycle in 0..200 {
            ours += length.as_nanos() as i64;
            theirs += 1_000_000 - 40;
            length = moved(CYCLE, asked);
            let next = (theirs + 1_000_000 - 40 - ours) as u64;
            asked = correction(CYCLE, length, Duration::from_nanos(next));
            if cycle > 100 {
                assert!((ours - theirs).abs() < 400, "{cycle}: {}", ours - theirs);
            }
        }
    }
}
