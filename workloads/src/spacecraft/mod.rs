//! The task set of a spacecraft on several processors: periodic tasks that do nothing but execute
//! for their time, for a given span.
//!
//! Owns: the tasks, what is counted of them, and how it is reported. Must never know: a board; how
//! many processors there really are.
//!
//! Its parameters come in words, see [`Plan::read`]. It prints, when it is over, in the form of
//! [`experiment`]: `@run` with the policy, the layout, the processors, the span and the scale;
//! `@begin at_ns=`, the instant of the first releases; a line `@task` for each task, with its
//! concluded jobs, missed ones included, and their processor and wall times; `@cpu` for each
//! processor, with its busy and idle time; `@work`, the time that all jobs' loops must take at one
//! instruction a nanosecond, and the instructions that they really had; `@span`, the time that
//! `@cpu` and `@work` are of. That begins before the first release, while all is idle, and ends
//! when the jobs that are on at the end of the span are done, so that `@work` knows all that was
//! executed; the lines `@task` are of the span alone.

mod plan;

pub use plan::{Plan, TASKS, Task};

use crate::command_line::{Line, NO_LINE};
use crate::experiment::{self, ExperimentBoard, PROCESSORS, certain, scheme};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use plan::Place;
use taktos_kernel::fault::print;
use taktos_kernel::period::{Spread, Statistics};
use taktos_kernel::{
    AnyThread, CpuSet, Duration, InstanceConfig, Instant, Kernel, Period, PolicyKind, System,
    Thread, Timeout, Usage,
};

/// The bytes of a task's stack.
const STACK: usize = 512 * size_of::<usize>();
/// From the first task's creation to the first release: longer than to create all.
const LEAD: Duration = Duration::from_millis(20);
/// From one task's start to the next one's: longer than a task takes to wait for its first release.
const STEP: Duration = Duration::from_micros(500);
/// Time before the first release at which the processors' times are read.
const LOOK: Duration = Duration::from_millis(5);
/// The rows of a picture of all threads' times: the tasks and the main thread.
const ROWS: usize = TASKS + 1;
/// The priority of the main thread, and that of the first task.
const MAIN: u8 = 1;
const FIRST: u8 = 4;

/// A task under way.
struct Running<S: System> {
    thread: Thread<S, STACK>,
    period: Period<S>,
    /// In nanoseconds.
    first: AtomicU64,
    length: AtomicU64,
    execution: AtomicU64,
    /// Jobs begun and done, and the instructions of their loops.
    jobs: AtomicU64,
    instructions: AtomicU64,
}

/// Objects of the workload. A board has them in a static.
pub struct Objects<S: System> {
    tasks: [Running<S>; TASKS],
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
                    jobs: AtomicU64::new(0),
                    instructions: AtomicU64::new(0),
                }
            }; TASKS],
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// The instances with which the kernel is to be started, and how many of them: by the command line.
/// Ends the program if a word is refused. Called before the kernel runs.
pub fn configuration<S: ExperimentBoard>() -> ([InstanceConfig; PROCESSORS], usize) {
    let mut buffer = NO_LINE;
    let scheme = read::<S>(&mut buffer).scheme;
    (scheme.configuration(), scheme.instances())
}

fn read<S: ExperimentBoard>(buffer: &mut Line) -> Plan {
    match Plan::read(S::command_line(buffer)) {
        Ok(plan) => plan,
        Err(refused) => experiment::refuse::<S>(refused),
    }
}

/// Runs the workload as the command line says, and ends the program. In the main thread, which
/// becomes more urgent than all others, on a stack of 16 KiB.
pub fn run<S: ExperimentBoard>(objects: &'static Objects<S>) -> ! {
    let mut buffer = NO_LINE;
    let plan = read::<S>(&mut buffer);
    certain(AnyThread::<S>::current().set_priority(experiment::priority(MAIN)));
    // Where deadlines decide, this thread is before all others, too.
    certain(AnyThread::<S>::current().release_job(Instant::START));
    let begin = Kernel::<S>::now().saturating_add(LEAD);
    let places = plan.places();
    for (index, task) in plan.tasks().iter().enumerate() {
        if let Some(place) = places[index] {
            objects.tasks[index].start(&plan, index, task, place, begin);
            // Tasks that are released at one instant are so in the order in which they began to
            // wait: that of the plan.
            sleep_for::<S>(STEP);
        }
    }
    sleep_until::<S>(
        Instant::START.saturating_add(begin.since(Instant::START.saturating_add(LOOK))),
    );
    let before = Usage::<S, ROWS>::take();
    sleep_until::<S>(begin.saturating_add(plan.span));
    let found = objects.conclude(&plan);
    let after = Usage::<S, ROWS>::take();
    tell::<S>(objects, &plan, begin, &found);
    tell_processors::<S>(objects, &plan, &before, &after);
    experiment::end::<S>()
}

fn sleep_until<S: System>(at: Instant) {
    certain(AnyThread::<S>::sleep(Timeout::until(at)));
}

fn sleep_for<S: System>(time: Duration) {
    certain(AnyThread::<S>::sleep(time));
}

