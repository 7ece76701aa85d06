//! Records a simulation: the schedule of the tasks, and the events of jobs.

use std::collections::BTreeMap;

use taktos_export::{Recording, TimeUnit};
use taktos_schedule::Cpu;
use taktos_simulate::{
    Cluster, Doing, JobId, LockSpec, Observer, Partition, Resource, ServerSpec, Task, TaskId,
    Workload,
};
use taktos_time::{Duration, Instant};
use taktos_trace::{Event, Handover, Kind, Left, Thread, Waking};

/// An observer that stores the first events, up to a number.
pub struct Recorder {
    recording: Recording,
    most: usize,
    tasks: usize,
    locks: usize,
    /// Instant at which there was no more space.
    full: Option<u64>,
    /// Last activity of each processor, and whether its job has since lost it to another one.
    doing: BTreeMap<u8, (Doing, bool)>,
    /// Which tasks could run, or run.
    ready: Vec<bool>,
    /// The priorities that tasks have of their own.
    priorities: Vec<Option<u16>>,
}

/// Returns the name of each processor: the instance that has it, and its policy.
fn processors(clusters: &[Cluster]) -> Vec<String> {
    let highest = clusters.iter().filter_map(|cluster| cluster.cpus.highest());
    let most = highest.max().map_or(0, |cpu| cpu.index() + 1);
    let name = |cpu| {
        let has = |cluster: &&Cluster| cluster.cpus.contains(cpu);
        clusters
            .iter()
            .find(has)
            .map_or("(none)".into(), |cluster| {
                format!("{} ({})", cluster.name, cluster.policy)
            })
    };
    (0..most).filter_map(Cpu::new).map(name).collect()
}

/// The task at work.
const fn task_of(doing: Doing) -> Option<TaskId> {
    match doing {
        Doing::Idle => None,
        Doing::Job(job) | Doing::Spin(job) => Some(job.task),
    }
}

impl Recorder {
    /// Creates a recorder with space for this many events. Processors have the names of their
    /// instances.
    pub fn new(workload: &Workload, clusters: &[Cluster], most: usize) -> Self {
        let named = (&*workload.locks, &*workload.servers);
        Self::of(&workload.tasks, named, processors(clusters), most)
    }

    /// Creates a recorder of a guest, with virtual processors.
    pub fn of_guest(partition: &Partition, most: usize) -> Self {
        let vcpus = (0..partition.vcpus.len()).map(|vcpu| format!("vcpu{vcpu}"));
        let named = (&*partition.locks, &*partition.servers);
        Self::of(&partition.tasks, named, vcpus.collect(), most)
    }

    /// Creates a recorder. The kernel's own work is a thread of its own on each processor, after
    /// the tasks.
    fn of(
        tasks: &[Task],
        (locks, servers): (&[LockSpec], &[ServerSpec]),
        processors: Vec<String>,
        most: usize,
    ) -> Self {
        let mut recording = Recording::new(TimeUnit::Nanoseconds);
        let kernel = |cpu| match processors.len() {
            1 => "(kernel)".to_owned(),
            _ => format!("(kernel, cpu {cpu})"),
        };
        let kernels = (0..processors.len()).map(kernel);
        let names = tasks.iter().map(|task| task.name.clone());
        recording.threads = names.chain(kernels).collect();
        let locks_named = locks.iter().map(|lock| lock.name.clone());
        let servers = servers.iter().map(|server| server.name.clone());
        recording.marks = locks_named.chain(servers).collect();
        recording.processors = processors;
        Self {
            recording,
            most,
            tasks: tasks.len(),
            locks: locks.len(),
            full: None,
            doing: BTreeMap::new(),
            ready: vec![false; tasks.len()],
            priorities: tasks
                .iter()
                .map(|task| task.priority.and_then(|priority| priority.try_into().ok()))
                .collect(),
        }
    }

    /// Returns how the job on the processor leaves it for `next`: a job that lost it, or continues
    /// after the kernel's work, could have continued; any other one waits.
    fn leaves(&mut self, cpu: Cpu, next: Doing) -> Left {
        let before = self.doing.insert(cpu.index() as u8, (next, false));
        let (before, lost) = before.unwrap_or((Doing::Idle, false));
        let task = task_of(before);
        if lost || task == task_of(next) {
            return Left::Runnable;
        }
        self.set_ready(task, false);
        Left::Waiting
    }

