//! Both timers of a guest, at any instant that a register can hold, against arithmetic of 128 bits:
//! the physical one, which is emulated, and the virtual one, for which a guest may wait.
//!
//! CNTVOFF_EL2 is zero, so both have the machine's counter. Times of the counter's ticks (Arm DDI
//! 0487, D11.2): a timer is due when the counter is not below CVAL, both without sign; TVAL is the
//! lower 32 bits of the difference, and has a sign where it is written.

use proptest::prelude::*;
use taktos_abi::vm::layout::{PHYSICAL_TIMER_INTERRUPT, TIMER_INTERRUPT};
use taktos_tests::machine_el2::{Act, Script, View, read, write};

use super::interrupts_on;

const TVAL: [u64; 5] = [3, 3, 14, 2, 0];
const CTL: [u64; 5] = [3, 3, 14, 2, 1];
const CVAL: [u64; 5] = [3, 3, 14, 2, 2];

const SECOND: u128 = 1_000_000_000;
/// Each exit, in nanoseconds.
const EXIT: u64 = 200;
/// How long a guest runs before it sets its timer, and how long it is watched then.
const BEFORE: u64 = 1_000_000;
const WATCHED: u64 = 2_000_000;
/// How often a guest may be interrupted for one timer: the alarm, and the timer itself; the
/// hypervisor queries again until there is nothing.
const MOST_ASKED: u64 = 12;

/// Returns the value of the counter at `time`.
fn counter(hertz: u64, time: u64) -> u64 {
    (u128::from(time) * u128::from(hertz) / SECOND) as u64
}

/// When the counter comes to `tick`.
fn time_of(hertz: u64, tick: u64) -> u128 {
    (u128::from(tick) * SECOND).div_ceil(hertz.into())
}

/// Edges of numbers with `bits` bits: 0, 1, all ones, each power of two and its neighbours.
fn edges(bits: u32) -> Vec<u64> {
    let most = u64::MAX >> (64 - bits);
    let powers =
        (0..bits).flat_map(|bit| [-1, 0, 1].map(|by| (1u64 << bit).wrapping_add_signed(by)));
    powers
        .chain([0, most, most - 1])
        .map(|edge| edge & most)
        .collect()
}

/// The rates of boards, and the ends of what is allowed.
const RATES: [u64; 6] = [
    62_500_000,
    24_000_000,
    19_200_000,
    1_000_000_000,
    1_000_000,
    1,
];

/// Watches a guest that does `first`, then `acts`, for as long as its timer is watched. Returns the
/// machine, what the guest saw of `acts`, and how often the hypervisor was interrupted in that
/// time.
fn watch(hertz: u64, first: Vec<Act>, acts: Vec<Act>) -> (Script, Vec<View>, u64) {
    let before = first.len();
    let mut all = first;
    all.push(Act::Run(BEFORE));
    all.extend(acts);
    let mut script = Script::new(vec![all], EXIT);
    script.rig.set_rate(hertz);
    script.rig.run(BEFORE);
    let begun = script.rig.acknowledged();
    script.rig.run(BEFORE + WATCHED + 100 * EXIT);
    let asked = script.rig.acknowledged() - begun;
    let seen = script.seen(0).split_off(before + 1);
    (script, seen, asked)
}

/// Whether the interrupt `number` came, as it should for a timer of `tick` that was set at `set`.
fn check_interrupt(script: &Script, hertz: u64, number: u32, tick: u64, set: u64, asked: u64) {
    let due = time_of(hertz, tick).max(set.into());
    let end = u128::from(taktos_tests::machine_el2::counter());
    // A tick that is not a power of two of nanoseconds may be reported late, by two.
    let late = 2 * SECOND / u128::from(hertz) + 4 * u128::from(EXIT);
    let came = script.rig.registers(0).has_taken(number);
    if due + late < end {
        assert!(came, "{tick} at {hertz} Hz is due at {due}");
    } else if due > end {
        assert!(!came, "{tick} at {hertz} Hz is due at {due}, not by {end}");
    }
    assert!(asked <= MOST_ASKED, "{tick} at {hertz} Hz: {asked} times");
}

