//! Tracks of a trace: arrows, counters, jobs; and the invariants of all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::wire::{Field, fields, messages, number, text};

/// An arrow from one thread to another: its ends with their track, their time and what they say.
#[derive(Debug, PartialEq, Eq)]
pub struct Arrow {
    pub from: (String, u64, String),
    pub to: (String, u64, String),
}

/// Contents of a trace in addition to the schedule.
pub struct Told {
    /// Names of the processors.
    pub processors: Vec<String>,
    /// The values of each counter, with their times.
    pub counters: BTreeMap<String, Vec<(u64, u64)>>,
    /// In the order of their numbers.
    pub arrows: Vec<Arrow>,
    /// The tracks, and the names of their events.
    pub tracks: BTreeMap<String, Vec<String>>,
}

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const COUNTER: u64 = 4;

fn numbers(bytes: &[u8], wanted: u64) -> Vec<u64> {
    let found = fields(bytes).into_iter().filter_map(|field| match field {
        (found, Field::Number(value)) if found == wanted => Some(value),
        _ => None,
    });
    found.collect()
}

/// Returns the contents of a trace. Each track has a name and something on it, slices end after
/// they begin, counters only grow, and each arrow has two ends, the later one last.
pub fn told(trace: &[u8]) -> Told {
    let packets = || messages(trace, 1);
    let descriptors = packets().flat_map(|packet| messages(packet, 60));
    let names: BTreeMap<u64, String> = descriptors
        .map(|track| (number(track, 1).unwrap(), text(track, 2)))
        .collect();
    let infos = packets().flat_map(|packet| messages(packet, 67));
    let mut told = Told {
        processors: infos
            .flat_map(|info| messages(info, 1))
            .map(|cpu| text(cpu, 1))
            .collect(),
        counters: BTreeMap::new(),
        arrows: Vec::new(),
        tracks: BTreeMap::new(),
    };
    let (mut open, mut used) = (BTreeMap::<u64, i64>::new(), BTreeSet::new());
    let (mut begins, mut ends) = (BTreeMap::new(), BTreeMap::new());
    for packet in packets() {
        let at = number(packet, 8).unwrap_or(0);
        for event in messages(packet, 11) {
            let track = number(event, 11).unwrap();
            let named = names.get(&track).expect("a track without a name").clone();
            used.insert(track);
            match number(event, 9).unwrap() {
                SLICE_BEGIN => *open.entry(track).or_default() += 1,
                SLICE_END => *open.entry(track).or_default() -= 1,
                COUNTER => {
                    let value = number(event, 30).unwrap();
                    let values = told.counters.entry(named.clone()).or_default();
                    let last = values.last().copied().unwrap_or((0, 0));
                    assert!(last.0 <= at && last.1 <= value, "{named} at {at}: {value}");
                    values.push((at, value));
                }
                _ => {}
            }
            assert!(
                open.get(&track).is_none_or(|open| *open >= 0),
                "{named}: an end at {at}"
            );
            let says = text(event, 23);
            for (flow, place) in [(47, &mut begins), (48, &mut ends)] {
                for arrow in numbers(event, flow) {
                    let before = place.insert(arrow, (named.clone(), at, says.clone()));
                    assert_eq!(before, None, "the arrow {arrow} has two such ends");
                }
            }
            told.tracks.entry(named).or_default().push(says);
        }
    }
    assert!(
        names.keys().all(|track| used.contains(track)),
        "an empty track: {names:?} {used:?}"
    );
    assert!(begins.keys().eq(ends.keys()), "an arrow has one end");
    for (from, to) in begins.into_values().zip(ends.into_values()) {
        assert!(from.1 <= to.1 && from.0 != to.0, "{from:?} {to:?}");
        told.arrows.push(Arrow { from, to });
    }
    told
}
