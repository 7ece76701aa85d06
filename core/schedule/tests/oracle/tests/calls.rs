//! The calls one by one: statuses and their order, misuse, allocation of processors, the hand-shake
//! of migration.

mod common;
use common::*;
use taktos_schedule::{
    Cpu, CpuSet,
    smp::{Error, Instance, InstanceConfig, PolicyKind, Priority, Reasons, Thread},
};
use taktos_schedule_oracle::{Dispatch, System};
use taktos_time::{Duration, Instant};

type Call = fn(&mut System, Thread, Instant, &mut Flags) -> Result<(), Error>;

const POLICIES: [PolicyKind; 3] = [PolicyKind::Simple, PolicyKind::Priority, PolicyKind::Edf];

fn config(name: &[u8; 4], policy: PolicyKind, cpus: CpuSet) -> InstanceConfig {
    InstanceConfig {
        name: *name,
        policy,
        cpus,
    }
}

fn refusal(online: CpuSet, instances: &[InstanceConfig]) -> Option<Error> {
    System::new(4, 0, online, instances).err()
}

#[test]
fn a_system_refuses_what_cannot_be() {
    let edf = PolicyKind::Edf;
    let twice = [
        config(b"SAME", edf, set([0])),
        config(b"SAME", edf, set([1])),
    ];
    assert_eq!(refusal(set([0, 1]), &twice), Some(Error::InvalidName));
    let shared = [
        config(b"ONE ", edf, set([0, 1])),
        config(b"TWO ", edf, set([1])),
    ];
    assert_eq!(refusal(set([0, 1]), &shared), Some(Error::ResourceInUse));
    let good = [
        config(b"ONE ", edf, set([0])),
        config(b"TWO ", edf, set([1])),
    ];
    assert_eq!(refusal(CpuSet::EMPTY, &good), Some(Error::InvalidNumber));
    assert_eq!(refusal(set([0, 1]), &good), None);
}

#[test]
fn a_system_may_have_idle_threads_alone() {
    let world = World::new(
        0,
        set([0, 3]),
        &[config(b"ONE ", PolicyKind::Edf, set([3]))],
    );
    world.check();
    assert!(
        [0, 3]
            .iter()
            .all(|&index| world.system.heir(cpu(index)).is_some())
    );
    assert_eq!(world.system.heir(cpu(1)), None);
}

#[test]
fn wrong_ids_are_refused_by_every_call() {
    let online = set([0, 1]);
    let mut world = World::new(4, online, &[one(PolicyKind::Edf, 2)]);
    let good = world.thread(MAIN, 1, None);
    let gone = world.thread(MAIN, 1, None);
    world.act(|system, now, fx| system.delete(gone, now, fx));
    let idle = world.system.heir(cpu(1)).unwrap();
    assert!(world.system.is_idle(idle) && !world.system.exists(idle));
    for bad in [
        gone,
        idle,
        Thread::new(6).unwrap(),
        Thread::new(65_534).unwrap(),
    ] {
        let calls: [Call; 22] = [
            |s, t, now, fx| s.start(t, now, fx),
            |s, t, now, fx| s.restart(t, now, fx),
            |s, t, now, fx| s.delete(t, now, fx),
            |s, t, now, fx| s.block(t, Reasons::WAIT, now, fx),
            |s, t, now, fx| s.unblock(t, Reasons::WAIT, now, fx),
            |s, t, now, fx| s.suspend(t, now, fx),
            |s, t, now, fx| s.resume(t, now, fx),
            |s, t, now, fx| s.yield_now(t, now, fx),
            |s, t, now, fx| s.set_priority(t, Priority(1), now, fx).map(drop),
            |s, t, now, fx| s.release_job(t, now, now, fx),
            |s, t, now, fx| s.cancel_job(t, now, fx),
            |s, t, now, fx| s.set_affinity(t, CpuSet::ALL, now, fx),
            |s, t, _, _| s.affinity(t).map(drop),
            |s, t, _, _| s.pin(t),
            |s, t, now, fx| s.unpin(t, now, fx),
            |s, t, now, fx| s.set_scheduler(t, MAIN, Priority(1), now, fx),
            |s, t, _, _| s.scheduler(t).map(drop),
            |s, t, _, _| s.set_server(t, Duration::from_nanos(1), Duration::from_nanos(2)),
            |s, t, _, _| s.reasons(t).map(drop),
            |s, t, _, _| s.priority(t).map(drop),
            |s, t, _, _| s.priority_in(t, MAIN).map(drop),
            |s, t, now, _| {
                if s.is_idle(t) {
                    // The use of an idle thread can be queried.
                    s.cpu_time(t, now).and(Err(Error::InvalidId))
                } else {
                    s.cpu_time(t, now).map(drop)
                }
            },
        ];
        for (index, call) in calls.into_iter().enumerate() {
            let result = world.call(|system, now, fx| call(system, bad, now, fx));
            assert_eq!(result, Err(Error::InvalidId), "call {index} with {bad:?}");
        }
        assert!(bad == idle || world.system.processor_of(bad).is_none());
    }
    let nowhere = Instance::new(9).unwrap();
    let system = &mut world.system;
    assert_eq!(
        system.create(nowhere, Priority(1), None),
        Err(Error::InvalidId)
    );
    assert_eq!(system.processors(nowhere), Err(Error::InvalidId));
    assert_eq!(system.priority_in(good, nowhere), Err(Error::InvalidId));
    system.for_each_ready(nowhere, |_| panic!("nobody is there"));
    system.for_each_scheduled(nowhere, |_, _| panic!("nobody is there"));
    for missing in [2, 63] {
        let missing = cpu(missing);
        let result = world.call(|system, now, fx| system.dispatch(missing, now, fx));
        assert_eq!(result, Err(Error::InvalidNumber));
        let result = world.call(|system, now, fx| system.expire(missing, now, fx));
        assert_eq!(result, Err(Error::InvalidNumber));
        world.system.act_on(missing);
        assert_eq!(world.system.executing(missing), None);
    }
}

