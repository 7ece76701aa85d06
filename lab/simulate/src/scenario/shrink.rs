//! From a stress test that failed to a script of a few lines.
//!
//! Owns: which commands and processors can be left out.
//! Must never know: why it fails.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use taktos_schedule::CpuSet;
use taktos_schedule::smp::PolicyKind;

use super::command::Command;
use super::names::Names;
use super::script::{InstanceSetup, Setup};
use super::target::World;
use super::trial::{Answer, Broken, Trial};
use super::units::{Set, policy_name};

/// Commands that make a target violate an invariant, and where they do it.
#[derive(Clone, Debug)]
pub struct Culprit<'a> {
    /// The processors and instances.
    pub setup: Setup,
    /// The names of the commands.
    pub names: &'a Names,
    /// The policy of the instances that name none.
    pub policy: PolicyKind,
    /// The commands; the last one violates the invariant.
    pub commands: Vec<Command>,
}

/// How a replay ended.
struct Ended {
    /// Result of each command.
    answers: Vec<Answer>,
    /// Invariant that the next command violated.
    broken: Option<Broken>,
}

impl Culprit<'_> {
    /// Leaves out what can be left out; the script still violates the same invariant or another
    /// one. The rest cannot be made shorter by one command or one processor.
    #[must_use]
    pub fn shrunk(mut self, world: &impl World) -> Self {
        self.cut(world);
        let mut named = self.clone();
        named.drop_nameless();
        if named.cut(world) {
            self = named;
        }
        loop {
            let before = (self.commands.len(), self.setup.online);
            self.fewer_commands(world);
            self.fewer_processors(world);
            if before == (self.commands.len(), self.setup.online) {
                return self;
            }
        }
    }

    /// Leaves out commands about threads and locks that have not been made before: a script could
    /// not name them.
    fn drop_nameless(&mut self) {
        let (mut threads, mut locks) = (BTreeSet::new(), BTreeSet::new());
        self.commands.retain(|command| {
            let (thread, lock) = command.about();
            let new_thread = matches!(command, Command::Create { .. });
            let new_lock = matches!(command, Command::Mutex { .. });
            let known = thread.is_none_or(|thread| new_thread || threads.contains(&thread))
                && lock.is_none_or(|lock| new_lock || locks.contains(&lock));
            if known {
                threads.extend(thread);
                locks.extend(lock);
            }
            known
        });
    }

    /// Leaves out the commands after the violation. Returns whether there is one.
    fn cut(&mut self, world: &impl World) -> bool {
        let ended = self.replay(world);
        let broken = ended.broken.is_some();
        if broken {
            self.commands.truncate(ended.answers.len() + 1);
        }
        broken
    }

    /// Leaves out ever smaller parts of the commands (delta debugging: Zeller and Hildebrandt,
    /// "Simplifying and isolating failure-inducing input", 2002).
    fn fewer_commands(&mut self, world: &impl World) {
        let mut size = self.commands.len().div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < self.commands.len() {
                let mut shorter = self.clone();
                let end = (start + size).min(shorter.commands.len());
                shorter.commands.drain(start..end);
                shorter.drop_nameless();
                match shorter.cut(world) {
                    true => *self = shorter,
                    false => start = end,
                }
            }
            size /= 2;
        }
    }

    /// Leaves out processors, the highest first.
    fn fewer_processors(&mut self, world: &impl World) {
        let mut cpus: Vec<_> = self.setup.online.into_iter().collect();
        cpus.reverse();
        for cpu in cpus {
            let mut fewer = self.clone();
            fewer.setup.online = fewer.setup.online.without(cpu);
            if !fewer.setup.online.is_empty() && fewer.cut(world) {
                *self = fewer;
            }
        }
    }

    /// Does all commands again. A panic is a breach, too.
    fn replay(&self, world: &impl World) -> Ended {
        let mut answers = Vec::new();
        let ran = catch_unwind(AssertUnwindSafe(|| {
            world.with(&self.setup, self.names, self.policy, |target| {
                let mut trial = Trial::new(target, &self.setup, self.names, self.policy);
                for command in &self.commands {
                    match trial.perform(command) {
                        Ok(answer) => answers.push(answer),
                        Err(broken) => return Some(broken),
                    }
                }
                None
            })
        }));
        let broken = match ran {
            Ok(ended) => ended.ok().flatten(),
            Err(_) => Some(Broken {
                law: "the target does not panic".to_owned(),
                found: "it does".to_owned(),
            }),
        };
        Ended { answers, broken }
    }

    /// Returns the violated invariant, and the state that was found.
    pub fn breach(&self, world: &impl World) -> Option<Broken> {
        self.replay(world).broken
    }

    /// Returns the script with a last line that violates the invariant.
    pub fn script(&self, world: &impl World, name: &str) -> String {
        let ended = self.replay(world);
        let names = self.names;
        let highest = self.setup.online.highest().map_or(0, |cpu| cpu.index());
        let all = CpuSet::first(highest + 1);
        let mut script = String::new();
        if let Some(Broken { law, found }) = &ended.broken {
            script.push_str(&format!("# Expected: {law}.\n"));
            let found = found.lines().map(|line| format!("# Found: {line}\n"));
            script.extend(found);
        }
        script.push_str(&format!("processors {}", highest + 1));
        let absent = all.minus(self.setup.online);
        if !absent.is_empty() {
            script.push_str(&format!(" absent {}", Set(absent)));
        }
        script.push('\n');
        for (instance, name) in self.setup.instances.iter().zip(names.instances()) {
            let InstanceSetup { policy, cpus } = *instance;
            let policy = policy_name(policy.unwrap_or(self.policy));
            let cpus = Set(cpus.and(all));
            script.push_str(&format!("instance {name} {policy} cpus {cpus}\n"));
        }
        script.push_str(&format!("\ncase {name}:\n"));
        for (index, command) in self.commands.iter().enumerate() {
            let line = command.line(names);
            script.push_str(&match ended.answers.get(index) {
                Some(Answer::Refused(status)) => format!("refused {status}: {line}\n"),
                Some(Answer::Impossible(why)) => format!("# {line}: {why}\n"),
                _ => format!("{line}\n"),
            });
        }
        script
    }
}
