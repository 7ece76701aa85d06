//! The step that runs scheduling scripts on the kernel, on an emulated board: each thread must run
//! where the library says.
//!
//! A script is run against the library first, and the effects there are written down. Then the
//! board's program does what it can of the script (see `taktos_workloads::orders`), command by
//! command; the threads seen on each processor are compared. Cases that need more (locks, time,
//! processors that do not dispatch, more than three processors) are counted, not run: the host runs
//! those.

use std::cell::RefCell;
use std::time::Duration;

use anyhow::{Context, Result};
use taktos_emulator::several::Setting;
use taktos_runner::several::Board;
use taktos_runner::workspace::Workspace;
use taktos_schedule::smp::PolicyKind;
use taktos_schedule::{Cpu, CpuSet};
use taktos_simulate::scenario::{
    Case, Command, InstanceName, LockName, Names, Occupant, OnCpu, Options as Wanted, Refusal,
    Script, Setup, Status, SystemWorld, Target, ThreadName, WaitEnd, When, World, parse,
    policy_name, run,
};
use taktos_time::Instant;

use super::runner::Runner;
use super::storms::Length;
use super::{Tally, boards};

/// Capacities of the board's program.
const PROCESSORS: usize = 3;
const THREADS: usize = 16;
const LEVELS: u32 = 32;
const ROOM: usize = 2000;
const INSTANCES: usize = 3;
/// The most real time of one script.
const TIME: Duration = Duration::from_secs(30);
/// Nanoseconds that one processor may run ahead of another.
const QUANTUM: u32 = 100;

/// Every case of every script that the board can run, under each of its policies; in short runs the
/// boards share them.
pub(super) fn follow(workspace: &Workspace, board: Board, length: Length) -> Result<Tally> {
    let runner = Runner::of(workspace, board)?.for_at_most(TIME);
    let setting = Setting::new(PROCESSORS + 1, QUANTUM);
    let mut all = Tally::default();
    let mut left_out = 0;
    let stories = stories(workspace)?.into_iter().enumerate();
    let is_own = |(place, _): &(usize, _)| boards::has_share(board, *place, length);
    for (_, story) in stories.filter(is_own) {
        let Some(orders) = story.orders() else {
            left_out += 1;
            continue;
        };
        let ended = runner.run(("orders", Some(&orders)), &setting);
        let ended = ended.with_context(|| story.name.clone())?;
        all.add(match story.compare(&ended.console) {
            Ok(()) => Tally::pass(),
            Err(why) => Tally::fail(format!("{}: {why}\n", story.name)),
        });
    }
    if all.passed + all.failed == 0 {
        all.add(Tally::fail(format!(
            "none of {left_out} runs can be followed\n"
        )));
    }
    Ok(all)
}

/// All runs of all scripts, as the library does them.
fn stories(workspace: &Workspace) -> Result<Vec<Story>> {
    let folder = workspace.path("experiments/scenarios");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .collect::<std::io::Result<Vec<_>>>()?
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "scenario"))
        .collect();
    files.sort();
    let mut stories = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path)?;
        let script = parse(&text, &workspace.shown(&path))?;
        for case in &script.cases {
            let policies = match case.policies.as_slice() {
                [] => &[PolicyKind::Simple][..],
                some => some,
            };
            for policy in policies {
                stories.extend(story(&script, case, *policy));
            }
        }
    }
    Ok(stories)
}

/// Returns one run of a case; none for one of many orders, or of a stress test.
fn story(script: &Script, case: &Case, policy: PolicyKind) -> Option<Story> {
    let listener = Listener::default();
    let alone = Script {
        file: script.file.clone(),
        cases: vec![case.clone()],
    };
    let wanted = Wanted {
        case: None,
        policies: if case.policies.is_empty() {
            Vec::new()
        } else {
            vec![policy]
        },
    };
    run(&listener, &alone, &wanted).ok()?;
    let mut heard = listener.heard.into_inner();
    if heard.len() != 1 {
        return None;
    }
    Some(Story {
        name: format!(
            "{}, case {}, {}",
            script.file,
            case.name,
            policy_name(policy)
        ),
        setup: case.setup.clone(),
        policy,
        acts: heard.pop()?,
    })
}