#[test]
fn dormant_is_entered_by_creation_and_left_by_a_start() {
    let mut world = World::new(4, set([0]), &[one(PolicyKind::Edf, 1)]);
    let thread = world.system.create(MAIN, Priority(1), None).unwrap();
    assert_eq!(world.system.reasons(thread), Ok(Reasons::DORMANT));
    let refused = [
        world.call(|system, now, fx| system.unblock(thread, Reasons::DORMANT, now, fx)),
        world.call(|system, now, fx| system.block(thread, Reasons::DORMANT, now, fx)),
        world.call(|system, now, fx| system.restart(thread, now, fx)),
    ];
    assert_eq!(refused, [Err(Error::IncorrectState); 3]);
    // Suspension and waiting are independent, of each other and of this.
    world.act(|system, now, fx| system.suspend(thread, now, fx));
    world.act(|system, now, fx| system.start(thread, now, fx));
    world.act(|system, now, fx| system.block(thread, Reasons::EVENT, now, fx));
    world.act(|system, now, fx| system.resume(thread, now, fx));
    assert_eq!(world.running(1), [None]);
    world.act(|system, now, fx| system.unblock(thread, Reasons::EVENT, now, fx));
    assert_eq!(world.running(1), [Some(thread)]);
    let again = world.call(|system, now, fx| system.start(thread, now, fx));
    assert_eq!(again, Err(Error::IncorrectState));
}

#[test]
fn a_row_is_used_again_only_when_its_registers_are_gone() {
    let mut world = World::new(1, set([0, 1]), &[one(PolicyKind::Edf, 2)]);
    let first = world.thread(MAIN, 1, None);
    world
        .call(|system, now, fx| system.delete(first, now, fx))
        .unwrap();
    assert_eq!(
        world.system.create(MAIN, Priority(1), None),
        Err(Error::TooMany)
    );
    world.settle();
    assert_eq!(world.system.create(MAIN, Priority(1), None), Ok(first));
}

