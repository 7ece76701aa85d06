//! Helping nodes and nodes that stick, one rule at a time (spec 01, 2.1, 2.2, 2.4, 4.4).

use super::common::*;
use crate::Dispatch;
use crate::rows::{Order, State};
use taktos_schedule::Cpu;
use taktos_schedule::smp::{
    Error, Instance, InstanceConfig, Level, Lock, PolicyKind, Priority, Thread,
};

const OTHER: Instance = Instance::of_row(1);
const LOCK: Lock = Lock::of_row(0);

/// Two clusters: processors 0 and 1, and processor 2.
fn clusters(policy: PolicyKind) -> [InstanceConfig; 2] {
    [
        InstanceConfig {
            cpus: set([0, 1]),
            ..one(policy, 0)
        },
        InstanceConfig {
            name: *b"OTHR",
            cpus: set([2]),
            policy,
        },
    ]
}

struct Help(World);

impl Help {
    /// There are no locks in these tests: they do what a lock does.
    fn new(world: World) -> Self {
        Self(World {
            laws: |system| system.check_scheduling(),
            ..world
        })
    }

    fn state(&self, instance: Instance, thread: Thread) -> State {
        self.0.system.node(instance.index(), thread.index()).state
    }

    fn heirs(&self) -> Vec<Option<usize>> {
        let heir = |index| self.0.system.heir(cpu(index)).map(Thread::index);
        (0..3)
            .map(heir)
            .map(|heir| heir.filter(|&heir| heir < self.0.system.idle_from))
            .collect()
    }

    /// Does what a lock would have the system do.
    fn as_a_lock(&mut self, act: impl FnOnce(&mut crate::System)) {
        let World {
            system, flags, now, ..
        } = &mut self.0;
        system.at(*now, flags, act);
        self.0.check();
    }

    /// `thread` is helped by the other cluster at `level`.
    fn help(&mut self, thread: Thread, level: u32) {
        let (id, other) = (thread.index(), OTHER.index());
        self.as_a_lock(|system| {
            let level = system.level(other, Priority(level));
            system.share(id, other, LOCK, level);
            system.add_helping(id, other);
            system.update_priority(id, Order::Append);
        });
    }

    fn end_help(&mut self, thread: Thread) {
        let (id, other) = (thread.index(), OTHER.index());
        self.as_a_lock(|system| {
            system.share(id, other, LOCK, Level::NONE);
            system.remove_helping(id, other);
            system.update_priority(id, Order::Prepend);
        });
    }

    fn make_sticky(&mut self, thread: Thread) {
        self.as_a_lock(|system| system.make_sticky(thread.index(), MAIN.index()));
    }

    fn clean_sticky(&mut self, thread: Thread) {
        self.as_a_lock(|system| system.clean_sticky(thread.index(), MAIN.index()));
    }
}

/// Two threads of priority 5 on processors 0 and 1, one of priority 5 on processor 2: `act` on all
/// policies.
fn story(act: impl Fn(Help, Thread, Thread, Thread)) {
    for policy in [PolicyKind::Simple, PolicyKind::Priority, PolicyKind::Edf] {
        let mut world = World::new(8, set([0, 1, 2]), &clusters(policy));
        let a = world.thread(MAIN, 5, None);
        let b = world.thread(MAIN, 5, None);
        let c = world.thread(OTHER, 5, None);
        act(Help::new(world), a, b, c);
    }
}

#[test]
fn a_displaced_thread_takes_an_equal_s_processor_where_it_is_helped() {
    story(|mut help, _, b, c| {
        help.help(b, 5);
        assert_eq!(help.heirs(), [Some(0), Some(1), Some(2)]);
        // Equal, yet displaced by a request for help: that goes in front of its equals.
        let urgent = help.0.thread(MAIN, 1, None);
        assert_eq!(
            help.heirs(),
            [Some(0), Some(urgent.index()), Some(b.index())]
        );
        assert_eq!(help.0.ready(OTHER), [c]);
        // Once switched in it keeps no place at home, as nothing makes it stick there.
        assert_eq!(help.state(MAIN, b), State::Blocked);
    });
}

