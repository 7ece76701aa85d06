//! Anything that may happen, in any order; and all short sequences of what is most entangled.

use super::system::{Act, Event, PHYSICAL, System};
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

/// Few interrupts, so that they meet: software's, timers, shared ones of devices, one of hardware.
const INTIDS: [u32; 12] = [0, 1, 5, 15, 27, 30, 32, 33, 39, PHYSICAL, 48, 95];

fn intid() -> impl Strategy<Value = u32> {
    prop::sample::select(&INTIDS[..])
}

fn shared() -> impl Strategy<Value = u32> {
    prop::sample::select(&INTIDS[6..])
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::Enable),
        2 => Just(Act::Disable),
        2 => Just(Act::Pend),
        2 => Just(Act::Unpend),
        1 => Just(Act::Activate),
        1 => Just(Act::Deactivate),
        1 => any::<bool>().prop_map(Act::Edge),
        2 => prop::sample::select(&[0u8, 0x40, 0x47, 0x80, 0xA0, 0xF8][..]).prop_map(Act::Priority),
    ]
}

fn software(vcpus: usize) -> impl Strategy<Value = u64> {
    let odd = prop_oneof![
        8 => Just(0u64),
        1 => Just(1 << 40),
        1 => Just(1 << 16),
        1 => Just(1 << 32),
        1 => Just(1 << 44),
        1 => Just(1 << 48),
    ];
    let target = 0u64..1 << (vcpus + 1);
    (odd, target, 0u64..4).prop_map(|(odd, target, intid)| odd | target | intid << 24)
}

fn event(vcpus: usize) -> impl Strategy<Value = Event> {
    let cpu = move || 0..vcpus;
    prop_oneof![
        4 => (cpu(), intid()).prop_map(|(v, i)| Event::Raise(v, i)),
        4 => (cpu(), intid(), any::<bool>()).prop_map(|(v, i, h)| Event::Level(v, i, h)),
        3 => cpu().prop_map(Event::Timer),
        1 => (cpu(), any::<bool>()).prop_map(|(v, timer)| Event::Withdraw(v, timer)),
        2 => Just(Event::Device),
        8 => (cpu(), cpu(), intid(), act()).prop_map(|(b, v, i, a)| Event::Act(b, v, i, a)),
        2 => (cpu(), shared(), 0..vcpus + 1).prop_map(|(b, i, v)| Event::Route(b, i, v)),
        1 => (cpu(), any::<bool>()).prop_map(|(b, on)| Event::Group(b, on)),
        1 => (cpu(), cpu(), prop::bool::weighted(0.7)).prop_map(|(b, v, on)| Event::Wake(b, v, on)),
        4 => (cpu(), software(vcpus)).prop_map(|(v, value)| Event::Send(v, value)),
        16 => cpu().prop_map(Event::Acknowledge),
        12 => cpu().prop_map(Event::End),
        6 => (cpu(), 0..8usize).prop_map(|(v, which)| Event::Deactivate(v, which)),
        1 => Just(Event::Compare),
        1 => (0..4 * vcpus).prop_map(move |n| {
            let vcpu = n % vcpus;
            if n < vcpus { Event::ResetVcpu(vcpu) } else { Event::Exit(vcpu) }
        }),
    ]
}

fn run(mut system: System, intids: &[u32], events: &[Event]) {
    for &event in events {
        system.step(event);
    }
    system.finish(intids);
}

fn runs(vcpus: core::ops::RangeInclusive<usize>) -> impl Strategy<Value = (usize, Vec<Event>)> {
    vcpus.prop_flat_map(|vcpus| (Just(vcpus), prop::collection::vec(event(vcpus), 1..120)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_guest_sees_what_a_naive_controller_shows(
        (vcpus, events) in runs(1..=1),
        registers in prop::sample::select(&[1usize, 2, 4, 16][..]),
    ) {
        run(System::ready(vcpus, registers, &INTIDS), &INTIDS, &events);
    }

    #[test]
    fn several_vcpus_see_what_a_naive_controller_shows(
        (vcpus, events) in runs(2..=4),
        registers in prop::sample::select(&[1usize, 2, 4, 16][..]),
    ) {
        run(System::ready(vcpus, registers, &INTIDS), &INTIDS, &events);
    }

    #[test]
    fn so_they_do_where_an_end_has_two_steps(
        (vcpus, events) in runs(1..=3),
        registers in prop::sample::select(&[1usize, 2, 4, 16][..]),
        traps: bool,
    ) {
        run(System::ready(vcpus, registers, &INTIDS).in_two_steps(traps), &INTIDS, &events);
    }

    #[test]
    fn so_they_do_from_the_reset_on((vcpus, events) in runs(1..=3)) {
        run(System::new(vcpus, 4), &INTIDS, &events);
    }
}

/// All sequences of five of the events, with two list registers, for `vcpus` VCPUs with these
/// interrupts enabled.
fn exhaust(vcpus: usize, intids: &[u32], events: &[Event]) {
    let mut digits = [0; 5];
    loop {
        let sequence: Vec<_> = digits.iter().map(|&digit| events[digit]).collect();
        run(System::ready(vcpus, 2, intids), intids, &sequence);
        let Some(place) = digits.iter().position(|&digit| digit + 1 < events.len()) else {
            return;
        };
        digits[place] += 1;
        digits[..place].fill(0);
    }
}

#[test]
fn all_short_lives_of_one_line() {
    let events = [
        Event::Level(0, 33, true),
        Event::Level(0, 33, false),
        Event::Act(0, 0, 33, Act::Pend),
        Event::Act(0, 0, 33, Act::Unpend),
        Event::Act(0, 0, 33, Act::Disable),
        Event::Act(0, 0, 33, Act::Enable),
        Event::Acknowledge(0),
        Event::End(0),
    ];
    exhaust(1, &[33], &events);
}

#[test]
fn all_short_lives_of_a_shared_interrupt_between_two() {
    let events = [
        Event::Raise(0, 33),
        Event::Route(0, 33, 1),
        Event::Route(1, 33, 0),
        Event::Acknowledge(0),
        Event::Acknowledge(1),
        Event::End(0),
        Event::End(1),
        Event::Act(1, 1, 33, Act::Deactivate),
    ];
    exhaust(2, &[33], &events);
}

#[test]
fn all_short_lives_of_a_timer() {
    let events = [
        Event::Timer(0),
        Event::Withdraw(0, true),
        Event::Act(0, 0, 27, Act::Pend),
        Event::Act(0, 0, 27, Act::Unpend),
        Event::Act(0, 0, 27, Act::Deactivate),
        Event::Send(0, 1 | 5 << 24),
        Event::Acknowledge(0),
        Event::End(0),
    ];
    exhaust(1, &[5, 27], &events);
}