#[test]
fn instances_are_found_by_name_by_processor_and_by_set() {
    let online = set([0, 1, 2, 5]);
    let configs = [
        config(b"WORK", PolicyKind::Edf, set([0, 1])),
        config(b"IO  ", PolicyKind::Priority, set([2, 3])),
        config(b"NONE", PolicyKind::Simple, CpuSet::EMPTY),
    ];
    let world = World::new(4, online, &configs);
    let system = &world.system;
    let [work, io, none] = [0, 1, 2].map(|index| Instance::new(index).unwrap());
    assert_eq!(system.identify(*b"IO  "), Ok(io));
    assert_eq!(system.identify(*b"NONE"), Ok(none));
    assert_eq!(system.identify(*b"WHAT"), Err(Error::InvalidName));
    assert_eq!(system.instance_of_cpu(cpu(1)), Ok(work));
    // One that is not online, and one that no instance was given.
    assert_eq!(system.instance_of_cpu(cpu(3)), Err(Error::IncorrectState));
    assert_eq!(system.instance_of_cpu(cpu(5)), Err(Error::IncorrectState));
    assert_eq!(system.instance_of_set(set([0, 2, 3])), Ok(io));
    assert_eq!(system.instance_of_set(set([0, 1, 3])), Ok(work));
    assert_eq!(
        system.instance_of_set(set([0, 5])),
        Err(Error::IncorrectState)
    );
    assert_eq!(system.instance_of_set(set([3])), Err(Error::InvalidName));
    assert_eq!(system.processors(io), Ok(set([2])));
}

#[test]
fn the_checks_of_a_move_come_in_their_order() {
    let online = set([0, 1, 2]);
    let configs = [
        config(b"WORK", PolicyKind::Edf, set([0, 1])),
        config(b"IO  ", PolicyKind::Priority, set([2])),
        config(b"NONE", PolicyKind::Edf, CpuSet::EMPTY),
    ];
    let mut world = World::new(6, online, &configs);
    let [io, none, bad] = [1, 2, 7].map(|index| Instance::new(index).unwrap());
    let nobody = Thread::new(5).unwrap();
    let thread = world.thread(MAIN, 1, Some(set([0])));
    let mut to = |thread, instance, priority| {
        world.call(|system, now, fx| {
            system.set_scheduler(thread, instance, Priority(priority), now, fx)
        })
    };
    assert_eq!(to(nobody, bad, 300), Err(Error::InvalidId));
    assert_eq!(to(nobody, io, 256), Err(Error::InvalidPriority));
    assert_eq!(to(nobody, io, 255), Err(Error::InvalidId));
    // Bound to a processor of the old instance; an instance without processors.
    assert_eq!(to(thread, io, 1), Err(Error::Unsatisfied));
    assert_eq!(to(thread, none, 1), Err(Error::Unsatisfied));
    world.act(|system, now, fx| system.set_affinity(thread, CpuSet::ALL, now, fx));
    world.act(|system, now, fx| system.release_job(thread, at(5), now, fx));
    let to_io = |world: &mut World| {
        world.call(|system, now, fx| system.set_scheduler(thread, io, Priority(3), now, fx))
    };
    assert_eq!(to_io(&mut world), Err(Error::ResourceInUse));
    world.act(|system, now, fx| system.cancel_job(thread, now, fx));
    world.act(|system, _, _| system.pin(thread));
    assert_eq!(to_io(&mut world), Err(Error::ResourceInUse));
    world.act(|system, now, fx| system.unpin(thread, now, fx));
    world.block(thread);
    assert_eq!(to_io(&mut world), Err(Error::ResourceInUse));
    world.unblock(thread);
    // A thread that sleeps can be moved.
    world.act(|system, now, fx| system.block(thread, Reasons::TIME, now, fx));
    assert_eq!(to_io(&mut world), Ok(()));
    world.act(|system, now, fx| system.unblock(thread, Reasons::TIME, now, fx));
    assert_eq!(world.system.processor_of(thread), Some(cpu(2)));
    assert_eq!(world.system.priority(thread), Ok(Priority(3)));
    assert_eq!(world.system.scheduler(thread), Ok(io));
}