    fn set_ready(&mut self, task: Option<TaskId>, ready: bool) -> bool {
        let place = task.and_then(|task| self.ready.get_mut(task.index()));
        place.is_some_and(|place| std::mem::replace(place, ready))
    }

    /// The task can run; if it could not before, it wakes up.
    fn wake(&mut self, at: Instant, task: TaskId) {
        if !self.set_ready(Some(task), true) {
            self.add(at, Kind::Wake, task, 0, None);
        }
    }

    /// Returns the recording, in the order of time, up to `end`; and whether that is all.
    pub fn finish(self, end: Duration) -> (Recording, bool) {
        let mut recording = self.recording;
        recording.end = self.full.unwrap_or(end.as_nanos());
        // Deadlines are known before they pass, misses after; the order of
        // events at one time stays.
        recording.events.retain(|event| event.at <= recording.end);
        recording.events.sort_by_key(|event| event.at);
        (recording, self.full.is_none())
    }

    fn add(&mut self, at: Instant, kind: Kind, task: TaskId, argument: u64, cpu: Option<Cpu>) {
        if self.recording.events.len() >= self.most {
            self.full.get_or_insert(at.as_nanos());
            return;
        }
        self.recording.events.push(Event {
            at: at.as_nanos(),
            argument: argument as u32,
            thread: Thread(task.0),
            processor: cpu.map_or(0, |cpu| cpu.index() as u8),
            kind,
        });
    }

    const fn mark(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Lock(lock) => lock.0 as u64,
            Resource::Server(server) => (self.locks + server.0 as usize) as u64,
        }
    }
}

impl Observer for Recorder {
    fn switch(&mut self, at: Instant, cpu: Cpu, doing: Doing, overhead: Duration) {
        let mut left = self.leaves(cpu, doing);
        if overhead > Duration::ZERO {
            let handover = Handover {
                left: Some(left),
                priority: None,
            };
            let kernel = TaskId((self.tasks + cpu.index()) as u16);
            let begin = Instant::from_nanos(at.as_nanos().saturating_sub(overhead.as_nanos()));
            let woken = Waking::default().to_argument();
            for (kind, argument) in [(Kind::Wake, woken), (Kind::Switch, handover.to_argument())] {
                self.add(begin, kind, kernel, argument.into(), Some(cpu));
            }
            // The kernel's own work is done.
            left = Left::Waiting;
        }
        let task = task_of(doing);
        self.set_ready(task, true);
        let priority = task.and_then(|task| self.priorities.get(task.index()).copied().flatten());
        let handover = Handover {
            left: Some(left),
            priority,
        };
        let task = task.unwrap_or(TaskId(Thread::IDLE.0));
        self.add(
            at,
            Kind::Switch,
            task,
            handover.to_argument().into(),
            Some(cpu),
        );
    }

    fn release(&mut self, at: Instant, job: JobId, arrival: Instant, deadline: Option<Instant>) {
        self.wake(at, job.task);
        self.add(arrival, Kind::Release, job.task, job.number, None);
        if let Some(deadline) = deadline {
            self.add(deadline, Kind::Deadline, job.task, job.number, None);
        }
    }

    fn complete(&mut self, at: Instant, cpu: Cpu, job: JobId, _: Duration) {
        self.add(at, Kind::Complete, job.task, job.number, Some(cpu));
    }

    fn miss(&mut self, _: Instant, job: JobId, deadline: Instant) {
        self.add(deadline, Kind::Miss, job.task, job.number, None);
    }

    fn migrate(&mut self, at: Instant, job: JobId, from: Cpu, to: Cpu) {
        self.add(at, Kind::Migrate, job.task, from.index() as u64, Some(to));
    }

    fn preempt(&mut self, at: Instant, cpu: Cpu, job: JobId) {
        if let Some((_, lost)) = self.doing.get_mut(&(cpu.index() as u8)) {
            *lost = true;
        }
        self.add(at, Kind::Preempt, job.task, job.number, Some(cpu));
    }

    fn resume(&mut self, at: Instant, job: JobId) {
        self.wake(at, job.task);
    }

    fn lock(&mut self, at: Instant, job: JobId, resource: Resource) {
        self.wake(at, job.task);
        self.add(at, Kind::Lock, job.task, self.mark(resource), None);
    }

    fn unlock(&mut self, at: Instant, job: JobId, resource: Resource) {
        self.add(at, Kind::Unlock, job.task, self.mark(resource), None);
    }
}
