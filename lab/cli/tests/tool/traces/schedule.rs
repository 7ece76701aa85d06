//! Threads on each processor, and the invariants of their schedule.

use std::collections::{BTreeMap, BTreeSet};

use super::wire::{messages, number, text};

/// One event of the scheduler, by the field numbers of the format's own description.
#[derive(Debug)]
pub enum Event {
    /// The thread that leaves, its priority and state; the thread that comes, its priority.
    Switch(String, u64, u64, String, u64),
    /// The thread that wakes, its priority.
    Waking(String, u64),
}

/// The events of each processor: a time, and what.
pub type Schedule = BTreeMap<u64, Vec<(u64, Event)>>;

pub fn schedule(trace: &[u8]) -> Schedule {
    let (mut all, mut steps) = (Schedule::new(), Vec::new());
    for bundle in messages(trace, 1).flat_map(|packet| messages(packet, 1)) {
        let cpu = number(bundle, 1).unwrap_or(0);
        let events = all.entry(cpu).or_default();
        for event in messages(bundle, 2) {
            let at = number(event, 1).unwrap();
            for switch in messages(event, 4) {
                let of = |field| number(switch, field).unwrap();
                // The idle thread, and only this, is the thread 0.
                assert_eq!(of(2) == 0, text(switch, 1) == "swapper");
                assert_eq!(of(6) == 0, text(switch, 5) == "swapper");
                let (from, to) = (text(switch, 1), text(switch, 5));
                steps.push((at, cpu, Some((of(2), of(4))), of(6)));
                events.push((at, Event::Switch(from, of(3), of(4), to, of(7))));
            }
            for waking in messages(event, 20) {
                let priority = number(waking, 3).unwrap();
                steps.push((at, cpu, None, number(waking, 2).unwrap()));
                events.push((at, Event::Waking(text(waking, 1), priority)));
            }
        }
    }
    lawful(&mut steps);
    all
}

pub const RUNNABLE: u64 = 0;
pub const SLEEPING: u64 = 1;

/// Step by the threads' numbers, since names may be shared: the thread that leaves, its state, and
/// the thread that comes; or the thread that wakes.
type Step = (u64, u64, Option<(u64, u64)>, u64);

/// Checks the invariants of each schedule: time only grows, the thread that leaves is the one that
/// came before, and a thread that sleeps wakes before it runs again.
fn lawful(steps: &mut [Step]) {
    let (mut latest, mut running) = (BTreeMap::new(), BTreeMap::new());
    for (at, cpu, left, thread) in steps.iter() {
        let before = latest.insert(*cpu, *at).unwrap_or(0);
        assert!(*at >= before, "cpu {cpu}: {at} after {before}");
        if let Some((from, _)) = left {
            let was = running.insert(*cpu, *thread).unwrap_or(0);
            assert_eq!(*from, was, "cpu {cpu} at {at}");
        }
    }
    steps.sort_by_key(|step| step.0);
    let mut asleep = BTreeSet::new();
    for (at, cpu, left, thread) in steps.iter() {
        let Some((from, state)) = left else {
            asleep.remove(thread);
            continue;
        };
        let woke = *thread == 0 || !asleep.contains(thread);
        assert!(woke, "cpu {cpu} at {at}: {thread} runs and did not wake");
        if *from != 0 && *state == SLEEPING {
            asleep.insert(*from);
        }
    }
}

/// Whether a thread of that name has a processor at that time, its first and last instant included.
pub fn runs(schedule: &Schedule, wanted: &str, at: u64) -> bool {
    let on = |events: &Vec<(u64, Event)>| {
        let mut since = None;
        let switches = events.iter().filter_map(|(at, event)| match event {
            Event::Switch(_, _, _, to, _) => Some((*at, to == wanted)),
            Event::Waking(..) => None,
        });
        for (time, comes) in switches {
            if since.take().is_some_and(|from| from <= at && at <= time) {
                return true;
            }
            since = comes.then_some(time);
        }
        since.is_some_and(|from| from <= at)
    };
    schedule.values().any(on)
}

/// Returns when a thread other than the idle one has a processor: from, until, and its name. The
/// last one has no end.
pub fn spans(events: &[(u64, Event)]) -> Vec<(u64, u64, &str)> {
    let switches = events.iter().filter_map(|(at, event)| match event {
        Event::Switch(.., to, _) => Some((*at, to.as_str())),
        Event::Waking(..) => None,
    });
    let switches: Vec<(u64, &str)> = switches.collect();
    let ends = switches.iter().skip(1).map(|(at, _)| *at);
    let spans = switches.iter().zip(ends.chain([u64::MAX]));
    let spans = spans.map(|((from, who), until)| (*from, until, *who));
    spans
        .filter(|(from, until, who)| from < until && *who != "swapper")
        .collect()
}

/// Checks processors by their names: a thread has a virtual one only while that has a real one, by
/// a thread with the name of the virtual one.
pub fn nested(schedule: &Schedule, processors: &[String]) {
    let number = |place: &usize| schedule.get(&(*place as u64));
    let is_virtual = |name: &str| name.contains("/vcpu");
    let all = || (0..).zip(processors);
    let real = all().filter(|(_, name)| !is_virtual(name));
    let real: Vec<_> = real
        .filter_map(|(place, _)| number(&place))
        .flat_map(|events| spans(events))
        .collect();
    for (place, name) in all().filter(|(_, name)| is_virtual(name)) {
        let vcpu = name.split(", cpu ").next().unwrap();
        for (from, until, who) in number(&place).iter().flat_map(|events| spans(events)) {
            let mut executes = real.iter();
            let executes = executes.any(|turn| turn.2 == vcpu && turn.0 <= from && until <= turn.1);
            assert!(executes, "{who} on {vcpu} from {from} to {until}");
        }
    }
}