#[test]
fn an_affinity_is_all_that_is_online_or_one_that_is_owned() {
    let online = set([0, 1, 2, 3]);
    let configs = [
        config(b"WORK", PolicyKind::Edf, set([0, 1])),
        config(b"REST", PolicyKind::Simple, set([2, 3])),
    ];
    let mut world = World::new(4, online, &configs);
    let rest = Instance::new(1).unwrap();
    let bound = world.thread(MAIN, 1, None);
    let simple = world.thread(rest, 1, None);
    let mut try_set =
        |thread, mask| world.call(|system, now, fx| system.set_affinity(thread, mask, now, fx));
    // The cluster's own processors are a proper subset of those online: refused, not taken for one
    // of them.
    assert_eq!(try_set(bound, set([0, 1])), Err(Error::InvalidNumber));
    assert_eq!(try_set(bound, set([2])), Err(Error::InvalidNumber));
    assert_eq!(try_set(bound, set([9])), Err(Error::InvalidNumber));
    assert_eq!(try_set(bound, CpuSet::EMPTY), Err(Error::InvalidNumber));
    // Reduced to those online first.
    assert_eq!(try_set(bound, set([1, 9])), Ok(()));
    assert_eq!(try_set(bound, CpuSet::ALL), Ok(()));
    assert_eq!(try_set(simple, set([2])), Err(Error::InvalidNumber));
    assert_eq!(try_set(simple, online), Ok(()));
    assert_eq!(world.system.affinity(bound), Ok(online));
}

#[test]
fn processors_come_and_go_by_the_rules() {
    let online = set([0, 1, 2, 4]);
    let configs = [
        config(b"WORK", PolicyKind::Edf, set([0, 1])),
        config(b"MORE", PolicyKind::Edf, set([2, 3])),
    ];
    let mut world = World::new(6, online, &configs);
    let [more, bad] = [1, 5].map(|index| Instance::new(index).unwrap());
    let mut add = |instance, index| {
        world.call(|system, now, fx| system.add_processor(instance, cpu(index), now, fx))
    };
    assert_eq!(add(bad, 9), Err(Error::InvalidId));
    assert_eq!(add(MAIN, 9), Err(Error::NotConfigured));
    assert_eq!(add(MAIN, 4), Err(Error::NotConfigured));
    assert_eq!(add(MAIN, 3), Err(Error::IncorrectState));
    assert_eq!(add(MAIN, 2), Err(Error::ResourceInUse));
    let a = world.thread(MAIN, 1, None);
    let b = world.thread(MAIN, 1, None);
    let bound = world.thread(MAIN, 2, Some(set([1])));
    let remove = |world: &mut World, instance, index| {
        world.call(|system, now, fx| system.remove_processor(instance, cpu(index), now, fx))
    };
    assert_eq!(remove(&mut world, bad, 0), Err(Error::InvalidId));
    assert_eq!(remove(&mut world, MAIN, 2), Err(Error::InvalidNumber));
    assert_eq!(remove(&mut world, MAIN, 9), Err(Error::InvalidNumber));
    assert_eq!(remove(&mut world, MAIN, 1), Err(Error::ResourceInUse));
    // Its holder goes after its equals on what is left: no thread is preempted for it.
    assert_eq!(world.running(2), [Some(a), Some(b)]);
    assert_eq!(remove(&mut world, MAIN, 0), Ok(()));
    world.settle();
    assert_eq!(world.running(2), [None, Some(b)]);
    assert_eq!(world.ready(MAIN), [a, bound]);
    assert_eq!(remove(&mut world, MAIN, 1), Err(Error::ResourceInUse));
    // Another instance's gain; no thread waits there.
    world.act(|system, now, fx| system.add_processor(more, cpu(0), now, fx));
    world.act(|system, now, fx| system.remove_processor(more, cpu(0), now, fx));
    world.act(|system, now, fx| system.add_processor(MAIN, cpu(0), now, fx));
    assert_eq!(world.running(2), [Some(a), Some(b)]);
    world.act(|system, now, fx| system.remove_processor(more, cpu(2), now, fx));
    assert_eq!(
        world.system.create(more, Priority(1), None),
        Err(Error::Unsatisfied)
    );
}

/// `mover` runs on processor 0, and is displaced there before it is dispatched; then processor 1
/// becomes free.
fn displaced_undispatched(world: &mut World) -> (Thread, Thread, Thread) {
    let stays = world.thread(MAIN, 5, None);
    let mover = world.thread(MAIN, 6, None);
    assert_eq!(world.running(2), [Some(stays), Some(mover)]);
    let urgent = world.system.create(MAIN, Priority(1), None).unwrap();
    world
        .call(|system, now, fx| system.start(urgent, now, fx))
        .unwrap();
    assert_eq!(world.system.heir(cpu(1)), Some(urgent));
    world
        .call(|system, now, fx| system.block(stays, Reasons::WAIT, now, fx))
        .unwrap();
    (stays, mover, urgent)
}

