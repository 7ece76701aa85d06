//! Traces of real runs, read as bytes by a reader of their own: who ran, why it stopped, how urgent it was, when it woke.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::{Folder, succeed, taktos};

/// A field of a message in protobuf's wire form.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

/// The fields of a message, with their numbers.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (inside, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(inside)
            }
            other => panic!("a field of the wire type {other}"),
        };
        found.push((key >> 3, field));
    }
    found
}

fn messages(bytes: &[u8], number: u64) -> impl Iterator<Item = &[u8]> {
    fields(bytes)
        .into_iter()
        .filter_map(move |field| match field {
            (found, Field::Bytes(inside)) if found == number => Some(inside),
            _ => None,
        })
}

fn number(bytes: &[u8], wanted: u64) -> Option<u64> {
    fields(bytes).into_iter().find_map(|field| match field {
        (found, Field::Number(value)) if found == wanted => Some(value),
        _ => None,
    })
}

fn text(bytes: &[u8], wanted: u64) -> String {
    let inside = messages(bytes, wanted).next().unwrap_or_default();
    String::from_utf8(inside.to_vec()).unwrap()
}

/// One event of the scheduler, by the field numbers of the format's own description.
#[derive(Debug)]
enum Event {
    /// Who leaves, how urgent, in which state; who comes, how urgent.
    Switch(String, u64, u64, String, u64),
    /// Who wakes, how urgent.
    Waking(String, u64),
}

/// The events of each processor: a time, and what.
type Schedule = BTreeMap<u64, Vec<(u64, Event)>>;

