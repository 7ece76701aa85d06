//! The operations that reach from one processor to another.
//!
//! Each continues from its begin on the sender's processor: to the first point `call` there, to the
//! return of the call, to the point `interrupt` on the receiver's processor, and from there to its
//! end, which is a mark, or a switch of threads.

use std::collections::{BTreeMap, BTreeSet};

use taktos_emulator::{Count, Edge, Passing, Record, Switch, Total};

use super::{Counted, PARTITIONED, Reach, Times};
use crate::measure::{Part, Rounds};

/// End of an operation that has no end mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// Another processor's first switch: the thread that ran there is stopped.
    AtAnySwitch,
    /// The other thread resumes on another processor.
    WhenItRuns,
    /// Another processor begins to handle the interrupt.
    AtTheInterrupt,
}

/// The other thread's name.
const OTHER: &str = "far";

fn ends(name: &str) -> Ends {
    match name {
        "remote-suspend" | "remote-delete" => Ends::AtAnySwitch,
        "remote-call" => Ends::AtTheInterrupt,
        _ => Ends::WhenItRuns,
    }
}

/// Returns whether the interval is an operation's, and not the sender's part of one, or the
/// machine's.
fn is_operation(name: &str) -> bool {
    let reaches = ["remote-", "move-", "migrate-"];
    let is_part = name.ends_with("-call") && name != "remote-call";
    reaches.iter().any(|prefix| name.starts_with(prefix)) && !is_part
}

/// One sample of an operation: the cost of each part.
struct Way {
    to_call: Option<Count>,
    to_return: Option<Count>,
    from_interrupt: Option<Count>,
    nanoseconds: i64,
}

/// Adds what the operations of a run took: the counts of the first run that has them, and the times
/// of each.
pub(super) fn add(all: &mut BTreeMap<String, Reach>, record: &Record, rounds: &Rounds<'_>) {
    for round in rounds.iter().filter(|r| r.label("part") == "across") {
        let begins = round.passings.iter().filter(|p| p.mark.edge == Edge::Begin);
        let names: BTreeSet<&str> = begins.map(|passing| passing.mark.name.as_str()).collect();
        for name in names.into_iter().filter(|name| is_operation(name)) {
            let ways = ways(record, round, name);
            let Some(times) = Times::of(ways.iter().map(|way| way.nanoseconds)) else {
                continue;
            };
            let part = |of: fn(&Way) -> Option<Count>| {
                let counts: Vec<Count> = ways.iter().filter_map(of).collect();
                Counted::of(&counts, record.modelled)
            };
            let named = match round.label("layout") {
                PARTITIONED => name.to_owned(),
                _ if name.starts_with("migrate") => name.to_owned(),
                layout => format!("{name}-{layout}"),
            };
            let reach = all.entry(named).or_insert_with(|| Reach {
                to_call: part(|way| way.to_call),
                to_return: part(|way| way.to_return),
                from_interrupt: part(|way| way.from_interrupt),
                nanoseconds: BTreeMap::new(),
            });
            reach.nanoseconds.insert(record.quantum, times);
        }
    }
}

/// Returns the samples of an operation, each from its begin to the next one's.
fn ways(record: &Record, round: &Part<'_>, name: &str) -> Vec<Way> {
    let is_begin = |p: &Passing| p.mark.edge == Edge::Begin && p.mark.name == name;
    let begins = (0..round.passings.len()).filter(|at| is_begin(&round.passings[*at]));
    let begins: Vec<usize> = begins.collect();
    let switches = switches(record, round);
    let ends = begins.iter().skip(1).copied().chain([round.passings.len()]);
    begins
        .iter()
        .zip(ends)
        .filter_map(|(begin, end)| {
            let passage = Passage {
                begin: &round.passings[*begin],
                rest: &round.passings[begin + 1..end],
                quantum: record.quantum.into(),
            };
            passage.way(name, &switches)
        })
        .collect()
}

/// The switches in the time of a round.
fn switches<'a>(record: &'a Record, round: &Part<'_>) -> Vec<&'a Switch> {
    let times = || round.passings.iter().map(|passing| passing.total.at);
    let (Some(first), Some(last)) = (times().min(), times().max()) else {
        return Vec::new();
    };
    let inside = |switch: &&Switch| (first..=last).contains(&switch.at);
    record.switches.iter().filter(inside).collect()
}

/// An operation from its begin to the begin of the next one of its name.
struct Passage<'a> {
    begin: &'a Passing,
    rest: &'a [Passing],
    quantum: u64,
}

impl Passage<'_> {
    fn way(&self, name: &str, switches: &[&Switch]) -> Option<Way> {
        let (processor, from) = (self.begin.processor, self.begin.total.count);
        let of_sender = |edge, name: &str| {
            let passing = self.find(edge, name, |p| p == processor)?;
            Some(passing.total.count.since(from))
        };
        let (to, total) = self.end(name, switches)?;
        let interrupt = self.find(Edge::Point, "interrupt", |p| p == to && p != processor);
        let from_interrupt = interrupt.filter(|_| ends(name) != Ends::AtTheInterrupt);
        // One that came when the operation had ended is another's.
        let from_interrupt = from_interrupt
            .filter(|interrupt| interrupt.total.count.instructions <= total.count.instructions);
        Some(Way {
            to_call: of_sender(Edge::Point, "call"),
            to_return: of_sender(Edge::End, &returned(name)),
            from_interrupt: from_interrupt.map(|i| total.count.since(i.total.count)),
            nanoseconds: total.at.cast_signed() - self.begin.total.at.cast_signed(),
        })
    }

    fn find(&self, edge: Edge, name: &str, on: impl Fn(usize) -> bool) -> Option<&Passing> {
        self.rest
            .iter()
            .find(|p| p.mark.edge == edge && p.mark.name == name && on(p.processor))
    }

    /// Returns where and when it ended.
    fn end(&self, name: &str, switches: &[&Switch]) -> Option<(usize, Total)> {
        if let Some(end) = self.find(Edge::End, name, |_| true) {
            return Some((end.processor, end.total.clone()));
        }
        let sender = self.begin.processor;
        if ends(name) == Ends::AtTheInterrupt {
            let interrupt = self.find(Edge::Point, "interrupt", |p| p != sender)?;
            return Some((interrupt.processor, interrupt.total.clone()));
        }
        // The other processor's time may be earlier by up to a quantum; older events are of other
        // operations.
        let earliest = self.begin.total.at.saturating_sub(self.quantum);
        let switch = switches.iter().find(|switch| {
            let is_it = ends(name) == Ends::AtAnySwitch || switch.name == OTHER;
            is_it && switch.processor != sender && switch.at >= earliest
        })?;
        let total = Total {
            at: switch.at,
            count: switch.total,
            phases: Vec::new(),
        };
        Some((switch.processor, total))
    }
}

/// The interval that is the sender's alone.
fn returned(name: &str) -> String {
    format!("{name}-call")
}
