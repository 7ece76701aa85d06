//! The task set of a spacecraft on a guest's one processor, by fixed priorities, the shortest
//! period first.
//!
//! Owns: the tasks, and what is reported of them. Must never know: a board; that there is a
//! hypervisor.
//!
//! Words: those of [`crate::spacecraft`] that mean anything on one processor, `for-ms=` (10000),
//! `scale-ppm=`, `tasks=`; and `every-ms=` (1000), the interval of the lines that say how far all
//! tasks are. When the time is over: `@run`, a line `@task` for each task with its concluded jobs,
//! missed ones included, and their wall times, `@end`.

use super::{GuestBoard, IDLE, MEASURED, sleep_until};
use crate::command_line::LONGEST_LINE;
use crate::experiment::command::{Refused, words};
use crate::experiment::{self, certain, instructions};
use crate::spacecraft::{Plan, TASKS, Task};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::period::Statistics;
use taktos_kernel::{Duration, Error, Instant, Kernel, Period, System, Thread, Timeout};

/// The priority of the main thread.
pub const MAIN: u8 = super::MAIN;
const STACK: usize = 512 * size_of::<usize>();
/// From the first task's creation to the first release: longer than to create all.
const LEAD: Duration = Duration::from_millis(20);
/// A day.
const LONGEST: u64 = 86_400_000;
const MILLI: u64 = 1_000_000;

/// A task under way.
struct Running<S: System> {
    thread: Thread<S, STACK>,
    period: Period<S>,
    /// In nanoseconds.
    first: AtomicU64,
    length: AtomicU64,
    execution: AtomicU64,
}

/// Objects of the workload. A board has them in a static.
pub struct Objects<S: System> {
    tasks: [Running<S>; TASKS],
    teller: Thread<S, { 2 * STACK }>,
    used: AtomicU64,
    every: AtomicU64,
    begin: AtomicU64,
    span: AtomicU64,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            tasks: [const {
                Running {
                    thread: Thread::new("task"),
                    period: Period::new("task"),
                    first: AtomicU64::new(0),
                    length: AtomicU64::new(0),
                    execution: AtomicU64::new(0),
                }
            }; TASKS],
            teller: Thread::new("teller"),
            used: AtomicU64::new(0),
            every: AtomicU64::new(0),
            begin: AtomicU64::new(0),
            span: AtomicU64::new(0),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// The plan of `line`, and how often a line says how far all is. The words for the plan are copied
/// to `buffer`.
fn read<'a>(
    line: &'a str,
    buffer: &'a mut [u8; LONGEST_LINE],
) -> Result<(Plan, Duration), Refused<'a>> {
    let mut every = Duration::from_millis(1_000);
    let mut length = 0;
    for word in words(line) {
        if word.key == "every-ms" {
            every = Duration::from_millis(word.number(1, LONGEST)?);
            continue;
        }
        let end = length + word.whole.len() + 1;
        let room = buffer.get_mut(length..end);
        let (blank, room) = room
            .and_then(<[u8]>::split_first_mut)
            .ok_or(word.refused("the line is too long"))?;
        *blank = b' ';
        room.copy_from_slice(word.whole.as_bytes());
        length = end;
    }
    let words = core::str::from_utf8(&buffer[..length]).unwrap_or("");
    Ok((Plan::read(words)?, every))
}

/// Runs the workload by the guest's words, and ends the program. In the main thread, on a stack of
/// 16 KiB.
pub fn run<S: GuestBoard>(objects: &'static Objects<S>) -> ! {
    let mut buffer = [0; LONGEST_LINE];
    let (plan, every) = match read(S::words(), &mut buffer) {
        Ok(found) => found,
        Err(refused) => experiment::refuse::<S>(refused),
    };
    let begin = Kernel::<S>::now().saturating_add(LEAD);
    for (index, task) in plan.tasks().iter().enumerate() {
        let level = MEASURED + plan.priority(index) as u8;
        objects.tasks[index].start(level, task, begin);
    }
    objects.used.store(plan.tasks().len() as u64, Relaxed);
    objects.every.store(every.as_nanos(), Relaxed);
    objects.begin.store(begin.as_nanos(), Relaxed);
    objects.span.store(plan.span.as_nanos(), Relaxed);
    certain(
        objects
            .teller
            .create_as("teller", experiment::priority(IDLE)),
    );
    certain(objects.teller.start_with(Objects::tell_progress, objects));
    sleep_until::<S>(begin.saturating_add(plan.span));
    let found = objects.conclude();
    certain(objects.teller.join(Timeout::FOREVER));
    objects.tell(&plan, &found);
    experiment::end::<S>()
}

