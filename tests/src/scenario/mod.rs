//! The kernel on simulated processors as the target of scenario scripts.
//!
//! Owns: [`KernelWorld`]; the commands of a script that a kernel can carry out. Must never know:
//! what a script expects.
//!
//! The script's processor p is the kernel's p + 1. Processor 0 belongs to an instance of its own,
//! with the operator: the thread that carries out the commands that no thread of the script carries
//! out itself. Threads of the script are kernel threads that carry out their orders, and keep their
//! processors busy otherwise. Each world runs in a thread of the host by itself; the script's
//! runner waits while it carries out a command.
//!
//! A kernel can do less than some scripts request of the library. Only a thread that executes can
//! block, yield, pin itself or make a ceiling for its instance; nothing is restarted or flushed;
//! processors are all there. Such commands are [`Refusal::Impossible`]: [`NO_KERNEL`] precedes the
//! reason.

mod actor;
mod commands;
mod places;
mod view;

use crate::leak;
use crate::several::{SeveralHost, run_with};
pub use commands::coarse;

use actor::Actor;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use taktos_arch_host::{HostSeveral, Order};
use taktos_kernel::{CpuSet, Instance, InstanceConfig, Kernel, PolicyKind, System};
use taktos_schedule::smp::seats::SEATS;
use taktos_simulate::scenario::{
    Command, InstanceName, LockName, Names, OnCpu, Refusal, Setup, Status, Target, ThreadName,
    WaitEnd, World,
};
use taktos_time::{Duration, Instant};
use view::View;

/// Beginning of the message about a command that no kernel can carry out.
pub const NO_KERNEL: &str = "no kernel can: ";

/// That no kernel can do this.
fn no_kernel(why: &str) -> Refusal {
    Refusal::Impossible(format!("{NO_KERNEL}{why}"))
}

/// Kernels on simulated processors.
#[derive(Clone, Copy, Debug)]
pub struct KernelWorld {
    /// The seed of the order in which processors continue.
    pub seed: u64,
}

/// Result of a command, and the view of the world after it.
struct Told {
    result: Result<(), Refusal>,
    view: View,
}

impl World for KernelWorld {
    fn with<R>(
        &self,
        setup: &Setup,
        names: &Names,
        policy: PolicyKind,
        run: impl FnOnce(&mut dyn Target) -> R,
    ) -> Result<R, Status> {
        let processors = setup.online.count() + 1;
        if setup.online != setup.processors || processors > SEATS {
            return Err(Status::Unsupported);
        }
        let stage = Stage::new(setup, names, policy);
        let seed = self.seed;
        let (commands, to_do) = channel();
        let (done, answers) = channel();
        let world = thread::spawn(move || {
            let instances = stage.instances;
            let main = move || stage.play(&to_do, &done);
            run_on_any(processors, Order::Seed(seed), instances, main)
        });
        let Ok(Told { view, .. }) = answers.recv() else {
            return match world.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(_) => Err(Status::Unsupported),
            };
        };
        let mut target = KernelTarget {
            commands,
            answers,
            view,
        };
        let ran = std::panic::catch_unwind(AssertUnwindSafe(|| run(&mut target)));
        drop(target);
        let ended = world.join();
        match (ran, ended) {
            (Err(panic), _) | (Ok(_), Err(panic)) => std::panic::resume_unwind(panic),
            (Ok(result), Ok(())) => Ok(result),
        }
    }
}

/// The number of processors is the kernel's type's.
fn run_on_any(
    processors: usize,
    order: Order,
    instances: &'static [InstanceConfig],
    main: impl FnOnce() + 'static,
) {
    macro_rules! run {
        ($($count:literal)*) => {
            match processors {
                $($count => run_with::<{ $count + 96 }, 6, $count, 8>(order, instances, main),)*
                _ => panic!("no script has {processors} processors, with the operator's"),
            }
        };
    }
    let outcome = run!(2 3 4 5 6 7 8);
    assert_eq!(
        outcome.status(),
        Some(0),
        "{}\n{}",
        outcome.end,
        outcome.console
    );
}

/// Objects of one world.
struct Stage {
    instances: &'static [InstanceConfig],
    online: CpuSet,
    actors: Vec<&'static Actor>,
    locks: Vec<Option<&'static actor::Lock>>,
    instance_count: usize,
    /// Processors with calls that stay on their way.
    held: CpuSet,
    start: Instant,
}

