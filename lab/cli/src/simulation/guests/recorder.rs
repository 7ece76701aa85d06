//! Records a machine with guests: which virtual processor has which processor, and what happens in
//! the guests, on one time line.
//!
//! Owns: the events of the host, and how its schedule and those of its guests become one. Must
//! never know: how a schedule inside a guest is stored.

use std::collections::BTreeMap;

use taktos_export::{Guest, Recording, TimeUnit, with_guests};
use taktos_schedule::Cpu;
use taktos_simulate::Workload;
use taktos_simulate::partition::HostObserver;
use taktos_time::{Duration, Instant};
use taktos_trace::{Event, Handover, Kind, Left, Thread, Waking};

/// Recorder of the virtual processor on each processor, and of the virtual processors that have
/// something to do, up to a number of events. The virtual processors are the first threads, those
/// of the first partition before those of the next. Then comes the hypervisor, once a processor.
pub struct HostRecorder {
    events: Vec<Event>,
    most: usize,
    full: Option<u64>,
    /// The number of the first virtual processor of each partition.
    firsts: Vec<u16>,
    /// How many virtual processors there are.
    vcpus: u16,
    /// The virtual processor that each processor has.
    running: BTreeMap<u8, Thread>,
    /// Those that have something to do.
    wanting: Vec<bool>,
}

impl HostRecorder {
    /// Returns a recorder with space for `most` events.
    pub fn new(workload: &Workload, most: usize) -> Self {
        let mut vcpus = 0;
        let firsts = workload.partitions.iter().map(|partition| {
            let first = vcpus;
            vcpus += partition.vcpus.len() as u16;
            first
        });
        Self {
            firsts: firsts.collect(),
            events: Vec::new(),
            most,
            full: None,
            vcpus,
            running: BTreeMap::new(),
            wanting: vec![false; usize::from(vcpus)],
        }
    }

    fn thread(&self, (partition, vcpu): (usize, usize)) -> Thread {
        Thread(self.firsts[partition] + vcpu as u16)
    }

    fn add(&mut self, at: u64, processor: u8, thread: Thread, kind: Kind, argument: u32) {
        if self.events.len() >= self.most {
            self.full.get_or_insert(at);
            return;
        }
        self.events.push(Event {
            at,
            argument,
            thread,
            processor,
            kind,
        });
    }

    /// Returns how the thread on the processor leaves it: one with something to do could have
    /// continued.
    fn leaves(&mut self, cpu: u8, next: Thread) -> Left {
        let before = self.running.insert(cpu, next);
        let wanting = before.and_then(|thread| self.wanting.get(usize::from(thread.0)));
        match wanting {
            Some(false) => Left::Waiting,
            _ => Left::Runnable,
        }
    }
}

impl HostObserver for HostRecorder {
    fn run(&mut self, at: Instant, cpu: Cpu, vcpu: Option<(usize, usize)>, overhead: Duration) {
        let (at, cpu) = (at.as_nanos(), cpu.index() as u8);
        let next = vcpu.map_or(Thread::IDLE, |vcpu| self.thread(vcpu));
        let mut left = self.leaves(cpu, next);
        let handover = |left| {
            let priority = None;
            let left = Some(left);
            Handover { left, priority }.to_argument()
        };
        if overhead > Duration::ZERO {
            let hypervisor = Thread(self.vcpus + u16::from(cpu));
            let begin = at.saturating_sub(overhead.as_nanos());
            let woken = Waking::default().to_argument();
            self.add(begin, cpu, hypervisor, Kind::Wake, woken);
            self.add(begin, cpu, hypervisor, Kind::Switch, handover(left));
            left = Left::Waiting;
        }
        self.add(at, cpu, next, Kind::Switch, handover(left));
    }

    fn wants(&mut self, at: Instant, vcpu: (usize, usize), wants: bool) {
        let thread = self.thread(vcpu);
        self.wanting[usize::from(thread.0)] = wants;
        // A virtual processor that has not left a processor yet has not gone to sleep, either.
        let here = self.running.values().any(|running| *running == thread);
        if wants && !here {
            let woken = Waking::default().to_argument();
            self.add(at.as_nanos(), 0, thread, Kind::Wake, woken);
        }
    }
}

/// All of it as one recording, and whether it is whole. The threads are the virtual processors
/// `linux/vcpu0`, then the hypervisor, then the guests' tasks `linux/T1`.
pub fn merged(
    workload: &Workload,
    host: HostRecorder,
    guests: Vec<(Recording, bool)>,
    end: Duration,
) -> (Recording, bool) {
    let cut = guests.iter().filter(|(_, whole)| !whole);
    let cut = cut.map(|(guest, _)| guest.end).chain(host.full).min();
    let mut recording = Recording::new(TimeUnit::Nanoseconds);
    recording.end = cut.unwrap_or(end.as_nanos());
    recording.processors = pools(workload);
    let named = workload.partitions.iter().zip(guests).zip(&host.firsts);
    let guests = named.map(|((partition, (guest, _)), first)| {
        let count = partition.vcpus.len();
        let name = &partition.name;
        let names = (0..count).map(|vcpu| format!("{name}/vcpu{vcpu}"));
        recording.threads.extend(names);
        Guest {
            name: name.clone(),
            recording: guest,
            vcpus: (*first..).map(Thread).take(count).collect(),
        }
    });
    let guests = guests.collect();
    let hypervisor = |cpu| match recording.processors.len() {
        1 => "(hypervisor)".to_owned(),
        _ => format!("(hypervisor, cpu {cpu})"),
    };
    let hypervisors = (0..recording.processors.len()).map(hypervisor);
    recording.threads.extend(hypervisors);
    recording.events = host.events;
    (with_guests(recording, guests), cut.is_none())
}

/// Returns the names of the machine's processors: those of their pools.
fn pools(workload: &Workload) -> Vec<String> {
    let highest = workload.pools.iter().filter_map(|pool| pool.cpus.highest());
    let most = highest.max().map_or(0, |cpu| cpu.index() + 1);
    let name = |cpu| {
        let mut pools = workload.pools.iter();
        let pool = pools.find(|pool| pool.cpus.contains(cpu));
        pool.map_or("(none)".into(), |pool| pool.name.clone())
    };
    (0..most).filter_map(Cpu::new).map(name).collect()
}

/// The part of a recording that is of the machine's own processors.
pub fn of_host(workload: &Workload, recording: &Recording) -> Recording {
    let own = pools(workload).len();
    let is_own = |event: &Event| event.kind != Kind::Switch || usize::from(event.processor) < own;
    let events = recording.events.iter().copied().filter(is_own);
    Recording {
        events: events.collect(),
        ..recording.clone()
    }
}
