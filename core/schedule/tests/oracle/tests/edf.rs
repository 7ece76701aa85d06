//! The stories E1 to E8 of the reference's behaviour under deadlines on two processors, with fixed
//! priorities below them. U is unbound, B is bound; 1 is the most urgent priority.

mod common;
use common::*;
use taktos_schedule::smp::PolicyKind;

fn two() -> World {
    World::new(8, set([0, 1]), &[one(PolicyKind::Edf, 2)])
}

#[test]
fn e1_to_e4_a_bound_thread_shifts_an_unbound_one() {
    let mut world = two();
    let u1 = world.thread(MAIN, 1, None);
    assert_eq!(world.running(2), [Some(u1), None]);
    // E1.
    let b = world.thread(MAIN, 2, Some(set([0])));
    assert_eq!(world.running(2), [Some(b), Some(u1)]);
    // E2.
    let u2 = world.thread(MAIN, 2, None);
    assert_eq!(world.running(2), [Some(b), Some(u1)]);
    assert_eq!(world.ready(MAIN), [u2]);
    world.block(u1);
    assert_eq!(world.running(2), [Some(b), Some(u2)]);
    // E3.
    world.block(u2);
    world.unblock(u1);
    let b2 = world.thread(MAIN, 2, Some(set([0])));
    assert_eq!(world.running(2), [Some(b), Some(u1)]);
    world.block(u1);
    assert_eq!(world.running(2), [Some(b), None]);
    assert_eq!(world.ready(MAIN), [b2]);
    // E4.
    world.block(b);
    assert_eq!(world.running(2), [Some(b2), None]);
}

#[test]
fn e5_first_come_first_served_across_queues() {
    let mut world = two();
    let u1 = world.thread(MAIN, 2, None);
    let u1b = world.thread(MAIN, 2, None);
    assert_eq!(world.running(2), [Some(u1), Some(u1b)]);
    let u2 = world.thread(MAIN, 2, None);
    let a = world.thread(MAIN, 2, Some(set([0])));
    let b = world.thread(MAIN, 2, Some(set([0])));
    assert_eq!(world.ready(MAIN), [u2, a, b]);
    world.block(u1b);
    assert_eq!(world.running(2), [Some(u1), Some(u2)]);
    world.block(u2);
    assert_eq!(world.running(2), [Some(a), Some(u1)]);
    world.block(a);
    assert_eq!(world.running(2), [Some(b), Some(u1)]);
}

#[test]
fn e6_a_turn_is_kept_between_ready_and_scheduled() {
    let mut world = two();
    let t = world.thread(MAIN, 1, Some(set([0])));
    let a = world.thread(MAIN, 2, Some(set([0])));
    let b = world.thread(MAIN, 2, None);
    assert_eq!(world.running(2), [Some(t), Some(b)]);
    world.act(|system, now, fx| system.set_affinity(t, set([0, 1]), now, fx));
    assert_eq!(world.running(2), [Some(a), Some(t)]);
    assert_eq!(world.ready(MAIN), [b]);
}

#[test]
fn e7_whoever_loses_a_deadline_goes_before_equals_in_other_queues() {
    let mut world = two();
    let t = world.thread(MAIN, 5, None);
    world.act(|system, now, fx| system.release_job(t, at(1_000), now, fx));
    let bound = world.thread(MAIN, 5, Some(set([1])));
    let waits = world.thread(MAIN, 5, Some(set([1])));
    let last = world.thread(MAIN, 5, None);
    assert_eq!(world.running(2), [Some(t), Some(bound)]);
    world.act(|system, now, fx| system.cancel_job(t, now, fx));
    assert_eq!(world.running(2), [Some(t), Some(bound)]);
    assert_eq!(world.ready(MAIN), [waits, last]);
    // An arrival displaces the later one of the two, which stays first of those that wait.
    let urgent = world.thread(MAIN, 1, None);
    assert_eq!(world.running(2), [Some(t), Some(urgent)]);
    assert_eq!(world.ready(MAIN), [bound, waits, last]);
}

#[test]
fn e8_the_idle_processor_that_became_idle_last_is_taken_first() {
    let mut world = two();
    let a = world.thread(MAIN, 1, None);
    let b = world.thread(MAIN, 1, None);
    assert_eq!(world.running(2), [Some(a), Some(b)]);
    world.block(a);
    world.block(b);
    let c = world.thread(MAIN, 1, None);
    assert_eq!(world.running(2), [None, Some(c)]);
    world.block(c);
    world.unblock(b);
    world.unblock(a);
    assert_eq!(world.running(2), [Some(a), Some(b)]);
}

#[test]
fn a_thread_with_a_deadline_beats_all_without() {
    let mut world = two();
    let fixed = [0, 0].map(|priority| world.thread(MAIN, priority, None));
    let late = world.thread(MAIN, 200, None);
    let later = world.thread(MAIN, 100, None);
    assert_eq!(world.running(2), fixed.map(Some));
    world.act(|system, now, fx| system.release_job(later, at(u64::MAX >> 1), now, fx));
    world.act(|system, now, fx| system.release_job(late, at(70), now, fx));
    assert_eq!(world.running(2), [Some(late), Some(later)]);
    assert_eq!(world.ready(MAIN), fixed);
    assert_eq!(world.system.priority(late).unwrap().0, 0);
    world.act(|system, now, fx| system.cancel_job(late, now, fx));
    assert_eq!(world.system.priority(late).unwrap().0, 200);
    assert_eq!(world.running(2), [Some(fixed[0]), Some(later)]);
}
