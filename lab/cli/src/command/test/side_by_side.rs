//! Owns: which steps run side by side, and the order in which they are told: that of the list.
//! Must never know: what a step does.
//!
//! What is counted is counted inside of emulated machines, so a neighbour changes nothing of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;

use super::{Step, Tally, line};
use crate::progress::{self, Progress};
use crate::screen;
use crate::workspace::Workspace;

/// What was found, in the list's order.
struct Found {
    tallies: Vec<Option<Tally>>,
    /// How many have been told.
    told: usize,
}

/// Runs all steps, narrow ones beside each other, and adds up what they found.
pub(super) fn run(workspace: &Workspace, steps: &[Step]) -> Result<Tally> {
    if steps.len() > 1 {
        progress::in_plain_lines();
    }
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all = Tally::default();
    let mut done = 0;
    for group in steps.chunk_by(|one, next| one.narrow && next.narrow) {
        for tally in together(workspace, group, (done, steps.len()), most)? {
            all.add(tally);
        }
        done += group.len();
    }
    Ok(all)
}

/// Runs steps, so many at a time; before them `done` of `count` have run.
fn together(
    workspace: &Workspace,
    steps: &[Step],
    (done, count): (usize, usize),
    most: usize,
) -> Result<Vec<Tally>> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Found {
        tallies: steps.iter().map(|_| None).collect(),
        told: 0,
    });
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(step) = steps.get(number) else {
                return Ok(());
            };
            let progress = Progress::step(done + number + 1, count);
            let tally = progress.during(&format!("{} ...", step.name), || (step.work)(workspace));
            let tally = tally.unwrap_or_else(|error| Tally::fail(crate::failure::shown(&error)));
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.tallies[number] = Some(tally);
            found.tell(steps)?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..most.min(steps.len()))
            .map(|_| scope.spawn(work))
            .collect();
        for worker in workers {
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok::<_, anyhow::Error>(())
    })?;
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(found.tallies.into_iter().flatten().collect())
}

impl Found {
    /// Tells of all steps before the first that is still running.
    fn tell(&mut self, steps: &[Step]) -> Result<()> {
        while let Some(Some(tally)) = self.tallies.get(self.told) {
            screen::print(&line(&steps[self.told].name, tally))?;
            self.told += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::{Arc, Barrier};

    use super::super::{narrow, step};
    use super::*;

    #[test]
    fn all_are_run_and_added_up() {
        let fails = || {
            let mut tally = Tally::fail("no");
            tally.passed = 2;
            Ok(tally)
        };
        let steps = [
            step("alone", |_| Ok(Tally::pass())),
            narrow("one", |_| Ok(Tally::pass())),
            narrow("refuses", |_| anyhow::bail!("it refuses")),
            narrow("fails", move |_| fails()),
            step("last", |_| Ok(Tally::pass())),
        ];
        let workspace = Workspace::at(Path::new("."));
        let all = run(&workspace, &steps).unwrap();
        assert_eq!((all.passed, all.failed), (5, 2));
        assert!(all.said.contains("it refuses"), "{}", all.said);
    }

    #[test]
    fn narrow_ones_meet_and_the_order_is_the_lists() {
        // Each waits for the other: one after the other they would wait for ever.
        let barrier = Arc::new(Barrier::new(2));
        let meets = |said: &'static str| {
            let barrier = Arc::clone(&barrier);
            narrow(said, move |_| {
                barrier.wait();
                Ok(Tally {
                    said: said.into(),
                    ..Tally::pass()
                })
            })
        };
        let steps = [meets("a"), meets("b")];
        let workspace = Workspace::at(Path::new("."));
        let found = together(&workspace, &steps, (0, 2), 2).unwrap();
        let said: String = found.iter().map(|tally| tally.said.as_str()).collect();
        assert_eq!(said, "ab");
    }
}
