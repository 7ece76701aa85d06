//! Owns: figures of a task's jobs while they are gathered, in two cache lines and one of a
//! histogram.
//! Must never know: the use of the figures.

use crate::histogram::{Histogram, OCTAVE, bucket_of};
use crate::{Summary, TaskStatistics};

/// Least, greatest and sum of as many values as there are jobs.
#[derive(Clone, Copy, Debug)]
struct Spread {
    min: u64,
    max: u64,
    total: u64,
}

impl Spread {
    const EMPTY: Self = Self {
        min: u64::MAX,
        max: 0,
        total: 0,
    };

    #[inline(always)]
    fn add(&mut self, value: u64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.total += value;
    }

    fn summary(&self, count: u32) -> Summary {
        Summary::of(count.into(), self.min, self.max, self.total)
    }
}

/// Results of a task's jobs since the last [`Tally::flush`]. Counts and sums have half the width of
/// those in [`TaskStatistics`], to which they are added.
#[derive(Clone, Debug)]
#[repr(align(128))]
pub(super) struct Tally {
    jobs: u32,
    /// The bucket of `responses` that comes first, as a [`Histogram`] has them.
    first: u32,
    responses: Box<[u32]>,
    response: Spread,
    cpu: Spread,
    wall: Spread,
    pub preemptions: u64,
    pub migrations: u64,
    pub migrations_in_job: u64,
}

const _: () = assert!(size_of::<Tally>() == 128, "two cache lines");

impl Tally {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            jobs: 0,
            first: 0,
            responses: Box::default(),
            response: Spread::EMPTY,
            cpu: Spread::EMPTY,
            wall: Spread::EMPTY,
            preemptions: 0,
            migrations: 0,
            migrations_in_job: 0,
        }
    }

    /// Whether another job with this response time can be added before the next [`Tally::flush`].
    #[inline(always)]
    pub fn has_room(&self, response: u64) -> bool {
        self.jobs < u32::MAX && response <= u64::MAX - self.response.total
    }

    /// Takes a done job in, for which there must be [room](Tally::has_room): its response time,
    /// and, neither of them longer, its processor time and how long it was there without its
    /// predecessor.
    #[inline(always)]
    pub fn add(&mut self, response: u64, cpu: u64, wall: u64) {
        self.jobs += 1;
        self.response.add(response);
        self.cpu.add(cpu);
        self.wall.add(wall);
        let bucket = bucket_of(response);
        let place = bucket.wrapping_sub(self.first as usize);
        match self.responses.get_mut(place) {
            Some(count) => *count += 1,
            None => *self.reach(bucket) += 1,
        }
    }

    /// The count of a bucket that there is no room for yet. It comes with all of its octave.
    #[cold]
    fn reach(&mut self, bucket: usize) -> &mut u32 {
        let former = core::mem::take(&mut self.responses);
        let (from, to) = match former.len() {
            0 => (bucket, bucket),
            count => (self.first as usize, self.first as usize + count - 1),
        };
        let first = from.min(bucket) / OCTAVE * OCTAVE;
        let octaves = to.max(bucket) / OCTAVE + 1 - first / OCTAVE;
        let mut counts = vec![0; octaves * OCTAVE];
        counts[from - first..][..former.len()].copy_from_slice(&former);
        self.responses = counts.into_boxed_slice();
        self.first = first as u32;
        &mut self.responses[bucket - first]
    }

    /// Moves all that has been gathered to `statistics`.
    #[cold]
    pub fn flush(&mut self, statistics: &mut TaskStatistics) {
        statistics.jobs += u64::from(self.jobs);
        statistics.response.merge(&self.response.summary(self.jobs));
        statistics.cpu.merge(&self.cpu.summary(self.jobs));
        statistics.wall.merge(&self.wall.summary(self.jobs));
        let responses: &mut Histogram = &mut statistics.responses;
        responses.take_in(self.first as usize, &self.responses);
        statistics.preemptions += self.preemptions;
        statistics.migrations += self.migrations;
        statistics.migrations_in_job += self.migrations_in_job;
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Sums and counts that a tally has no room for, and buckets in any order, give what statistics
    /// without a tally do.
    #[test]
    fn a_tally_gives_what_its_jobs_give() {
        let (mut tally, mut gathered) = (Tally::new(), TaskStatistics::default());
        let mut expected = TaskStatistics::default();
        let stream = Stream::new(3, 0);
        let mut flushed = 0;
        for place in 0..2_000 {
            let response = stream.at(2 * place) >> (3 + stream.below_or_at(2 * place + 1, 60));
            let (cpu, wall) = (response / 3, response / 2);
            if !tally.has_room(response) {
                tally.flush(&mut gathered);
                flushed += 1;
            }
            tally.add(response, cpu, wall);
            expected.jobs += 1;
            expected.response.add(response);
            expected.responses.add(response);
            expected.cpu.add(cpu);
            expected.wall.add(wall);
        }
        tally.migrations = 7;
        expected.migrations = 7;
        tally.flush(&mut gathered);
        assert!(flushed > 0, "a sum has reached 2^64");
        assert_eq!(gathered, expected);
        // An empty tally adds nothing.
        tally.flush(&mut gathered);
        assert_eq!(gathered, expected);
        tally.jobs = u32::MAX;
        assert!(!tally.has_room(0), "a count has 32 bits");
    }
}