#[test]
fn lazily_a_thread_that_has_not_left_its_processor_stays() {
    for policy in [PolicyKind::Simple, PolicyKind::Priority, PolicyKind::Edf] {
        let mut world = World::new(4, set([0, 1]), &[one(policy, 2)]);
        let (_, mover, urgent) = displaced_undispatched(&mut world);
        assert_eq!(world.system.heir(cpu(1)), Some(mover));
        assert_eq!(world.system.heir(cpu(0)), Some(urgent));
    }
}

#[test]
fn exactly_it_takes_the_processor_that_was_freed() {
    let mut world = World::new(4, set([0, 1]), &[one(PolicyKind::StrongAffinity, 2)]);
    let (_, mover, urgent) = displaced_undispatched(&mut world);
    assert_eq!(world.system.heir(cpu(0)), Some(mover));
    assert_eq!(world.system.heir(cpu(1)), Some(urgent));
    // Its registers are on processor 1 until that is dispatched.
    let _ = world.dispatch(cpu(0));
    assert_eq!(world.system.executing(cpu(0)), None);
    assert_eq!(
        world.dispatch(cpu(0)),
        Dispatch::Wait {
            thread: mover,
            registers_on: cpu(1)
        }
    );
    assert_eq!(world.dispatch(cpu(1)), Dispatch::Run(urgent));
    assert!(world.flags.0.contains(cpu(0)), "who waits is told");
    assert_eq!(world.dispatch(cpu(0)), Dispatch::Run(mover));
}

#[test]
fn two_processors_that_exchange_their_threads_do_not_wait_for_ever() {
    let mut world = World::new(4, set([0, 1]), &[one(PolicyKind::Edf, 2)]);
    let a = world.thread(MAIN, 1, None);
    let b = world.thread(MAIN, 1, None);
    for (thread, to) in [(a, 1), (b, 0)] {
        world
            .call(|system, now, fx| system.set_affinity(thread, set([to]), now, fx))
            .unwrap();
    }
    assert_eq!(world.system.heir(cpu(0)), Some(b));
    assert!(matches!(world.dispatch(cpu(0)), Dispatch::Wait { .. }));
    assert_eq!(world.dispatch(cpu(1)), Dispatch::Run(a));
    assert_eq!(world.dispatch(cpu(0)), Dispatch::Run(b));
}

#[test]
fn an_assignment_cancelled_while_a_processor_waits_is_honoured() {
    let mut world = World::new(4, set([0, 1]), &[one(PolicyKind::StrongAffinity, 2)]);
    let (stays, mover, _) = displaced_undispatched(&mut world);
    assert!(matches!(world.dispatch(cpu(0)), Dispatch::Wait { .. }));
    world
        .call(|system, now, fx| system.unblock(stays, Reasons::WAIT, now, fx))
        .unwrap();
    assert_eq!(world.dispatch(cpu(0)), Dispatch::Run(stays));
    assert_eq!(world.ready(MAIN), [mover]);
}

#[test]
fn a_pin_takes_effect_with_the_next_dispatch_and_nests() {
    let mut world = World::new(4, set([0, 1]), &[one(PolicyKind::Edf, 2)]);
    let a = world.thread(MAIN, 5, None);
    world.act(|system, _, _| system.pin(a));
    world.act(|system, _, _| system.pin(a));
    // Nothing is done yet: the decision still is that a bound thread shifts it.
    let bound = world
        .system
        .create(MAIN, Priority(6), Some(set([0])))
        .unwrap();
    world
        .call(|system, now, fx| system.start(bound, now, fx))
        .unwrap();
    assert_eq!(world.system.processor_of(a), Some(cpu(1)));
    // With the dispatch of the processor that it executes on, it has this one again, and the thread
    // that is bound there waits.
    world.settle();
    assert_eq!(world.running(2), [Some(a), None]);
    assert_eq!(world.ready(MAIN), [bound]);
    // It comes back to it after a block.
    world.block(a);
    assert_eq!(world.running(2), [Some(bound), None]);
    world.unblock(a);
    assert_eq!(world.running(2), [Some(a), None]);
    // An affinity is kept for later.
    world.act(|system, now, fx| system.set_affinity(a, set([1]), now, fx));
    assert_eq!(world.running(2), [Some(a), None]);
    world.act(|system, now, fx| system.unpin(a, now, fx));
    assert_eq!(world.running(2), [Some(a), None]);
    world.act(|system, now, fx| system.unpin(a, now, fx));
    assert_eq!(world.running(2), [Some(bound), Some(a)]);
    let none_left = world.call(|system, now, fx| system.unpin(a, now, fx));
    assert_eq!(none_left, Err(Error::IncorrectState));
    // The processor of a pinned thread stays.
    world.act(|system, _, _| system.pin(a));
    let _ = world.dispatch(cpu(1));
    world.act(|system, now, fx| system.set_affinity(bound, CpuSet::ALL, now, fx));
    world.act(|system, now, fx| system.set_affinity(a, CpuSet::ALL, now, fx));
    let removed = world.call(|system, now, fx| system.remove_processor(MAIN, cpu(1), now, fx));
    assert_eq!(removed, Err(Error::ResourceInUse));
}