#[test]
fn a_request_waits_for_the_next_dispatch_of_the_acting_processor() {
    story(|mut help, _, b, _| {
        help.help(b, 5);
        let urgent = help.0.system.create(MAIN, Priority(1), None).unwrap();
        help.0.system.act_on(cpu(0));
        help.0
            .call(|system, now, fx| system.start(urgent, now, fx))
            .unwrap();
        assert_eq!(help.heirs(), [Some(0), Some(3), Some(2)]);
        assert_eq!(help.0.flags.0, set([0, 1]));
        assert_eq!(help.0.dispatch(cpu(1)), Dispatch::Run(urgent));
        assert_eq!(help.heirs(), [Some(0), Some(3), Some(2)]);
        assert!(matches!(help.0.dispatch(cpu(0)), Dispatch::Run(_)));
        assert_eq!(help.heirs(), [Some(0), Some(3), Some(1)]);
        assert!(help.0.flags.0.contains(cpu(2)));
    });
}

#[test]
fn a_request_is_cancelled_by_a_block_or_a_processor() {
    story(|mut help, a, b, _| {
        help.help(b, 5);
        let urgent = help.0.system.create(MAIN, Priority(1), None).unwrap();
        help.0
            .call(|system, now, fx| system.start(urgent, now, fx))
            .unwrap();
        // Displaced; but its processor comes back before any instance is tried.
        help.0
            .call(|system, now, fx| system.suspend(a, now, fx))
            .unwrap();
        help.0.settle();
        assert_eq!(help.0.system.heir(cpu(2)).map(Thread::index), Some(2));
        assert!(
            help.0
                .system
                .processor_of(b)
                .is_some_and(|cpu| cpu.index() < 2)
        );
    });
}

#[test]
fn nobody_is_pulled_back_home_but_who_is_displaced_there_asks_home_first() {
    story(|mut help, _, b, c| {
        help.help(b, 5);
        let urgent = help.0.thread(MAIN, 1, None);
        help.0.block(urgent);
        assert_eq!(help.heirs()[2], Some(b.index()));
        let local = help.0.thread(OTHER, 1, None);
        assert_eq!(help.heirs()[2], Some(local.index()));
        assert_eq!(help.0.system.processor_of(b), Some(cpu(1)));
        assert_eq!(help.0.ready(OTHER), [b, c]);
    });
}

#[test]
fn when_help_ends_the_thread_is_home_again_running_or_waiting() {
    story(|mut help, a, b, c| {
        help.help(b, 5);
        let urgent = help.0.thread(MAIN, 1, None);
        help.end_help(b);
        help.0.settle();
        // Like any request for help, it goes in front of its equals.
        let (b, urgent) = (b.index(), urgent.index());
        assert_eq!(help.heirs(), [Some(b), Some(urgent), Some(c.index())]);
        assert_eq!(help.0.ready(MAIN), [a]);
    });
    story(|mut help, a, b, c| {
        help.help(b, 5);
        help.0
            .act(|system, now, fx| system.set_priority(a, Priority(4), now, fx));
        let urgent = help.0.thread(MAIN, 1, None);
        help.end_help(b);
        help.0.settle();
        let (a, urgent) = (a.index(), urgent.index());
        assert_eq!(help.heirs(), [Some(a), Some(urgent), Some(c.index())]);
        assert_eq!(help.0.ready(MAIN), [b]);
    });
}

#[test]
fn a_blocked_thread_gives_all_its_nodes_up() {
    story(|mut help, _, b, c| {
        help.help(b, 5);
        let urgent = help.0.thread(MAIN, 1, None);
        help.0.block(b);
        assert_eq!(help.heirs(), [Some(0), Some(3), Some(c.index())]);
        assert_eq!(help.state(OTHER, b), State::Blocked);
        help.0.unblock(b);
        assert_eq!(help.heirs()[2], Some(b.index()));
        help.0.block(urgent);
        help.0.block(b);
        help.0.unblock(b);
        assert_eq!(help.0.system.processor_of(b), Some(cpu(1)));
    });
}

