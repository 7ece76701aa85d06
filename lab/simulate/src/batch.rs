//! Owns: many runs at a time, on worker threads, merged as if one had done them in order.
//! Must never know: the contents of a run.
//!
//! Workers share the plan, which does not change, and nothing else. Each run
//! is a function of its seed, and outcomes are merged in the order of the
//! runs, so the bytes are the same for any number of workers.

use rayon::prelude::*;

use crate::random::Stream;
use crate::{Outcome, Plan, SimError, run};

/// The row of the replications' seeds; the engine's own rows are below it.
const SEEDS: u64 = u64::MAX;
/// Number of outcomes in memory at a time: memory does not grow with the number of runs.
const AT_ONCE: u64 = 256;

/// The seed of replication `number` of a batch; the first one's is the batch's own.
pub fn seed(batch: u64, number: u64) -> u64 {
    match number {
        0 => batch,
        _ => Stream::new(batch, SEEDS).at(number),
    }
}

/// Runs `plan` with `replications` different seeds on `workers` threads (0: one for each processor)
/// and merges what they gave.
///
/// # Errors
/// The error of the first run, in their order, that fails; [`SimError::Workers`] if the worker
/// threads cannot be created.
pub fn replicate(plan: &Plan, replications: u64, workers: usize) -> Result<Outcome, SimError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build();
    let pool = pool.map_err(|error| SimError::Workers(error.to_string()))?;
    let mut merged: Option<Outcome> = None;
    for first in (0..replications).step_by(AT_ONCE as usize) {
        let numbers = first..replications.min(first + AT_ONCE);
        let outcomes: Vec<Result<Outcome, SimError>> = pool.install(|| {
            let runs = numbers.into_par_iter();
            runs.map(|number| run(plan, seed(plan.seed(), number), &mut ()))
                .collect()
        });
        for outcome in outcomes {
            let outcome = outcome?;
            match &mut merged {
                None => merged = Some(outcome),
                Some(merged) => merged.merge(&outcome),
            }
        }
    }
    Ok(merged.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replications_have_seeds_of_their_own() {
        let mut seeds: Vec<u64> = (0..1_000).map(|number| seed(5, number)).collect();
        assert_eq!(seeds[0], 5);
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 1_000);
    }
}