impl Stage {
    fn new(setup: &Setup, names: &Names, policy: PolicyKind) -> Self {
        let operators = InstanceConfig {
            name: *b"oper",
            policy: PolicyKind::Simple,
            cpus: CpuSet::first(1),
        };
        let own = setup.instances.iter().zip(names.instances());
        let own = own.map(|(instance, name)| InstanceConfig {
            name: places::four_letters(name),
            policy: instance.policy.unwrap_or(policy),
            cpus: places::to_kernel_plainly(instance.cpus),
        });
        let instances: Vec<_> = std::iter::once(operators).chain(own).collect();
        Self {
            instance_count: setup.instances.len(),
            instances: leak(instances),
            online: setup.online,
            actors: names.threads().iter().map(|_| leak(Actor::new())).collect(),
            locks: vec![None; names.locks().len()],
            held: CpuSet::EMPTY,
            start: Instant::START,
        }
    }

    /// Carries out the commands, in the operator's thread, until no more come.
    fn play(mut self, to_do: &Receiver<Command>, done: &Sender<Told>) {
        HostSeveral::set_patience(0, u32::MAX);
        for cpu in self.online {
            // Those that spin for a lock must lose time some day, the others need not.
            HostSeveral::set_patience(places::number_of(cpu), 4_000);
        }
        HostSeveral::settle();
        self.start = Kernel::<SeveralHost>::now();
        let mut result = Ok(());
        loop {
            let view = self.look();
            if done.send(Told { result, view }).is_err() {
                SeveralHost::exit(0);
            }
            let Ok(command) = to_do.recv() else {
                SeveralHost::exit(0);
            };
            result = self.perform(&command);
            HostSeveral::settle();
        }
    }

    fn now(&self) -> Instant {
        let passed = Kernel::<SeveralHost>::now().since(self.start);
        Instant::START.saturating_add(passed)
    }

    /// The kernel's instant for one of the script.
    fn instant(&self, of_script: Instant) -> Instant {
        self.start.saturating_add(of_script.since(Instant::START))
    }

    fn instance(name: InstanceName) -> Result<Instance, Refusal> {
        Instance::new(name.0 + 1).ok_or(Refusal::Status(Status::InvalidId))
    }
}

/// The side of the script's runner.
struct KernelTarget {
    commands: Sender<Command>,
    answers: Receiver<Told>,
    view: View,
}

impl Target for KernelTarget {
    fn perform(&mut self, command: &Command) -> Result<(), Refusal> {
        let ended = || Refusal::Broken("the world has ended".to_owned());
        self.commands.send(command.clone()).map_err(|_| ended())?;
        let told = self.answers.recv().map_err(|_| ended())?;
        self.view = told.view;
        told.result
    }

    fn now(&self) -> Instant {
        self.view.now
    }

    fn on(&self, cpu: taktos_kernel::Cpu) -> OnCpu {
        self.view.on(cpu)
    }

    fn has_processor(&self, thread: ThreadName) -> bool {
        self.view.threads[thread.0].has_processor
    }

    fn ready(&self, instance: InstanceName) -> Vec<ThreadName> {
        self.view.instances[instance.0].ready.clone()
    }

    fn scheduled(&self, instance: InstanceName) -> Vec<taktos_simulate::scenario::Occupant> {
        self.view.instances[instance.0].scheduled.clone()
    }

    fn reasons(&self, thread: ThreadName) -> Option<taktos_schedule::smp::Reasons> {
        self.view.threads[thread.0].reasons
    }

    fn pinned(&self, thread: ThreadName) -> Option<taktos_kernel::Cpu> {
        self.view.threads[thread.0].pinned
    }

    fn priority(&self, thread: ThreadName, instance: Option<InstanceName>) -> Option<u32> {
        let thread = &self.view.threads[thread.0];
        match instance {
            None => thread.priority,
            Some(instance) => thread.priority_in[instance.0],
        }
    }

    fn affinity(&self, thread: ThreadName) -> CpuSet {
        self.view.threads[thread.0].affinity
    }

    fn home(&self, thread: ThreadName) -> Option<InstanceName> {
        self.view.threads[thread.0].home
    }

    fn owned(&self, instance: InstanceName) -> CpuSet {
        self.view.instances[instance.0].cpus
    }

    fn cpu_time(&self, thread: ThreadName) -> Duration {
        self.view.threads[thread.0].cpu_time
    }

    fn owner(&self, lock: LockName) -> Option<ThreadName> {
        self.view.locks[lock.0].owner
    }

    fn waiters(&self, lock: LockName) -> Vec<ThreadName> {
        self.view.locks[lock.0].waiters.clone()
    }

    fn outcome(&self, thread: ThreadName) -> WaitEnd {
        self.view.threads[thread.0].outcome
    }

    fn check(&self, _: &Names) -> Result<(), String> {
        self.view.check.clone()
    }
}