#[test]
fn an_idle_thread_keeps_the_place_of_whoever_sticks_and_is_helped_elsewhere() {
    story(|mut help, a, b, _| {
        help.help(b, 5);
        help.make_sticky(b);
        let urgent = help.0.thread(MAIN, 1, None);
        let lesser = help.0.thread(MAIN, 9, None);
        assert_eq!(help.heirs()[2], Some(b.index()));
        // It is still queued at home, and when the place is free an idle thread fills it: not the
        // lesser one.
        assert_eq!(help.0.ready(MAIN), [b, lesser]);
        help.0.block(urgent);
        assert_eq!(help.heirs(), [Some(a.index()), None, Some(b.index())]);
        assert_eq!(help.state(MAIN, b), State::Scheduled);
        assert_eq!(help.0.ready(MAIN), [lesser]);
        // When the help ends, the owner takes its own place.
        help.end_help(b);
        help.0.settle();
        assert_eq!(help.heirs(), [Some(a.index()), Some(b.index()), Some(2)]);
        help.clean_sticky(b);
        assert_eq!(help.heirs()[1], Some(b.index()));
    });
}

#[test]
fn an_owner_that_is_ready_again_takes_its_place_when_that_is_reconsidered() {
    story(|mut help, a, b, _| {
        help.help(b, 5);
        help.make_sticky(b);
        let urgent = help.0.thread(MAIN, 1, None);
        help.0.block(urgent);
        assert_eq!(help.heirs(), [Some(a.index()), None, Some(b.index())]);
        // Displaced where it was helped, it waits for the answer to its request, while an idle
        // thread keeps its place.
        let local = help.0.system.create(OTHER, Priority(1), None).unwrap();
        help.0
            .call(|system, now, fx| system.start(local, now, fx))
            .unwrap();
        assert_eq!(help.heirs(), [Some(a.index()), None, Some(local.index())]);
        help.0
            .call(|system, now, fx| system.set_priority(b, Priority(3), now, fx))
            .unwrap();
        assert_eq!(help.heirs()[1], Some(b.index()));
        help.0.settle();
    });
}

#[test]
fn when_the_stickiness_ends_the_place_goes_to_the_next_in_line() {
    story(|mut help, a, b, _| {
        help.help(b, 5);
        help.make_sticky(b);
        help.make_sticky(b);
        let urgent = help.0.thread(MAIN, 1, None);
        let lesser = help.0.thread(MAIN, 9, None);
        help.0.block(urgent);
        help.clean_sticky(b);
        assert_eq!(help.heirs(), [Some(a.index()), None, Some(b.index())]);
        help.clean_sticky(b);
        assert_eq!(
            help.heirs(),
            [Some(a.index()), Some(lesser.index()), Some(b.index())]
        );
        assert_eq!(help.state(MAIN, b), State::Blocked);
    });
}

#[test]
fn a_thread_that_sticks_and_blocks_leaves_its_place() {
    story(|mut help, a, b, _| {
        help.make_sticky(b);
        let lesser = help.0.thread(MAIN, 9, None);
        help.0.block(b);
        assert_eq!(help.heirs()[..2], [Some(a.index()), Some(lesser.index())]);
        assert_eq!(help.state(MAIN, b), State::Blocked);
        help.0.unblock(b);
        assert_eq!(help.heirs()[..2], [Some(a.index()), Some(b.index())]);
        assert_eq!(help.0.ready(MAIN), [lesser]);
        help.clean_sticky(b);
    });
}

