//! Picture of a target: the place of each thread, and the lock that it waits for.
//!
//! Owns: the contents of a picture, and how it is drawn.
//! Must never know: the purpose of a picture.

use std::fmt;

use taktos_schedule::smp::Reasons;
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

use super::command::{InstanceName, LockName, ThreadName};
use super::names::Names;
use super::script::{Occupant, OnCpu};
use super::target::Target;
use super::units::{Set, Span};

/// The state of a target, as far as it can be seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    now: Instant,
    cpus: Vec<(Cpu, OnCpu)>,
    instances: Vec<InstancePicture>,
    blocked: Vec<(ThreadName, Reasons)>,
    locks: Vec<(LockName, ThreadName, Vec<ThreadName>)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct InstancePicture {
    cpus: CpuSet,
    scheduled: Vec<Occupant>,
    ready: Vec<ThreadName>,
}

impl Picture {
    /// Returns the visible state of the target now.
    pub fn of(target: &dyn Target, online: CpuSet, names: &Names) -> Self {
        let instances = (0..names.instances().len()).map(InstanceName);
        let threads = (0..names.threads().len()).map(ThreadName);
        let locks = (0..names.locks().len()).map(LockName);
        let owned = |lock| Some((lock, target.owner(lock)?, target.waiters(lock)));
        let blocked = |thread| {
            let reasons = target.reasons(thread)?;
            (!reasons.is_empty()).then_some((thread, reasons))
        };
        Self {
            now: target.now(),
            cpus: online
                .into_iter()
                .map(|cpu| (cpu, target.on(cpu)))
                .collect(),
            instances: instances
                .map(|instance| InstancePicture {
                    cpus: target.owned(instance),
                    scheduled: target.scheduled(instance),
                    ready: target.ready(instance),
                })
                .collect(),
            blocked: threads.filter_map(blocked).collect(),
            locks: locks.filter_map(owned).collect(),
        }
    }

    /// The picture with the names of its case.
    pub fn drawn<'a>(&'a self, names: &'a Names) -> impl fmt::Display + 'a {
        Drawn {
            picture: self,
            names,
        }
    }
}

/// An occupant's name.
pub(super) fn occupant(who: Occupant, names: &Names) -> String {
    match who {
        Occupant::Thread(thread) => names.thread(thread).to_owned(),
        Occupant::Idle(None) => "idle".to_owned(),
        Occupant::Idle(Some(thread)) => format!("idle for {}", names.thread(thread)),
        Occupant::Nobody => "nobody".to_owned(),
    }
}

/// Returns the executing occupant as text and, if it is another, the one that should execute.
pub(super) fn on_cpu(on: OnCpu, names: &Names) -> String {
    let executing = occupant(on.executing, names);
    match on.executing == on.heir {
        true => executing,
        false => format!("{executing} -> {}", occupant(on.heir, names)),
    }
}

/// Names in a row; `none` when there is none.
pub(super) fn list<T>(items: &[T], name: impl Fn(&T) -> String) -> String {
    match items.is_empty() {
        true => "none".to_owned(),
        false => items.iter().map(name).collect::<Vec<_>>().join(" "),
    }
}

struct Drawn<'a> {
    picture: &'a Picture,
    names: &'a Names,
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (picture, names) = (self.picture, self.names);
        let thread = |thread: &ThreadName| names.thread(*thread).to_owned();
        let since = Span(picture.now.since(Instant::START));
        write!(f, "at {since}")?;
        for (cpu, on) in &picture.cpus {
            write!(f, "\n  processor {}: {}", cpu.index(), on_cpu(*on, names))?;
        }
        for (index, instance) in picture.instances.iter().enumerate() {
            let name = names.instance(InstanceName(index));
            let scheduled = list(&instance.scheduled, |who| occupant(*who, names));
            let ready = list(&instance.ready, thread);
            let cpus = Set(instance.cpus);
            write!(
                f,
                "\n  instance {name} ({cpus}): scheduled {scheduled}; ready {ready}"
            )?;
        }
        for (blocked, reasons) in &picture.blocked {
            write!(f, "\n  blocked {}: {reasons:?}", thread(blocked))?;
        }
        for (lock, owner, waiters) in &picture.locks {
            let (lock, owner) = (names.lock(*lock), thread(owner));
            write!(
                f,
                "\n  lock {lock}: owner {owner}; waiters {}",
                list(waiters, thread)
            )?;
        }
        Ok(())
    }
}