/// The emulated timer with CVAL = `tick`: what is read of it, and whether its interrupt comes, of
/// which the handler switches it off.
fn physical(hertz: u64, tick: u64) {
    let set = vec![write(CVAL, tick), write(CTL, 1)];
    let mut acts = set.clone();
    acts.extend([
        read(CTL),
        read(CVAL),
        read(TVAL),
        Act::Run(WATCHED),
        read(CTL),
    ]);
    // Without interrupts it stays as it is.
    let (_, seen, asked) = watch(hertz, vec![], acts);
    let due = |view: &View| u64::from(counter(hertz, view.now) >= tick) << 2 | 1;
    let said = format!("{tick} at {hertz} Hz");
    assert_eq!(seen[2].answer[1], due(&seen[2]), "CTL of {said}");
    assert_eq!(seen[3].answer[1], tick, "CVAL of {said}");
    let left = u128::from(tick) + (1 << 64) - u128::from(counter(hertz, seen[4].now));
    assert_eq!(
        u128::from(seen[4].answer[1]),
        left % (1 << 32),
        "TVAL of {said}"
    );
    assert_eq!(seen[6].answer[1], due(&seen[6]), "CTL of {said}, later");
    assert!(asked <= MOST_ASKED, "{said}: {asked} times");
    let mut acts = set;
    acts.push(Act::Run(WATCHED));
    let (script, seen, asked) = watch(hertz, interrupts_on(), acts);
    check_interrupt(
        &script,
        hertz,
        PHYSICAL_TIMER_INTERRUPT,
        tick,
        seen[1].now,
        asked,
    );
}

/// The emulated timer with TVAL = `ahead`.
fn physical_by_difference(hertz: u64, ahead: u32) {
    let acts = vec![
        write(TVAL, ahead.into()),
        write(CTL, 1),
        read(CVAL),
        read(CTL),
    ];
    let (_, seen, _) = watch(hertz, vec![], acts);
    let now = i128::from(counter(hertz, seen[0].now));
    let tick = (now + i128::from(ahead as i32)).rem_euclid(1 << 64) as u64;
    assert_eq!(
        seen[2].answer[1], tick,
        "CVAL by TVAL {ahead:#x} at {hertz} Hz"
    );
    let due = counter(hertz, seen[3].now) >= tick;
    assert_eq!(
        seen[3].answer[1],
        u64::from(due) << 2 | 1,
        "CTL by TVAL {ahead:#x}"
    );
    let acts = vec![write(TVAL, ahead.into()), write(CTL, 1), Act::Run(WATCHED)];
    let (script, seen, asked) = watch(hertz, interrupts_on(), acts);
    check_interrupt(
        &script,
        hertz,
        PHYSICAL_TIMER_INTERRUPT,
        tick,
        seen[1].now,
        asked,
    );
}

/// A guest that waits for its virtual timer.
fn virtually(hertz: u64, tick: u64) {
    let acts = vec![Act::Run(1), Act::WaitUntil(tick), Act::Run(1)];
    let (script, seen, asked) = watch(hertz, interrupts_on(), acts);
    let set = seen[0].now;
    check_interrupt(&script, hertz, TIMER_INTERRUPT, tick, set, asked);
    let due = time_of(hertz, tick).max(set.into());
    let late = u128::from(8 * EXIT) + 2 * SECOND / u128::from(hertz);
    let end = u128::from(taktos_tests::machine_el2::counter());
    let woken = seen.get(1);
    assert!(woken.is_some() || due + late > end, "{tick} at {hertz} Hz");
    assert!(
        woken.is_none_or(|view| u128::from(view.now) >= due),
        "{tick} at {hertz} Hz"
    );
}

#[test]
fn edges_of_the_physical_timer() {
    for hertz in RATES {
        edges(64).into_iter().for_each(|tick| physical(hertz, tick));
        edges(32)
            .into_iter()
            .for_each(|ahead| physical_by_difference(hertz, ahead as u32));
    }
}

#[test]
fn edges_of_the_virtual_timer() {
    for hertz in RATES {
        edges(64)
            .into_iter()
            .for_each(|tick| virtually(hertz, tick));
    }
}

/// Near ticks, edges, any.
fn tick() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..400_000u64,
        prop::sample::select(edges(64)),
        (prop::sample::select(edges(64)), 0..1_000u64)
            .prop_map(|(edge, more)| edge.wrapping_add(more)),
        any::<u64>(),
    ]
}

proptest! {
    #[test]
    fn any_instant_is_as_long_arithmetic_says(hertz in prop_oneof![prop::sample::select(RATES.to_vec()), 1..=1_000_000_000u64], tick in tick()) {
        physical(hertz, tick);
        physical_by_difference(hertz, tick as u32);
        virtually(hertz, tick);
    }
}
