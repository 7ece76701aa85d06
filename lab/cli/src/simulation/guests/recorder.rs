//! Records a machine with guests: which virtual processor has which processor,
//! and what happens to the guests' jobs.

use taktos_export::{Recording, TimeUnit};
use taktos_schedule::Cpu;
use taktos_simulate::partition::HostObserver;
use taktos_simulate::{JobId, Observer, Resource, Workload};
use taktos_time::{Duration, Instant};
use taktos_trace::{Event, Kind, Thread};

/// An event whose thread and mark have numbers of their own partition.
#[derive(Clone, Copy)]
struct Note {
    at: u64,
    kind: Kind,
    task: u16,
    argument: u32,
}

/// What happens in one guest, up to a number of events.
pub struct GuestRecorder {
    notes: Vec<Note>,
    most: usize,
    full: Option<u64>,
}

impl GuestRecorder {
    /// Room for so many events.
    pub const fn new(most: usize) -> Self {
        Self {
            notes: Vec::new(),
            most,
            full: None,
        }
    }

    fn add(&mut self, at: Instant, kind: Kind, job: JobId, argument: u64) {
        if self.notes.len() >= self.most {
            self.full.get_or_insert(at.as_nanos());
            return;
        }
        self.notes.push(Note {
            at: at.as_nanos(),
            kind,
            task: job.task.0,
            argument: argument as u32,
        });
    }
}

impl Observer for GuestRecorder {
    fn release(&mut self, _: Instant, job: JobId, arrival: Instant, deadline: Option<Instant>) {
        self.add(arrival, Kind::Release, job, job.number);
        if let Some(deadline) = deadline {
            self.add(deadline, Kind::Deadline, job, job.number);
        }
    }

    fn complete(&mut self, at: Instant, _: Cpu, job: JobId, _: Duration) {
        self.add(at, Kind::Complete, job, job.number);
    }

    fn miss(&mut self, _: Instant, job: JobId, deadline: Instant) {
        self.add(deadline, Kind::Miss, job, job.number);
    }

    fn preempt(&mut self, at: Instant, _: Cpu, job: JobId) {
        self.add(at, Kind::Preempt, job, job.number);
    }

    fn lock(&mut self, at: Instant, job: JobId, resource: Resource) {
        if let Resource::Lock(lock) = resource {
            self.add(at, Kind::Lock, job, u64::from(lock.0));
        }
    }

    fn unlock(&mut self, at: Instant, job: JobId, resource: Resource) {
        if let Resource::Lock(lock) = resource {
            self.add(at, Kind::Unlock, job, u64::from(lock.0));
        }
    }
}

/// Who has each processor: a virtual processor, the hypervisor, or nobody.
#[derive(Clone, Copy)]
enum Holder {
    Nobody,
    Hypervisor,
    Vcpu(usize, usize),
}

/// Who has which processor, up to a number of switches.
pub struct HostRecorder {
    switches: Vec<(u64, u8, Holder)>,
    most: usize,
    full: Option<u64>,
}

impl HostRecorder {
    /// Room for so many switches.
    pub const fn new(most: usize) -> Self {
        Self {
            switches: Vec::new(),
            most,
            full: None,
        }
    }
}

impl HostObserver for HostRecorder {
    fn run(&mut self, at: Instant, cpu: Cpu, vcpu: Option<(usize, usize)>, overhead: Duration) {
        if self.switches.len() >= self.most {
            self.full.get_or_insert(at.as_nanos());
            return;
        }
        let (at, cpu) = (at.as_nanos(), cpu.index() as u8);
        if overhead > Duration::ZERO {
            let begin = at.saturating_sub(overhead.as_nanos());
            self.switches.push((begin, cpu, Holder::Hypervisor));
        }
        let holder = vcpu.map_or(Holder::Nobody, |(partition, vcpu)| {
            Holder::Vcpu(partition, vcpu)
        });
        self.switches.push((at, cpu, holder));
    }
}

/// All of it as one recording: the virtual processors are threads `linux/vcpu0`,
/// then the hypervisor, then the guests' tasks `linux/T1`. And whether it is whole.
pub fn merged(
    workload: &Workload,
    host: &HostRecorder,
    guests: &[GuestRecorder],
    end: Duration,
) -> (Recording, bool) {
    let mut recording = Recording::new(TimeUnit::Nanoseconds);
    let mut first_vcpu = Vec::new();
    for partition in &workload.partitions {
        first_vcpu.push(recording.threads.len());
        let names = (0..partition.vcpus.len()).map(|vcpu| format!("{}/vcpu{vcpu}", partition.name));
        recording.threads.extend(names);
    }
    let hypervisor = recording.threads.len();
    recording.threads.push("(hypervisor)".into());
    let cut = guests.iter().map(|guest| guest.full).chain([host.full]);
    let cut = cut.flatten().min();
    recording.end = cut.unwrap_or(end.as_nanos());
    for (at, processor, holder) in &host.switches {
        let thread = match holder {
            Holder::Nobody => Thread::IDLE,
            Holder::Hypervisor => Thread(hypervisor as u16),
            Holder::Vcpu(partition, vcpu) => Thread((first_vcpu[*partition] + vcpu) as u16),
        };
        recording.events.push(Event {
            at: *at,
            argument: 0,
            thread,
            processor: *processor,
            kind: Kind::Switch,
        });
    }
    for (partition, guest) in workload.partitions.iter().zip(guests) {
        let (task, lock) = (recording.threads.len() as u32, recording.marks.len() as u32);
        let name = |name: &String| format!("{}/{name}", partition.name);
        recording
            .threads
            .extend(partition.tasks.iter().map(|task| name(&task.name)));
        recording
            .marks
            .extend(partition.locks.iter().map(|lock| name(&lock.name)));
        recording
            .events
            .extend(guest.notes.iter().map(|note| Event {
                at: note.at,
                argument: note.argument + if note.kind.is_named() { lock } else { 0 },
                thread: Thread((task + u32::from(note.task)) as u16),
                processor: 0,
                kind: note.kind,
            }));
    }
    recording.events.retain(|event| event.at <= recording.end);
    recording.events.sort_by_key(|event| event.at);
    (recording, cut.is_none())
}