/// A command that was carried out, and the threads on each processor before and after it.
struct Act {
    command: Command,
    before: Vec<OnCpu>,
    after: Vec<OnCpu>,
}

/// A case under a policy, as it went in the library.
struct Story {
    name: String,
    setup: Setup,
    policy: PolicyKind,
    acts: Vec<Act>,
}

impl Story {
    /// The words for the board's program; none where it cannot do all of it.
    fn orders(&self) -> Option<String> {
        let Setup {
            processors,
            online,
            ref instances,
        } = self.setup;
        let few = processors.highest()?.index() < PROCESSORS && instances.len() <= INSTANCES;
        if !few || processors != online || self.acts.is_empty() {
            return None;
        }
        let mut words = Vec::new();
        for instance in instances {
            let policy = policy_name(instance.policy.unwrap_or(self.policy));
            words.push(format!("instance={policy}.{}", instance.cpus.bits()));
        }
        for act in &self.acts {
            words.push(self.order(act)?);
        }
        let words = words.join("+");
        (words.len() < ROOM).then_some(words)
    }

    /// The word for a command.
    fn order(&self, act: &Act) -> Option<String> {
        let short = |priority: u32| (priority < LEVELS).then_some(priority);
        let runs = |thread: ThreadName| {
            act.before
                .iter()
                .any(|on| on.executing == Occupant::Thread(thread))
        };
        let word = match act.command {
            Command::Create {
                thread,
                home,
                priority,
                affinity,
            } => {
                let mask = self.mask(affinity.unwrap_or(CpuSet::ALL));
                format!("create={}.{}.{}.{mask}", thread.0, home.0, short(priority)?)
            }
            Command::Start(thread) => format!("start={}", thread.0),
            Command::Block(thread) => format!("block={}", thread.0),
            Command::Wake(thread) => format!("wake={}", thread.0),
            Command::Delete(thread) => format!("delete={}", thread.0),
            Command::Yield(thread) if runs(thread) => format!("yield={}", thread.0),
            Command::Pin(thread) if runs(thread) => format!("pin={}", thread.0),
            Command::Unpin(thread) if runs(thread) => format!("unpin={}", thread.0),
            Command::Priority(thread, level) => format!("priority={}.{}", thread.0, short(level)?),
            Command::Affinity(thread, set) => format!("affinity={}.{}", thread.0, self.mask(set)),
            Command::Move(thread, to, level) => {
                format!("move={}.{}.{}", thread.0, to.0, short(level)?)
            }
            Command::Add(cpu, to) => format!("add={cpu}.{}", to.0),
            Command::Remove(cpu, from) => format!("remove={cpu}.{}", from.0),
            Command::Release(thread, When::At(at)) => {
                format!("release={}.{}", thread.0, at.as_nanos())
            }
            Command::Release(thread, When::In(span)) => {
                format!("release={}.{}", thread.0, span.as_nanos())
            }
            Command::Cancel(thread) => format!("cancel={}", thread.0),
            _ => return None,
        };
        let thread = act.command.about().0;
        thread
            .is_none_or(|thread| thread.0 < THREADS)
            .then_some(word)
    }

    /// A set that has all processors of the script means all that there are.
    fn mask(&self, set: CpuSet) -> u64 {
        if set.covers(self.setup.processors) {
            u64::MAX
        } else {
            set.bits()
        }
    }

