//! The jobs of a schedule with job events: the instants at which each arrived and was done, and the
//! place of its end within a turn of its task.
//!
//! Owns: the least difference by which a job ends in another turn. Must never know: the actual
//! difference.

use std::collections::BTreeMap;

use taktos_export::Recording;
use taktos_trace::{Event, Handover, Kind, Left};

/// A job that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// When it came.
    pub release: u64,
    /// When it was done.
    pub end: u64,
    /// The change of the execution time before this job that moves the job's end to another turn,
    /// although all turns are the same. The end of a job is visible if it is the end of its turn; a
    /// task that continues with its next job at once shows nothing.
    pub margin: Option<u64>,
}

/// State of a task on the way.
#[derive(Clone, Debug, Default)]
struct Progress {
    releases: BTreeMap<u32, u64>,
    jobs: Vec<Job>,
    /// Since it waited last.
    executed: u64,
    /// Execution time of the task when its turn began; none in the first turn since it waited.
    begun: Option<u64>,
    /// The jobs that were done in this turn, and what had been executed then.
    done: Vec<(usize, u64)>,
}

/// The jobs that were done of each of the first `tasks` threads, in their order.
pub fn jobs(recording: &Recording, tasks: usize) -> Vec<Vec<Job>> {
    let mut all = vec![Progress::default(); tasks];
    let mut running: BTreeMap<u8, (u16, u64)> = BTreeMap::new();
    for event in &recording.events {
        match event.kind {
            Kind::Switch => {
                let next = (event.thread.0, event.at);
                let before = running.insert(event.processor, next);
                if let Some((progress, since)) = of(&mut all, before) {
                    progress.executed += event.at - since;
                    // It continues with its next job.
                    if before.is_none_or(|(task, _)| task != event.thread.0) {
                        progress.leave(Handover::from_argument(event.argument).left);
                    }
                }
            }
            Kind::Release => {
                let task = all.get_mut(usize::from(event.thread.0));
                task.map(|task| task.releases.insert(event.argument, event.at));
            }
            Kind::Complete => {
                let now = running.get(&event.processor).copied();
                if let Some((progress, since)) = of(&mut all, now) {
                    progress.complete(event, event.at - since);
                }
            }
            _ => {}
        }
    }
    all.into_iter().map(|progress| progress.jobs).collect()
}

/// Of the task that runs, and since when.
fn of(all: &mut [Progress], running: Option<(u16, u64)>) -> Option<(&mut Progress, u64)> {
    let (task, since) = running?;
    Some((all.get_mut(usize::from(task))?, since))
}

impl Progress {
    fn complete(&mut self, event: &Event, since: u64) {
        let executed = self.executed + since;
        self.done.push((self.jobs.len(), executed));
        self.jobs.push(Job {
            release: self.releases.remove(&event.argument).unwrap_or(event.at),
            end: event.at,
            margin: self.begun.map(|begun| executed - begun),
        });
    }

    /// Its turn is over.
    fn leave(&mut self, left: Option<Left>) {
        let waits = left != Some(Left::Runnable);
        if waits && let Some(last) = self.done.pop() {
            self.jobs[last.0].margin = None;
        }
        for (job, executed) in self.done.drain(..) {
            let margin = &mut self.jobs[job].margin;
            let after = self.executed - executed;
            *margin = Some(margin.map_or(after, |before| before.min(after)));
        }
        self.begun = (!waits).then_some(self.executed);
        if waits {
            self.executed = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_export::TimeUnit;
    use taktos_trace::Thread;

    const IDLE: u16 = u16::MAX;

    fn event(kind: Kind, thread: u16, argument: u32, at: u64) -> Event {
        Event {
            at,
            argument,
            thread: Thread(thread),
            processor: 0,
            kind,
        }
    }

    fn switch(thread: u16, left: Left, at: u64) -> Event {
        let handover = Handover {
            left: Some(left),
            priority: None,
        };
        event(Kind::Switch, thread, handover.to_argument(), at)
    }

    #[test]
    fn an_end_within_a_turn_lies_so_far_from_where_the_turn_begins_and_ends() {
        let release = |job, at| event(Kind::Release, 0, job, at);
        let complete = |job, at| event(Kind::Complete, 0, job, at);
        let (waits, lost) = (Left::Waiting, Left::Runnable);
        let mut recording = Recording::new(TimeUnit::Nanoseconds);
        recording.events = vec![
            release(1, 0),
            switch(0, waits, 0),
            switch(1, lost, 4),
            // Task 0 has executed for 4.
            switch(0, waits, 7),
            release(2, 8),
            release(3, 9),
            // Six after its turn's begin, three before its end.
            complete(1, 13),
            switch(0, lost, 13),
            switch(1, lost, 16),
            switch(0, waits, 20),
            // One after its begin.
            complete(2, 21),
            switch(0, lost, 21),
            complete(3, 30),
            switch(IDLE, waits, 30),
            release(4, 40),
            switch(0, waits, 40),
            // The turn's end is the job's.
            complete(4, 45),
            switch(IDLE, waits, 45),
        ];
        let job = |release, end, margin| Job {
            release,
            end,
            margin,
        };
        let expected = [
            job(0, 13, Some(3)),
            job(8, 21, Some(1)),
            job(9, 30, None),
            job(40, 45, None),
        ];
        assert_eq!(jobs(&recording, 1), [expected]);
    }
}
