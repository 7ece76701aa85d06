//! The visible state of a world, all at once.
//!
//! Owns: what is read from the kernel's scheduler and from the machine, and that both agree.
//! Must never know: what a script expects.

use super::actor::Actor;
use super::{Stage, places};
use crate::several::SeveralHost;
use std::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{Cpu, CpuSet, Instance, Sight, State};
use taktos_schedule::smp::{self, Reasons};
use taktos_simulate::scenario::{InstanceName, Occupant, OnCpu, ThreadName, WaitEnd};
use taktos_time::{Duration, Instant};

type Kernel = taktos_kernel::Kernel<SeveralHost>;

/// Visible state of a thread.
pub struct ThreadView {
    pub has_processor: bool,
    pub reasons: Option<Reasons>,
    pub pinned: Option<Cpu>,
    pub priority: Option<u32>,
    pub priority_in: Vec<Option<u32>>,
    pub affinity: CpuSet,
    pub home: Option<InstanceName>,
    pub cpu_time: Duration,
    pub outcome: WaitEnd,
    pub waits_for_lock: bool,
}

/// Visible state of an instance.
pub struct InstanceView {
    pub cpus: CpuSet,
    pub scheduled: Vec<Occupant>,
    pub ready: Vec<ThreadName>,
}

/// Visible state of a lock.
pub struct LockView {
    pub owner: Option<ThreadName>,
    pub waiters: Vec<ThreadName>,
}

/// Visible state of a world.
pub struct View {
    pub now: Instant,
    pub threads: Vec<ThreadView>,
    pub instances: Vec<InstanceView>,
    pub locks: Vec<LockView>,
    pub check: Result<(), String>,
    on: Vec<(Cpu, OnCpu)>,
}

impl View {
    /// Returns the threads of a processor: the executing one and the heir.
    pub fn on(&self, cpu: Cpu) -> OnCpu {
        let nobody = OnCpu {
            executing: Occupant::Nobody,
            heir: Occupant::Nobody,
        };
        let found = self.on.iter().find(|(known, _)| *known == cpu);
        found.map_or(nobody, |(_, on)| *on)
    }
}

/// The library's row of each thread of the script.
struct Rows(Vec<Option<smp::Thread>>);

impl Rows {
    fn name(&self, row: smp::Thread) -> Option<ThreadName> {
        let place = self.0.iter().position(|known| *known == Some(row));
        place.map(ThreadName)
    }

    fn names(&self, rows: &[smp::Thread]) -> Vec<ThreadName> {
        rows.iter().filter_map(|row| self.name(*row)).collect()
    }
}

/// Returns the occupant that a row of the library means, on this processor of the kernel.
fn occupant(sight: &dyn Sight, rows: &Rows, row: Option<smp::Thread>, cpu: Cpu) -> Occupant {
    match row {
        None => Occupant::Nobody,
        Some(row) if sight.system().is_idle(row) => {
            Occupant::Idle(stood_for(sight, rows, row, cpu))
        }
        // One that is not known any more was deleted, and its registers are still here.
        Some(row) => rows.name(row).map_or(Occupant::Nobody, Occupant::Thread),
    }
}

/// Returns the thread that an idle heir replaces.
fn stood_for(sight: &dyn Sight, rows: &Rows, idle: smp::Thread, cpu: Cpu) -> Option<ThreadName> {
    if sight.heir(cpu) != Some(idle) {
        return None;
    }
    let instance = sight.system().instance_of_cpu(cpu).ok()?;
    let mut holder = None;
    sight.for_each_scheduled(instance, &mut |row, place| {
        if place == cpu {
            holder = rows.name(row);
        }
    });
    holder
}

impl Stage {
    /// Returns the present view.
    pub fn look(&self) -> View {
        let rows = self
            .actors
            .iter()
            .map(|actor| actor.thread().scheduler_row());
        let rows = Rows(rows.collect());
        let seen = Kernel::look(|sight| {
            (
                self.look_at_processors(sight, &rows),
                self.look_at_threads(sight, &rows),
                self.look_at_instances(sight, &rows),
            )
        });
        let (on, mut threads, instances) = seen.expect("the kernel runs");
        for (thread, actor) in threads.iter_mut().zip(&self.actors) {
            thread.reasons = reasons(actor, thread.waits_for_lock);
            thread.cpu_time = actor.thread().cpu_time().unwrap_or(Duration::ZERO);
        }
        View {
            now: self.now(),
            locks: self.look_at_locks(&rows),
            check: self.check(&rows),
            threads,
            instances,
            on,
        }
    }

    fn look_at_processors(&self, sight: &dyn Sight, rows: &Rows) -> Vec<(Cpu, OnCpu)> {
        let on = |cpu: Cpu| {
            let kernel = places::to_cpu(cpu.index())?;
            let on = OnCpu {
                executing: occupant(sight, rows, sight.executing(kernel), kernel),
                heir: occupant(sight, rows, sight.heir(kernel), kernel),
            };
            Some((cpu, on))
        };
        self.online.into_iter().filter_map(on).collect()
    }

