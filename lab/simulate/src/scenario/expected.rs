//! Compares expectations with the state that is found.
//!
//! Owns: the meaning of each expectation.
//! Must never know: how it was written.

use taktos_schedule::Cpu;
use taktos_schedule::smp::Reasons;

use super::command::ThreadName;
use super::names::Names;
use super::picture::{list, occupant, on_cpu};
use super::script::{Expectation, Expected, Occupant, OnCpu, WaitEnd};
use super::target::Target;
use super::units::{Set, Span};

/// An expectation that does not hold, in words.
#[derive(Debug)]
pub(super) struct Difference {
    pub expected: String,
    pub found: String,
}

/// Whether both are the same; `shown` puts them into words.
fn same<T: PartialEq>(
    expected: T,
    found: T,
    shown: impl Fn(&T) -> String,
) -> Result<(), Difference> {
    if expected == found {
        return Ok(());
    }
    Err(Difference {
        expected: shown(&expected),
        found: shown(&found),
    })
}

/// Whether the expectation holds.
pub(super) fn check(
    target: &dyn Target,
    names: &Names,
    expected: &Expectation,
) -> Result<(), Difference> {
    let thread = |thread: &ThreadName| names.thread(*thread).to_owned();
    let threads = |threads: &Vec<ThreadName>| list(threads, thread);
    match expected {
        Expectation::Cpus(cpus) => on_cpus(target, names, cpus),
        Expectation::Ready(instance, expected) => {
            same(expected.clone(), target.ready(*instance), threads)
        }
        Expectation::Scheduled(instance, expected) => {
            scheduled(names, expected, &target.scheduled(*instance))
        }
        Expectation::State(state, expected) => {
            let wrong = expected.iter().find(|thread| !is(target, **thread, *state));
            wrong.map_or(Ok(()), |wrong| {
                Err(Difference {
                    expected: format!("{} is {}", thread(wrong), state_name(*state)),
                    found: described(target, names, *wrong),
                })
            })
        }
        Expectation::Owner(lock, expected) => same(*expected, target.owner(*lock), |owner| {
            owner.map_or("none".to_owned(), |owner| thread(&owner))
        }),
        Expectation::Waiters(lock, expected) => {
            same(expected.clone(), target.waiters(*lock), threads)
        }
        Expectation::Outcome(thread, expected) => same(*expected, target.outcome(*thread), |end| {
            end_name(*end).to_owned()
        }),
        Expectation::Priority(thread, instance, expected) => {
            let found = target.priority(*thread, *instance);
            same(Some(*expected), found, |found| {
                found.map_or("none".to_owned(), |found| found.to_string())
            })
        }
        Expectation::Affinity(thread, expected) => {
            same(*expected, target.affinity(*thread), |set| {
                Set(*set).to_string()
            })
        }
        Expectation::Home(thread, expected) => {
            same(Some(*expected), target.home(*thread), |home| {
                home.map_or("none".to_owned(), |home| names.instance(home).to_owned())
            })
        }
        Expectation::Owned(instance, expected) => same(*expected, target.owned(*instance), |set| {
            Set(*set).to_string()
        }),
        Expectation::Time(thread, expected) => same(*expected, target.cpu_time(*thread), |span| {
            Span(*span).to_string()
        }),
    }
}

fn on_cpus(
    target: &dyn Target,
    names: &Names,
    expected: &[(Cpu, OnCpu)],
) -> Result<(), Difference> {
    let found: Vec<(Cpu, OnCpu)> = expected
        .iter()
        .map(|(cpu, _)| (*cpu, target.on(*cpu)))
        .collect();
    let fits = expected
        .iter()
        .zip(&found)
        .all(|((_, expected), (_, found))| {
            found.executing.fits(expected.executing) && found.heir.fits(expected.heir)
        });
    if fits {
        return Ok(());
    }
    let shown = |cpus: &[(Cpu, OnCpu)]| {
        let shown = cpus
            .iter()
            .map(|(cpu, on)| format!("{}: {}", cpu.index(), on_cpu(*on, names)));
        shown.collect::<Vec<_>>().join(", ")
    };
    Err(Difference {
        expected: shown(expected),
        found: shown(&found),
    })
}

fn scheduled(names: &Names, expected: &[Occupant], found: &[Occupant]) -> Result<(), Difference> {
    let fits = expected.len() == found.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, expected)| found.fits(*expected));
    if fits {
        return Ok(());
    }
    let shown = |who: &[Occupant]| list(who, |who| occupant(*who, names));
    Err(Difference {
        expected: shown(expected),
        found: shown(found),
    })
}

/// Where the thread executes, and where it is heir.
fn places(target: &dyn Target, thread: ThreadName) -> (Vec<Cpu>, Vec<Cpu>) {
    let who = Occupant::Thread(thread);
    let all = || (0..Cpu::COUNT).filter_map(Cpu::new);
    let executing = all().filter(|cpu| target.on(*cpu).executing == who);
    let heir = all().filter(|cpu| target.on(*cpu).heir == who);
    (executing.collect(), heir.collect())
}

fn is(target: &dyn Target, thread: ThreadName, state: Expected) -> bool {
    let Some(reasons) = target.reasons(thread) else {
        return state == Expected::Absent;
    };
    match state {
        Expected::Running => {
            let (executing, heir) = places(target, thread);
            reasons.is_empty() && !executing.is_empty() && executing == heir
        }
        Expected::Waiting => reasons.is_empty() && places(target, thread).1.is_empty(),
        Expected::Blocked => !reasons.is_empty(),
        Expected::Suspended => reasons.any_of(Reasons::SUSPENDED),
        Expected::Dormant => reasons.any_of(Reasons::DORMANT),
        Expected::Pinned => target.pinned(thread).is_some(),
        Expected::Absent => false,
    }
}

fn state_name(state: Expected) -> &'static str {
    match state {
        Expected::Running => "running",
        Expected::Waiting => "waiting",
        Expected::Blocked => "blocked",
        Expected::Suspended => "suspended",
        Expected::Dormant => "dormant",
        Expected::Pinned => "pinned",
        Expected::Absent => "absent",
    }
}

fn end_name(end: WaitEnd) -> &'static str {
    match end {
        WaitEnd::Granted => "granted",
        WaitEnd::Timeout => "timeout",
        WaitEnd::Flushed => "flushed",
        WaitEnd::None => "none",
    }
}

/// The state of a thread in words.
fn described(target: &dyn Target, names: &Names, thread: ThreadName) -> String {
    let name = names.thread(thread);
    let Some(reasons) = target.reasons(thread) else {
        return format!("there is no {name}");
    };
    let pinned = target.pinned(thread);
    let pinned = pinned.map_or(String::new(), |cpu| format!(", pinned to {}", cpu.index()));
    if !reasons.is_empty() {
        return format!("{name} is blocked {reasons:?}{pinned}");
    }
    let shown = |cpus: Vec<Cpu>| Set(cpus.into_iter().collect()).to_string();
    let (executing, heir) = places(target, thread);
    let (executing, heir) = (shown(executing), shown(heir));
    format!("{name} is ready, executes on {executing}, is heir on {heir}{pinned}")
}
