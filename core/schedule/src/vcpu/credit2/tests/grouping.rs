//! Which processors share a run queue.

use super::*;

/// `sockets` sockets of `cores` cores with `threads` threads each; two sockets a node.
fn machine(sockets: u16, cores: u16, threads: u16) -> Vec<Place> {
    let place = |index: u16| Place {
        core: index / threads,
        socket: index / threads / cores,
        node: index / threads / cores / 2,
    };
    (0..sockets * cores * threads).map(place).collect()
}

/// The run queues, by their lowest processor.
fn groups(topology: &[Place], scope: Scope, largest: usize) -> Vec<u64> {
    let mut groups = Vec::new();
    let grouping = Grouping::new(scope, largest).unwrap();
    with(topology, grouping, 0, Parameters::DEFAULT, |b| {
        for index in 0..topology.len() {
            let group = b.policy.group(cpu(index));
            if group.lowest() == Some(cpu(index)) {
                groups.push(group.bits());
            }
        }
    });
    groups
}

#[test]
fn by_scope() {
    let topology = machine(4, 2, 2);
    let by = |scope| groups(&topology, scope, 16);
    assert_eq!(by(Scope::Cpu).len(), 16);
    assert_eq!(by(Scope::Core)[..2], [0b11, 0b1100]);
    assert_eq!(by(Scope::Socket), [0xf, 0xf0, 0xf00, 0xf000]);
    assert_eq!(by(Scope::Node), [0xff, 0xff00]);
    assert_eq!(by(Scope::All), [0xffff]);
}

#[test]
#[cfg_attr(miri, ignore = "too many queues")]
fn no_queue_is_too_large_and_all_are_filled_evenly() {
    let one = machine(1, 24, 1);
    assert_eq!(groups(&one, Scope::Socket, 16), [0xfff, 0xfff_000]);
    // Nine cores of two threads: five and four, threads of a core together.
    let cores = machine(1, 9, 2);
    assert_eq!(groups(&cores, Scope::Socket, 16), [0x3ff, 0x3_fc00]);
    // No room for a core: its threads part.
    assert_eq!(groups(&machine(1, 1, 2), Scope::All, 1), [1, 2]);
    assert_eq!(groups(&machine(1, 64, 1), Scope::All, 64).len(), 1);
}

#[test]
fn processors_may_come_in_any_order() {
    let topology = machine(1, 4, 2);
    with(&topology, Grouping::DEFAULT, 0, Parameters::DEFAULT, |b| {
        for index in 0..8 {
            b.call(|p, now, fx| p.remove_cpu(cpu(index), now, fx))
                .unwrap();
        }
        b.policy.grouping = Grouping::new(Scope::Socket, 4).unwrap();
        for index in [0, 2, 4, 6, 7, 5, 3, 1] {
            b.call(|p, now, fx| p.add_cpu(cpu(index), now, fx)).unwrap();
        }
        for core in 0..4 {
            let group = b.policy.group(cpu(2 * core));
            assert!(group.contains(cpu(2 * core + 1)) && group.count() == 4);
        }
    });
}

#[test]
fn a_table_of_run_queues_can_be_too_short() {
    let mut processors = [Processor::EMPTY; 2];
    let mut queues = [RunQueue::EMPTY; 1];
    let memory = Memory {
        units: &mut [],
        domains: &mut [],
        processors: &mut processors,
        queues: &mut queues,
    };
    let mut credit = Credit2::new(memory, &flat(2), each_alone(), Parameters::DEFAULT);
    let mut probe = Probe::default();
    let start = Instant::START;
    credit.add_cpu(cpu(0), start, &mut probe).unwrap();
    let refused = credit.add_cpu(cpu(1), start, &mut probe).unwrap_err();
    let words = std::string::ToString::to_string(&refused);
    assert_eq!(
        words,
        "the table of run queues takes at most 1 entries: give fewer"
    );
    assert_eq!(credit.check_invariants(), Ok(()));
}