#[test]
fn where_threads_cannot_be_pinned_the_call_says_so() {
    for (policy, expected) in [
        (PolicyKind::Simple, Err(Error::NotDefined)),
        (PolicyKind::Priority, Err(Error::NotDefined)),
        (PolicyKind::Edf, Ok(())),
    ] {
        let mut world = World::new(4, set([0, 1]), &[one(policy, 2)]);
        let thread = world.thread(MAIN, 5, None);
        assert_eq!(world.call(|system, _, _| system.pin(thread)), expected);
        world.block(thread);
        let result = world.call(|system, _, _| system.pin(thread));
        assert_eq!(result, Err(Error::IncorrectState), "it executes nowhere");
        // If there is but one processor, it is of no consequence.
        let mut world = World::new(4, set([0]), &[one(policy, 1)]);
        let thread = world.thread(MAIN, 5, None);
        assert_eq!(world.call(|system, _, _| system.pin(thread)), Ok(()));
    }
}

#[test]
fn an_unchanged_effective_priority_moves_nobody() {
    for policy in POLICIES {
        let mut world = World::new(4, set([0]), &[one(policy, 1)]);
        let a = world.thread(MAIN, 5, None);
        let b = world.thread(MAIN, 5, None);
        let old = world.act(|system, now, fx| system.set_priority(a, Priority(5), now, fx));
        assert_eq!(old, Priority(5));
        assert_eq!(world.running(1), [Some(a)]);
        world.act(|system, now, fx| system.set_affinity(a, CpuSet::ALL, now, fx));
        assert_eq!(world.running(1), [Some(a)]);
        world.act(|system, now, fx| system.set_priority(a, Priority(4), now, fx));
        world.act(|system, now, fx| system.set_priority(a, Priority(5), now, fx));
        assert_eq!(world.running(1), [Some(b)]);
        let refused = world.call(|system, now, fx| {
            system.set_priority(a, Priority(policy.least_urgent().0 + 1), now, fx)
        });
        assert_eq!(refused, Err(Error::InvalidPriority));
    }
}

#[test]
fn time_is_charged_from_decision_to_decision() {
    let mut world = World::new(4, set([0]), &[one(PolicyKind::Edf, 1)]);
    let idle = world.system.heir(cpu(0)).unwrap();
    world.now = at(10);
    let a = world.thread(MAIN, 5, None);
    world.now = at(30);
    let b = world.system.create(MAIN, Priority(1), None).unwrap();
    // From here on `b` is charged, though it does not execute yet.
    world
        .call(|system, now, fx| system.start(b, now, fx))
        .unwrap();
    world.now = at(100);
    assert_eq!(world.system.executing(cpu(0)), Some(a));
    let used = [idle, a, b].map(|thread| {
        let time = world.system.cpu_time(thread, world.now).unwrap();
        time.as_nanos()
    });
    assert_eq!(used, [10, 20, 70]);
    assert_eq!(used.iter().sum::<u64>(), 100);
}

#[test]
fn of_several_idle_processors_the_lowest_number_is_taken_first() {
    for policy in POLICIES {
        let mut world = World::new(8, CpuSet::first(4), &[one(policy, 4)]);
        for index in 0..4 {
            let thread = world.thread(MAIN, 1, None);
            assert_eq!(world.system.processor_of(thread), Cpu::new(index));
        }
    }
}