    /// Whether the board's program saw what the library says.
    fn compare(&self, console: &str) -> Result<(), String> {
        if let Some(refused) = console.lines().find(|line| line.starts_with("@refused")) {
            return Err(refused.to_owned());
        }
        let mut seen = console.lines().filter_map(|line| line.strip_prefix("@on "));
        for act in &self.acts {
            let expected: Vec<String> = act.after.iter().map(word).collect();
            let found: Vec<&str> = seen.next().unwrap_or("").split_whitespace().collect();
            if found.get(..expected.len())
                != Some(&expected.iter().map(String::as_str).collect::<Vec<_>>()[..])
            {
                return Err(format!(
                    "after {:?}: the library has {expected:?}, on the board was {found:?}",
                    act.command
                ));
            }
        }
        Ok(())
    }
}

fn word(on: &OnCpu) -> String {
    match on.executing {
        Occupant::Thread(thread) => thread.0.to_string(),
        Occupant::Idle(_) | Occupant::Nobody => "-".to_owned(),
    }
}

/// The library, with a recorder of its commands and their effects.
#[derive(Default)]
struct Listener {
    heard: RefCell<Vec<Vec<Act>>>,
}

impl World for Listener {
    fn with<R>(
        &self,
        setup: &Setup,
        names: &Names,
        policy: PolicyKind,
        run: impl FnOnce(&mut dyn Target) -> R,
    ) -> Result<R, Status> {
        let mut acts = Vec::new();
        let result = SystemWorld.with(setup, names, policy, |target| {
            run(&mut Listened {
                target,
                processors: setup.processors,
                acts: &mut acts,
            })
        })?;
        self.heard.borrow_mut().push(acts);
        Ok(result)
    }
}

struct Listened<'a> {
    target: &'a mut dyn Target,
    processors: CpuSet,
    acts: &'a mut Vec<Act>,
}

impl Listened<'_> {
    fn places(&self) -> Vec<OnCpu> {
        let cpus = self.processors.into_iter();
        cpus.map(|cpu| self.target.on(cpu)).collect()
    }
}

impl Target for Listened<'_> {
    fn perform(&mut self, command: &Command) -> Result<(), Refusal> {
        let before = self.places();
        self.target.perform(command)?;
        self.acts.push(Act {
            command: command.clone(),
            before,
            after: self.places(),
        });
        Ok(())
    }

    fn now(&self) -> Instant {
        self.target.now()
    }

    fn on(&self, cpu: Cpu) -> OnCpu {
        self.target.on(cpu)
    }

    fn has_processor(&self, thread: ThreadName) -> bool {
        self.target.has_processor(thread)
    }

    fn ready(&self, instance: InstanceName) -> Vec<ThreadName> {
        self.target.ready(instance)
    }

    fn scheduled(&self, instance: InstanceName) -> Vec<Occupant> {
        self.target.scheduled(instance)
    }

    fn reasons(&self, thread: ThreadName) -> Option<taktos_schedule::smp::Reasons> {
        self.target.reasons(thread)
    }

    fn pinned(&self, thread: ThreadName) -> Option<Cpu> {
        self.target.pinned(thread)
    }

    fn priority(&self, thread: ThreadName, instance: Option<InstanceName>) -> Option<u32> {
        self.target.priority(thread, instance)
    }

    fn affinity(&self, thread: ThreadName) -> CpuSet {
        self.target.affinity(thread)
    }

    fn home(&self, thread: ThreadName) -> Option<InstanceName> {
        self.target.home(thread)
    }

    fn owned(&self, instance: InstanceName) -> CpuSet {
        self.target.owned(instance)
    }

    fn cpu_time(&self, thread: ThreadName) -> taktos_time::Duration {
        self.target.cpu_time(thread)
    }

    fn owner(&self, lock: LockName) -> Option<ThreadName> {
        self.target.owner(lock)
    }

    fn waiters(&self, lock: LockName) -> Vec<ThreadName> {
        self.target.waiters(lock)
    }

    fn outcome(&self, thread: ThreadName) -> WaitEnd {
        self.target.outcome(thread)
    }

    fn check(&self, names: &Names) -> Result<(), String> {
        self.target.check(names)
    }
}