#[test]
fn a_thread_that_sticks_and_blocks_where_it_is_helped_leaves_its_place_at_home() {
    story(|mut help, a, b, _| {
        help.help(b, 5);
        help.make_sticky(b);
        let urgent = help.0.thread(MAIN, 1, None);
        let lesser = help.0.thread(MAIN, 9, None);
        help.0.block(urgent);
        assert_eq!(help.heirs(), [Some(a.index()), None, Some(b.index())]);
        help.0.block(b);
        assert_eq!(help.heirs()[..2], [Some(a.index()), Some(lesser.index())]);
        help.0.unblock(b);
        assert_eq!(help.heirs()[1], Some(b.index()));
        help.clean_sticky(b);
    });
}

#[test]
fn a_helping_node_whose_priority_changes_keeps_its_processor_from_idle_threads() {
    story(|mut help, _, b, c| {
        help.help(b, 3);
        let urgent = help.0.thread(MAIN, 1, None);
        help.0.block(c);
        assert_eq!(help.heirs()[2], Some(b.index()));
        help.as_a_lock(|system| {
            let level = system.level(OTHER.index(), Priority(7));
            system.share(b.index(), OTHER.index(), LOCK, level);
            system.update_priority(b.index(), Order::Prepend);
        });
        help.0.settle();
        assert_eq!(
            help.heirs(),
            [Some(0), Some(urgent.index()), Some(b.index())]
        );
        help.0.unblock(c);
        assert_eq!(help.heirs()[2], Some(c.index()));
    });
}

#[test]
fn a_yield_gives_nothing_up_where_the_thread_is_helped() {
    story(|mut help, _, b, c| {
        help.help(b, 5);
        help.0.thread(MAIN, 1, None);
        assert_eq!(help.0.ready(OTHER), [c]);
        help.0.act(|system, now, fx| system.yield_now(b, now, fx));
        assert_eq!(help.heirs()[2], Some(b.index()));
    });
}

#[test]
fn a_thread_that_is_pinned_while_it_is_helped_stays_there_when_the_help_ends() {
    let mut world = World::new(8, set([0, 1, 2]), &clusters(PolicyKind::Edf));
    let a = world.thread(MAIN, 5, None);
    let b = world.thread(MAIN, 5, None);
    let c = world.thread(OTHER, 5, None);
    let mut help = Help::new(world);
    help.help(b, 3);
    let urgent = help.0.thread(MAIN, 1, None);
    help.0.act(|system, _, _| system.pin(b));
    let _ = help.0.dispatch(cpu(2));
    help.0.settle();
    assert_eq!(
        help.heirs(),
        [Some(0), Some(urgent.index()), Some(b.index())]
    );
    help.end_help(b);
    help.0.settle();
    // It has no priority there any longer: it runs when no other thread does, and on no other
    // processor.
    assert_eq!(help.heirs(), [Some(0), Some(3), Some(c.index())]);
    help.0.block(a);
    assert_eq!(help.heirs(), [None, Some(3), Some(c.index())]);
    help.0.block(c);
    assert_eq!(help.heirs(), [None, Some(3), Some(b.index())]);
    help.0.act(|system, now, fx| system.unpin(b, now, fx));
    assert_eq!(help.heirs(), [Some(b.index()), Some(3), None]);
}

#[test]
fn the_last_processor_stays_while_its_instance_helps() {
    let world = World::new(8, set([0, 1, 2]), &clusters(PolicyKind::Edf));
    let mut help = Help::new(world);
    let a = help.0.thread(MAIN, 5, None);
    help.help(a, 5);
    let remove = |help: &mut Help| {
        help.0
            .call(|system, now, fx| system.remove_processor(OTHER, cpu(2), now, fx))
    };
    assert_eq!(remove(&mut help), Err(Error::ResourceInUse));
    assert_eq!(help.0.system.processors(OTHER), Ok(set([2])));
    help.end_help(a);
    assert_eq!(remove(&mut help), Ok(()));
    help.0.settle();
    assert_eq!(
        help.0.system.instance_of_cpu(Cpu::new(2).unwrap()),
        Err(Error::IncorrectState)
    );
}