impl<S: ExperimentBoard> Running<S> {
    /// Makes the task and lets it wait for its first release.
    fn start(&'static self, plan: &Plan, index: usize, task: &Task, place: Place, begin: Instant) {
        let first = begin.saturating_add(task.offset);
        self.first.store(first.as_nanos(), Relaxed);
        self.length.store(task.period.as_nanos(), Relaxed);
        self.execution.store(task.execution.as_nanos(), Relaxed);
        let level = FIRST + plan.priority(index) as u8;
        let priority = experiment::priority(level);
        certain(self.thread.create_as("task", priority));
        if place.instance != 0 {
            let instance = certain(Kernel::<S>::instance_named(scheme::NAMES[place.instance]));
            certain(self.thread.move_to(instance, priority));
        }
        if place.processors != plan.scheme.processors_of(place.instance) {
            certain(self.thread.set_affinity(place.processors));
        }
        if plan.scheme.policy == PolicyKind::Cbs {
            certain(
                self.thread
                    .set_server(allowance(task.execution), task.period),
            );
        }
        certain(self.thread.start_with(Self::execute, self));
    }

    /// Body of the task's thread.
    fn execute(&'static self) {
        let nanos = |cell: &AtomicU64| Duration::from_nanos(cell.load(Relaxed));
        let (length, execution) = (nanos(&self.length), nanos(&self.execution));
        let first = Instant::from_nanos(self.first.load(Relaxed));
        certain(self.period.create_with(None, Some(allowance(execution))));
        let mut released = self.period.begin_at(first, length);
        // A late job is a job, too. The period's end is the task's.
        while matches!(released, Ok(()) | Err(taktos_kernel::Error::Timeout)) {
            let instructions = S::work(execution);
            self.jobs.fetch_add(1, Relaxed);
            self.instructions.fetch_add(instructions, Relaxed);
            released = self.period.next(length);
        }
    }
}

/// The processor time that a job may take before it has overrun: its execution and a twentieth for
/// what the kernel does meanwhile.
fn allowance(execution: Duration) -> Duration {
    execution.saturating_add(Duration::from_nanos(execution.as_nanos() / 20))
}

impl<S: ExperimentBoard> Objects<S> {
    /// Ends all releases, and waits for the jobs that are on. The statistics are those at the end
    /// of the releases.
    fn conclude(&'static self, plan: &Plan) -> [Statistics; TASKS] {
        let used = &self.tasks[..plan.tasks().len()];
        let mut found = [Statistics::EMPTY; TASKS];
        for (task, found) in used.iter().zip(&mut found) {
            *found = certain(task.period.statistics());
        }
        for task in used {
            certain(task.period.delete());
        }
        for task in used {
            certain(task.thread.join(Timeout::FOREVER));
        }
        found
    }
}

fn tell<S: ExperimentBoard>(
    objects: &'static Objects<S>,
    plan: &Plan,
    begin: Instant,
    found: &[Statistics; TASKS],
) {
    let (policy, layout) = (plan.scheme.policy_name(), plan.scheme.layout_name());
    let (processors, span, scale) = (plan.scheme.used(), plan.span.as_nanos(), plan.scale);
    print::<S>(format_args!(
        "@run workload=spacecraft policy={policy} layout={layout} processors={processors} for_ns={span} scale_ppm={scale}\n"
    ));
    print::<S>(format_args!("@begin at_ns={}\n", begin.as_nanos()));
    let places = plan.places();
    for (index, (task, found)) in plan.tasks().iter().zip(found).enumerate() {
        let processors = places[index].map_or(CpuSet::EMPTY, |place| place.processors);
        let thread: &AnyThread<S> = &objects.tasks[index].thread;
        print::<S>(format_args!(
            "@task name={} thread={} period_ns={} execution_ns={} offset_ns={} priority={} processors={} jobs={} missed={} overruns={}",
            task.name.as_str(),
            core::ptr::from_ref(thread).addr(),
            task.period.as_nanos(),
            task.execution.as_nanos(),
            task.offset.as_nanos(),
            usize::from(FIRST) + plan.priority(index),
            processors.bits(),
            found.count,
            found.missed,
            found.overruns,
        ));
        tell_spread::<S>("cpu", &found.cpu, found.count);
        tell_spread::<S>("wall", &found.wall, found.count);
        S::write("\n");
    }
}

fn tell_spread<S: System>(what: &str, spread: &Spread, count: u32) {
    let min = if count == 0 {
        Duration::ZERO
    } else {
        spread.min
    };
    print::<S>(format_args!(
        " {what}_min_ns={} {what}_mean_ns={} {what}_max_ns={}",
        min.as_nanos(),
        spread.average(count).as_nanos(),
        spread.max.as_nanos()
    ));
}

fn tell_processors<S: ExperimentBoard>(
    objects: &'static Objects<S>,
    plan: &Plan,
    before: &Usage<S, ROWS>,
    after: &Usage<S, ROWS>,
) {
    let span = after.at().since(before.at());
    for number in 0..plan.scheme.used() {
        let (Some(from), Some(to)) = (before.idle(number), after.idle(number)) else {
            continue;
        };
        let idle = to.saturating_sub(from);
        let busy = span.saturating_sub(idle);
        print::<S>(format_args!(
            "@cpu number={number} busy_ns={} idle_ns={}\n",
            busy.as_nanos(),
            idle.as_nanos()
        ));
    }
    let sum = |of: fn(&Running<S>) -> u64| objects.tasks.iter().map(of).sum::<u64>();
    let work = sum(|task| task.jobs.load(Relaxed) * task.execution.load(Relaxed));
    let instructions = sum(|task| task.instructions.load(Relaxed));
    print::<S>(format_args!(
        "@work ns={work} instructions={instructions}\n@span ns={}\n",
        span.as_nanos()
    ));
}