    fn look_at_threads(&self, sight: &dyn Sight, rows: &Rows) -> Vec<ThreadView> {
        let system = sight.system();
        let instances = || (1..=self.instance_count).filter_map(Instance::new);
        let one = |row: &Option<smp::Thread>| {
            let row = *row;
            let affinity = row.and_then(|row| system.affinity(row).ok());
            let affinity = affinity.map_or(CpuSet::EMPTY, |set| {
                let set = places::from_kernel(set);
                if set.covers(self.online) {
                    CpuSet::ALL
                } else {
                    set
                }
            });
            let in_instance = |instance| Some(sight.priority_in(row?, instance).ok()?.0);
            ThreadView {
                has_processor: row.is_some_and(|row| sight.processor_of(row).is_some()),
                reasons: None,
                pinned: row.and_then(|row| places::from_cpu(system.pinned_to(row)?)),
                priority: row.and_then(|row| Some(system.priority(row).ok()?.0)),
                priority_in: instances().map(in_instance).collect(),
                affinity,
                home: row.and_then(|row| {
                    Some(InstanceName(
                        system.scheduler(row).ok()?.index().checked_sub(1)?,
                    ))
                }),
                // The scheduler knows only a part of it.
                cpu_time: Duration::ZERO,
                outcome: match row.and_then(|row| system.outcome(row).ok().flatten()) {
                    None => WaitEnd::None,
                    Some(smp::Outcome::Granted) => WaitEnd::Granted,
                    Some(smp::Outcome::Timeout) => WaitEnd::Timeout,
                    Some(smp::Outcome::Flushed) => WaitEnd::Flushed,
                },
                waits_for_lock: row
                    .is_some_and(|row| system.waits_for(row).ok().flatten().is_some()),
            }
        };
        rows.0.iter().map(one).collect()
    }

    fn look_at_instances(&self, sight: &dyn Sight, rows: &Rows) -> Vec<InstanceView> {
        let one = |instance| {
            let mut ready = Vec::new();
            sight.for_each_ready(instance, &mut |row| ready.push(row));
            let mut scheduled = Vec::new();
            sight.for_each_scheduled(instance, &mut |row, cpu| {
                scheduled.push(match rows.name(row) {
                    Some(owner) if sight.heir(cpu) != Some(row) => Occupant::Idle(Some(owner)),
                    Some(owner) => Occupant::Thread(owner),
                    None => Occupant::Idle(None),
                });
            });
            InstanceView {
                cpus: places::from_kernel(sight.system().processors(instance).unwrap_or_default()),
                scheduled,
                ready: rows.names(&ready),
            }
        };
        (1..=self.instance_count)
            .filter_map(Instance::new)
            .map(one)
            .collect()
    }

    fn look_at_locks(&self, rows: &Rows) -> Vec<LockView> {
        let one = |lock: &Option<&'static super::actor::Lock>| {
            let row = lock.and_then(|lock| lock.scheduler_row());
            let seen = Kernel::look(|sight| {
                let (system, row) = (sight.system(), row?);
                let owner = system.owner(row).ok().flatten();
                Some((owner, in_order_of_grants(system, row)))
            });
            match seen {
                Ok(Some((owner, waiters))) => LockView {
                    owner: owner.and_then(|owner| rows.name(owner)),
                    waiters: rows.names(&waiters),
                },
                _ => LockView {
                    owner: None,
                    waiters: Vec::new(),
                },
            }
        };
        self.locks.iter().map(one).collect()
    }

    /// Checks the scheduler's invariants, and that the machine does what the scheduler has decided:
    /// the processor runs the coroutine of the thread that executes according to the library.
    fn check(&self, rows: &Rows) -> Result<(), String> {
        Kernel::check().map_err(|violation| format!("{violation:?}"))?;
        for (place, actor) in self.actors.iter().enumerate() {
            let Some(row) = rows.0[place] else { continue };
            let machine = self.executes_on(actor);
            let library = Kernel::look(|sight| sight.executes_on(row));
            let library = library.ok().flatten().and_then(places::from_cpu);
            if machine != library {
                return Err(format!(
                    "thread {place} executes on {machine:?}, and the scheduler says {library:?}"
                ));
            }
        }
        Ok(())
    }
}

/// Returns the threads that wait for a lock, in the order of grants: the most urgent of the
/// instance that has the turn; this instance then goes to the end.
fn in_order_of_grants(system: &smp::System<'_>, lock: smp::Lock) -> Vec<smp::Thread> {
    let mut queues: Vec<(Instance, Vec<smp::Thread>)> = Vec::new();
    // A lock that is not known has no waiters.
    let _ = system.for_each_waiter(lock, |instance, thread| {
        match queues.iter_mut().find(|(known, _)| *known == instance) {
            Some((_, queue)) => queue.push(thread),
            None => queues.push((instance, vec![thread])),
        }
    });
    let mut order = Vec::new();
    while !queues.is_empty() {
        let (instance, queue) = queues.remove(0);
        order.push(queue[0]);
        queues.push((instance, queue));
        for (_, queue) in &mut queues {
            queue.retain(|waiter| !order.contains(waiter));
        }
        queues.retain(|(_, queue)| !queue.is_empty());
    }
    order
}

/// Why a thread is not ready: what the kernel says, in the library's words.
fn reasons(actor: &'static Actor, waits_for_lock: bool) -> Option<Reasons> {
    let mut reasons = match actor.thread().state() {
        State::NonExistent => return None,
        State::Dormant => Reasons::DORMANT,
        State::Ready | State::Executing => Reasons::NONE,
        State::Blocked if waits_for_lock => Reasons::LOCK,
        State::Blocked if actor.is_busy() => Reasons::WAIT,
        State::Blocked => Reasons::NONE,
    };
    if actor.suspended.load(Relaxed) {
        reasons = reasons.or(Reasons::SUSPENDED);
    }
    Some(reasons)
}
