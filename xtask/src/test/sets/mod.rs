//! The step that holds the simulator against the kernel: random task sets under each policy, run by
//! its image in the emulator, and simulated.
//!
//! Owns: which sets there are, and which depend on an arbitrary order.
//! Must never know: how either runs one, and how far apart the two may be: the comparison does.

use anyhow::Result;
use taktos_experiments::compare::{Order, Turns, draw, simulate};
use taktos_experiments::smp::{Case, Layout};
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, QUANTUM};
use taktos_runner::workspace::Workspace;
use taktos_simulate::Policy;
use taktos_simulate::generate::Key;
use taktos_time::Duration;

use super::storms::Length;
use super::{Tally, boards, seed};
use taktos_cli::command::compare::{Compared, Works, in_both, works};
use taktos_experiments::study::{Ready, ready};

/// The program that runs task sets.
const PROGRAM: &str = "spacecraft";
/// How long a set is run.
const HORIZON: Duration = Duration::from_millis(50);
/// The most tasks of a set: what the kernel works for a job is measured with as many.
const MOST: usize = 7;

/// Where a set runs, and whether releases coincide. Where they do, the tasks of an instance wait on
/// one processor: those of several are released by several, side by side, and so in no order
/// (decision 0019).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kind {
    layout: Layout,
    together: bool,
}

const fn kind(layout: Layout, together: bool) -> Kind {
    Kind { layout, together }
}

const KINDS: [Kind; 5] = [
    kind(Layout::One, true),
    kind(Layout::Global, false),
    kind(Layout::Partitioned, true),
    kind(Layout::One, false),
    kind(Layout::Clustered, false),
];

/// Returns whether sets of this kind are compared under this policy. Servers with tasks that are
/// released at one instant are not: of the sets that were tried one in five parted. The cause was
/// which of two with nearly equal server deadlines went first, and it is not known yet which of the
/// two worlds is right.
fn is_compared(policy: Policy, kind: Kind) -> bool {
    !(policy == Policy::Cbs && kind.together)
}

/// How many sets of each kind are compared under each policy.
const fn sets(length: Length) -> u32 {
    match length {
        Length::Short => 1,
        Length::Long => 20,
    }
}

/// The most sets that are drawn until one does not depend on an arbitrary order.
const DRAWN: u32 = 20;

/// Sets that once showed a fault: policy, kind, and the set's key.
const FOUND: [(Policy, Kind, (u64, u32)); 0] = [];

/// Under each policy the simulator has the order of the kernel, and its times within what the
/// kernel works.
pub(super) fn agree(workspace: &Workspace, board: Board, length: Length) -> Result<Tally> {
    let ready = ready(workspace, board, PROGRAM, &[QUANTUM], &Progress::default())?;
    let seed = seed::fresh()?;
    let mut all = Tally::seeded(seed);
    for policy in Policy::ALL {
        let tally = under(&ready, policy, seed, length);
        all.add(tally.unwrap_or_else(|error| Tally::fail(format!("{policy}: {error:#}\n"))));
    }
    Ok(all)
}

/// Results of the sets under a policy.
#[derive(Default)]
struct Found {
    agreed: u32,
    turns: usize,
    by_chance: u32,
    parted: Vec<String>,
}

fn under(ready: &Ready, policy: Policy, seed: u32, length: Length) -> Result<Tally> {
    let mut found = Found::default();
    let mut known: Vec<(Layout, Works)> = Vec::new();
    let is_own = |point: u32| boards::has_share(ready.machine.board, point as usize, length);
    let kinds = KINDS.into_iter().zip(0..);
    for (kind, point) in kinds.filter(|(kind, point)| is_compared(policy, *kind) && is_own(*point))
    {
        let layout = kind.layout;
        let works = match known.iter().find(|(of, _)| *of == layout) {
            Some((_, works)) => *works,
            None => works(ready, &widest(policy, layout))?,
        };
        known.push((layout, works));
        for number in 0..sets(length) {
            let keys =
                (0..DRAWN).map(|draw| (u64::from(seed), (point * 1000 + number) * DRAWN + draw));
            found.first_of(ready, policy, kind, keys, works)?;
        }
        let once = FOUND
            .iter()
            .filter(|(under, of, _)| *under == policy && *of == kind);
        for (.., key) in once {
            found.first_of(ready, policy, kind, [*key], works)?;
        }
    }
    Ok(found.tally(policy))
}

