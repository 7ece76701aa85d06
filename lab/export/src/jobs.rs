//! Jobs: the releases, deadlines and completions of a recording, put together.

use std::collections::BTreeMap;

use taktos_trace::{Event, Kind, Thread};

use crate::recording::Recording;
use crate::timeline::Timeline;

/// One job of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Thread of the task.
    pub thread: Thread,
    /// Its number.
    pub number: u32,
    /// When it was released.
    pub release: u64,
    /// When its deadline passed; none when the recording ends before.
    pub deadline: Option<u64>,
    /// When it was complete; none when the recording ends before.
    pub complete: Option<u64>,
    /// How long its thread ran from when the job before it was complete until it was.
    pub executed: u64,
    /// How often its thread lost a processor to another one.
    pub preemptions: u64,
    /// How often its thread resumed on another processor.
    pub migrations: u64,
    /// Whether its deadline passed before it was complete.
    pub missed: bool,
}

impl Job {
    /// From the release until it was complete.
    #[must_use]
    pub fn response(&self) -> Option<u64> {
        Some(self.complete?.saturating_sub(self.release))
    }
}

/// The jobs of a recording, by thread and then by number.
#[must_use]
pub fn jobs(recording: &Recording) -> Vec<Job> {
    let mut found: BTreeMap<(Thread, u32), Job> = BTreeMap::new();
    for event in recording
        .events
        .iter()
        .filter(|event| event.kind.is_of_a_job())
    {
        let key = (event.thread, event.argument);
        if event.kind == Kind::Release {
            found.entry(key).or_insert(released(event));
        } else if let Some(job) = found.get_mut(&key) {
            note(job, event);
        }
    }
    let mut jobs: Vec<Job> = found.into_values().collect();
    add_execution(&mut jobs, recording);
    add_changes(&mut jobs, recording);
    jobs
}

const fn released(event: &Event) -> Job {
    Job {
        thread: event.thread,
        number: event.argument,
        release: event.at,
        deadline: None,
        complete: None,
        executed: 0,
        preemptions: 0,
        migrations: 0,
        missed: false,
    }
}

fn note(job: &mut Job, event: &Event) {
    match event.kind {
        Kind::Deadline => job.deadline = Some(event.at),
        Kind::Complete => job.complete = Some(event.at),
        Kind::Miss => job.missed = true,
        _ => {}
    }
}

/// The place of the thread's job that is at work at the time: the first one of
/// the thread that is not complete before.
fn at_work(jobs: &[Job], thread: Thread, at: u64) -> usize {
    jobs.partition_point(|job| {
        let finished = job.complete.is_some_and(|complete| complete <= at);
        job.thread < thread || (job.thread == thread && finished)
    })
}

fn add_execution(jobs: &mut [Job], recording: &Recording) {
    for span in Timeline::of(recording).spans {
        let mut begin = span.begin;
        let mut place = at_work(jobs, span.thread, begin);
        // One span may finish a job and continue with the next one.
        while let Some(job) = jobs.get_mut(place).filter(|job| job.thread == span.thread) {
            let end = job.complete.unwrap_or(u64::MAX).min(span.end).max(begin);
            // A recording that is wrong may run a thread on two processors at once.
            job.executed = job.executed.saturating_add(end - begin);
            if job.complete.is_none_or(|complete| complete > span.end) {
                break;
            }
            begin = end;
            place += 1;
        }
    }
}

fn add_changes(jobs: &mut [Job], recording: &Recording) {
    for event in &recording.events {
        if !matches!(event.kind, Kind::Migrate | Kind::Preempt) {
            continue;
        }
        let place = at_work(jobs, event.thread, event.at);
        if let Some(job) = jobs.get_mut(place).filter(|job| job.thread == event.thread) {
            job.migrations += u64::from(event.kind == Kind::Migrate);
            job.preemptions += u64::from(event.kind == Kind::Preempt);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::TimeUnit;

    /// Two tasks on two processors: `a` is released at 0 and 10, migrates, and
    /// misses with its first job; `b` interrupts it.
    pub(crate) fn example() -> Recording {
        let event = |at, kind, thread, argument, processor| Event {
            at,
            argument,
            thread: Thread(thread),
            processor,
            kind,
        };
        let idle = Thread::IDLE.0;
        Recording {
            unit: TimeUnit::Nanoseconds,
            end: 20,
            threads: vec!["a".into(), "b".into()],
            marks: vec!["bus".into()],
            processors: vec!["left".into(), "right".into()],
            events: vec![
                event(0, Kind::Release, 0, 0, 0),
                event(0, Kind::Switch, 0, 0, 0),
                event(2, Kind::Release, 1, 0, 0),
                event(2, Kind::Preempt, 0, 0, 0),
                event(2, Kind::Switch, 1, 0, 0),
                event(3, Kind::Migrate, 0, 0, 1),
                event(3, Kind::Switch, 0, 0, 1),
                event(4, Kind::Lock, 0, 0, 1),
                event(6, Kind::Complete, 1, 0, 0),
                event(6, Kind::Switch, idle, 0, 0),
                event(8, Kind::Deadline, 1, 0, 0),
                event(9, Kind::Unlock, 0, 0, 1),
                event(10, Kind::Release, 0, 1, 1),
                event(10, Kind::Deadline, 0, 0, 1),
                event(10, Kind::Miss, 0, 0, 1),
                event(12, Kind::Complete, 0, 0, 1),
                event(15, Kind::Complete, 0, 1, 1),
                event(15, Kind::Switch, idle, 0, 1),
            ],
        }
    }

    #[test]
    fn jobs_are_put_together() {
        let found = jobs(&example());
        let late = Job {
            thread: Thread(0),
            number: 0,
            release: 0,
            deadline: Some(10),
            complete: Some(12),
            executed: 11,
            preemptions: 1,
            migrations: 1,
            missed: true,
        };
        assert_eq!(found[0], late);
        assert_eq!(found[0].response(), Some(12));
        // The second job continues where the first one ends, without a switch.
        assert_eq!((found[1].executed, found[1].preemptions), (3, 0));
        assert_eq!((found[1].deadline, found[1].response()), (None, Some(5)));
        assert_eq!((found[2].executed, found[2].response()), (4, Some(4)));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn what_happens_when_a_job_is_complete_is_the_next_ones() {
        let mut recording = example();
        let complete = recording.events.iter().position(|event| event.at == 12);
        let event = Event {
            kind: Kind::Migrate,
            ..recording.events[complete.unwrap()]
        };
        recording.events.insert(complete.unwrap() + 1, event);
        let migrations: Vec<u64> = jobs(&recording).iter().map(|job| job.migrations).collect();
        assert_eq!(migrations, [1, 1, 0]);
    }

    #[test]
    fn a_job_that_never_was_released_is_none() {
        let mut recording = example();
        recording.events.retain(|event| event.kind != Kind::Release);
        assert!(jobs(&recording).is_empty());
    }
}