fn schedule(trace: &[u8]) -> Schedule {
    let (mut all, mut steps) = (Schedule::new(), Vec::new());
    for bundle in messages(trace, 1).flat_map(|packet| messages(packet, 1)) {
        let cpu = number(bundle, 1).unwrap_or(0);
        let events = all.entry(cpu).or_default();
        for event in messages(bundle, 2) {
            let at = number(event, 1).unwrap();
            for switch in messages(event, 4) {
                let of = |field| number(switch, field).unwrap();
                // Nobody, and only nobody, is the thread 0.
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

const RUNNABLE: u64 = 0;
const SLEEPING: u64 = 1;

/// The same by the threads' numbers, since names may be shared: who leaves, in which state, and who comes; or who wakes.
type Step = (u64, u64, Option<(u64, u64)>, u64);

/// What holds in each schedule: time goes on, each leaves who came before, and one that sleeps wakes before it runs again.
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

fn traced(folder: &Folder, arguments: &[&str]) -> (String, Schedule) {
    let out = folder.0.join("out");
    let mut command = taktos(arguments);
    let shown = succeed(command.args(["--out", out.to_str().unwrap()]));
    (shown, read(&out.join("trace.pftrace")))
}

fn read(file: &Path) -> Schedule {
    schedule(&std::fs::read(file).unwrap())
}

#[test]
fn a_program_that_never_ends_is_traced_in_virtual_time() {
    let folder = Folder::new("trace-heartbeat");
    let (shown, schedule) = traced(&folder, &["trace", "heartbeat", "--for", "550ms"]);
    assert!(
        shown.contains("still running after 0.55 s of virtual time"),
        "{shown}"
    );
    assert_eq!(shown.matches("    beat\n").count(), 5, "{shown}");
    let events = &schedule[&0];
    assert!(events.last().is_some_and(|(at, _)| *at <= 550_000_000));

    // Beats are 100 ms apart, in nanoseconds, though almost nothing is executed between.
    let wakes: Vec<u64> = events
        .iter()
        .filter(|(_, event)| matches!(event, Event::Waking(who, 5) if who == "beat"))
        .map(|(at, _)| *at)
        .collect();
    assert_eq!(wakes.len(), 5, "{events:?}");
    for pair in wakes.windows(2) {
        let apart = pair[1] - pair[0];
        assert!((100_000_000..100_020_000).contains(&apart), "{apart}");
    }

    // A beat sleeps when it is done; the work is interrupted by the first one, and later sleeps.
    let left = |who: &str| -> Vec<(u64, u64)> {
        let leaves = events.iter().filter_map(|(_, event)| match event {
            Event::Switch(from, priority, state, ..) if from == who => Some((*priority, *state)),
            _ => None,
        });
        leaves.collect()
    };
    assert_eq!(left("beat"), [(5, SLEEPING); 6]);
    let work = left("work");
    assert_eq!(&work[..3], [(10, SLEEPING), (10, RUNNABLE), (10, SLEEPING)]);
    assert!(work.iter().all(|(priority, _)| *priority == 10), "{work:?}");

    let comes = events.iter().filter_map(|(_, event)| match event {
        Event::Switch(.., to, priority) if to == "beat" => Some(*priority),
        _ => None,
    });
    assert_eq!(comes.collect::<Vec<_>>(), [5; 6]);

    // The load is that of five times some milliseconds of work.
    let (mut idle, mut since) = (0, None);
    for (at, event) in events {
        if let Event::Switch(_, _, _, to, _) = event {
            idle += since.take().map_or(0, |from| at - from);
            since = (to == "swapper").then_some(*at);
        }
    }
    assert!((450_000_000..545_000_000).contains(&idle), "{idle}");
}

#[test]
fn several_processors_end_at_the_time_that_they_are_given() {
    let folder = Folder::new("trace-several");
    let (shown, schedule) = traced(
        &folder,
        &[
            "trace",
            "latency",
            "--board",
            "virt-aarch64-smp",
            "--for",
            "150ms",
            "--argument",
            "loops=10000+interval-us=1000+load=0+processors=4",
        ],
    );
    assert!(
        shown.contains("still running after 0.15 s of virtual time"),
        "{shown}"
    );
    assert_eq!(schedule.len(), 4);
    for (cpu, events) in &schedule {
        let is_wake = |event: &&(u64, Event)| matches!(event.1, Event::Waking(..));
        assert!(
            events.iter().filter(is_wake).count() >= 3,
            "cpu {cpu}: {events:?}"
        );
        assert!(
            events.last().is_some_and(|(at, _)| *at <= 150_010_000),
            "cpu {cpu}"
        );
    }
}

#[test]
fn a_simulation_tells_states_priorities_and_wake_ups() {
    let folder = Folder::new("trace-sim");
    let set = folder.file(
        "two.toml",
        "cpus = 1\nfor = '100 ms'\n\
         [[task]]\nname = 'fast'\nperiod = '10 ms'\nexecution = '2 ms'\npriority = 3\n\
         [[task]]\nname = 'slow'\nperiod = '50 ms'\nexecution = '20 ms'\npriority = 8\n",
    );
    let arguments = ["sim", set.to_str().unwrap(), "--scheduler", "priority"];
    let (_, schedule) = traced(&folder, &arguments);
    let events = &schedule[&0];
    let leaves = |who: &str| -> Vec<(u64, u64, u64)> {
        let found = events.iter().filter_map(|(at, event)| match event {
            Event::Switch(from, priority, state, ..) if from == who => {
                Some((*at / 1_000_000, *priority, *state))
            }
            _ => None,
        });
        found.collect()
    };
    // 2 to 10, 12 to 20, 22 to 26 of each 50 ms.
    let slow = [10, 20, 26, 60, 70, 76].map(|at| {
        let done = [26, 76].contains(&at);
        (at, 8, if done { SLEEPING } else { RUNNABLE })
    });
    assert_eq!(leaves("slow"), slow);
    let fast: Vec<_> = (0..10).map(|job| (10 * job + 2, 3, SLEEPING)).collect();
    assert_eq!(leaves("fast"), fast);
    let wakes = events.iter().filter_map(|(at, event)| match event {
        Event::Waking(who, 3) if who == "fast" => Some(*at),
        _ => None,
    });
    assert_eq!(
        wakes.collect::<Vec<_>>(),
        (0..10).map(|job| 10_000_000 * job).collect::<Vec<_>>()
    );
}