impl<S: System> Running<S> {
    /// Makes the task and lets it wait for its first release.
    fn start(&'static self, level: u8, task: &Task, begin: Instant) {
        let first = begin.saturating_add(task.offset);
        self.first.store(first.as_nanos(), Relaxed);
        self.length.store(task.period.as_nanos(), Relaxed);
        self.execution.store(task.execution.as_nanos(), Relaxed);
        certain(self.thread.create_as("task", experiment::priority(level)));
        certain(self.thread.start_with(Self::execute, self));
    }

    /// Body of the task's thread.
    fn execute(&'static self) {
        let length = Duration::from_nanos(self.length.load(Relaxed));
        let first = Instant::from_nanos(self.first.load(Relaxed));
        certain(self.period.create());
        let mut released = self.period.begin_at(first, length);
        // A late job is a job, too. The period's end is the task's.
        while matches!(released, Ok(()) | Err(Error::Timeout)) {
            instructions(self.execution.load(Relaxed));
            released = self.period.next(length);
        }
    }
}

impl<S: System> Objects<S> {
    fn used(&'static self) -> &'static [Running<S>] {
        &self.tasks[..self.used.load(Relaxed) as usize]
    }

    /// Body of the least urgent thread: prints the progress, for people.
    fn tell_progress(&'static self) {
        let every = Duration::from_nanos(self.every.load(Relaxed));
        let begin = Instant::from_nanos(self.begin.load(Relaxed));
        let end = begin.saturating_add(Duration::from_nanos(self.span.load(Relaxed)));
        let mut next = begin.saturating_add(every);
        while next < end {
            sleep_until::<S>(next);
            let (mut jobs, mut missed) = (0, 0);
            for task in self.used() {
                // Under overload the least urgent thread may get here when the run is over.
                let Ok(found) = task.period.statistics() else {
                    return;
                };
                jobs += found.count;
                missed += found.missed;
            }
            let millis = next.since(begin).as_nanos() / MILLI;
            let tasks = self.used().len();
            print::<S>(format_args!(
                "spacecraft: {millis} ms, {tasks} tasks, {jobs} jobs done, {missed} late\n"
            ));
            next = next.saturating_add(every);
        }
    }

    /// Ends all tasks. The statistics are those at that time.
    fn conclude(&'static self) -> [Statistics; TASKS] {
        let mut found = [Statistics::EMPTY; TASKS];
        for (task, found) in self.used().iter().zip(&mut found) {
            *found = certain(task.period.statistics());
            certain(task.thread.delete());
        }
        found
    }

    fn tell(&'static self, plan: &Plan, found: &[Statistics; TASKS]) {
        let (span, scale) = (plan.span.as_nanos(), plan.scale);
        print::<S>(format_args!(
            "@run workload=spacecraft policy=priority layout=one processors=1 for_ns={span} scale_ppm={scale}\n"
        ));
        for (index, (task, found)) in plan.tasks().iter().zip(found).enumerate() {
            let Statistics {
                count,
                missed,
                wall,
                ..
            } = found;
            let min = if *count == 0 { 0 } else { wall.min.as_nanos() };
            let (mean, max) = (wall.average(*count).as_nanos(), wall.max.as_nanos());
            print::<S>(format_args!(
                "@task name={} period_ns={} execution_ns={} priority={} jobs={count} missed={missed} wall_min_ns={min} wall_mean_ns={mean} wall_max_ns={max}\n",
                task.name.as_str(),
                task.period.as_nanos(),
                task.execution.as_nanos(),
                usize::from(MEASURED) + plan.priority(index),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_the_plans_and_one_more() {
        let mut buffer = [0; LONGEST_LINE];
        let line = "image for-ms=70 every-ms=5,scale-ppm=500000";
        let (plan, every) = read(line, &mut buffer).expect("all are known");
        assert_eq!(every, Duration::from_millis(5));
        assert_eq!(plan.span, Duration::from_millis(70));
        assert_eq!((plan.tasks().len(), plan.scale), (7, 500_000));
        for line in ["every-ms=0", "for-ms=0", "speed=1"] {
            let mut buffer = [0; LONGEST_LINE];
            assert!(read(line, &mut buffer).is_err(), "{line}");
        }
        let long = std::format!("tasks={}", "A:9:1;".repeat(400));
        assert!(read(&long, &mut [0; LONGEST_LINE]).is_err());
    }
}