/// A case of as many tasks as any set has.
fn widest(policy: Policy, layout: Layout) -> Case {
    let one = set(policy, kind(layout, false), (0, 0));
    let task = |number| {
        let mut task = one.tasks[0].clone();
        task.name = format!("T{number}");
        task
    };
    Case {
        tasks: (1..=MOST).map(task).collect(),
        ..one
    }
}

fn set(policy: Policy, kind: Kind, (experiment, index): (u64, u32)) -> Case {
    let key = Key {
        experiment,
        point: 0,
        index,
    };
    match kind.together {
        true => draw::together(kind.layout, policy, HORIZON, key),
        false => draw::apart(kind.layout, policy, HORIZON, key),
    }
}

impl Found {
    /// Compares the first set that does not depend on an arbitrary order.
    fn first_of(
        &mut self,
        ready: &Ready,
        policy: Policy,
        kind: Kind,
        keys: impl IntoIterator<Item = (u64, u32)>,
        works: Works,
    ) -> Result<()> {
        for key in keys {
            let case = set(policy, kind, key);
            let compared = in_both(ready, &case, works)?;
            let both = compared.both();
            match both.order() {
                Order::Same(turns) if both.agree() => {
                    self.agreed += 1;
                    self.turns += turns;
                    return Ok(());
                }
                _ if hangs_on_chance(&case, &compared, works)? => self.by_chance += 1,
                _ => {
                    self.parted.push(format!(
                        "{policy}, {kind:?}, set {key:?}, {works:?}: `{}`\n  {}\n",
                        case.call().argument,
                        both.draw().answer.join("\n  ")
                    ));
                    return Ok(());
                }
            }
        }
        self.parted
            .push(format!("{policy}, {kind:?}: all sets hang on chance\n"));
        Ok(())
    }

    fn tally(self, policy: Policy) -> Tally {
        let Self {
            agreed,
            turns,
            by_chance,
            parted,
        } = self;
        let figures = format!(
            "{policy}: {agreed} sets agree in {turns} turns; {by_chance} others hang on what the kernel works\n"
        );
        Tally {
            passed: u64::from(agreed),
            failed: parted.len() as u64,
            said: parted.concat(),
            figures,
            ..Tally::default()
        }
    }
}

/// Whether the order of a set is another one in the simulator itself where the kernel's work is
/// another, or parts from the kernel's where two processors begin turns at nearly one time: then
/// nothing follows from another order on the kernel.
fn hangs_on_chance(case: &Case, compared: &Compared, works: Works) -> Result<bool> {
    let instances = case.layout.instances();
    let (tasks, until) = (case.tasks.len(), case.horizon.as_nanos());
    let slack = instances.first().map_or(1, ExactSizeIterator::len);
    let turns = |switch| -> Result<Turns> {
        let simulated = simulate(case, &compared.kernel, switch)?;
        let work = u16::try_from(tasks).ok().map(taktos_trace::Thread);
        Ok(Turns::of(
            &simulated.recording,
            tasks,
            work,
            &instances,
            until,
        ))
    };
    let usual = turns(works.cost / 2)?;
    if let Order::Parts { instance, turn, .. } = compared.both().order()
        && usual.are_side_by_side(instance, turn, works.company)
    {
        return Ok(true);
    }
    // A job is delayed by what the kernel works for itself, and for another one that is released
    // while it runs.
    let others = [
        1,
        works.cost / 4,
        works.company / 2,
        works.company,
        2 * works.company,
    ];
    for other in others {
        if let Order::Parts { .. } = usual.compare(&turns(other)?, slack) {
            return Ok(true);
        }
    }
    Ok(false)
}
