//! Time against a counter that is simulated to the tick.

extern crate std;

use super::rate::{Rate, divided};
use super::time::{Counter, Due, LEAST, Time, moved};
use core::cell::Cell;
use proptest::prelude::*;
use std::vec;

/// The counter as the manual has it, and true time next to it. Each read of a register takes a
/// random number of ticks.
struct Simulated {
    /// Ticks since the beginning.
    at: Cell<u64>,
    /// When the present period ends, and how long the next one is.
    end: Cell<u64>,
    reload: u64,
    flag: Cell<bool>,
    pending: Cell<bool>,
    /// When its value was last looked at.
    looked: Cell<u64>,
    loss: u32,
    chance: Cell<u32>,
    dearest: u32,
}

impl Simulated {
    fn new(longest: u32, loss: u32, dearest: u32) -> Self {
        Self {
            at: Cell::new(0),
            end: Cell::new(longest.into()),
            reload: longest.into(),
            flag: Cell::new(false),
            pending: Cell::new(false),
            looked: Cell::new(0),
            loss,
            chance: Cell::new(1),
            dearest,
        }
    }

    fn pass(&self, ticks: u64) {
        self.at.set(self.at.get() + ticks);
        while self.at.get() >= self.end.get() {
            self.flag.set(true);
            self.pending.set(true);
            self.end.set(self.end.get() + self.reload);
        }
    }

    /// Time passes as a program executes.
    fn execute(&self) {
        let next = self
            .chance
            .get()
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        self.chance.set(next);
        self.pass(u64::from((next >> 16) % (self.dearest + 1)));
    }

    fn look(&self) -> u32 {
        let left = self.end.get() - self.at.get();
        (left % self.reload) as u32
    }
}

impl Counter for Simulated {
    fn value(&self) -> u32 {
        self.execute();
        self.looked.set(self.at.get());
        self.look()
    }

    fn has_wrapped(&self) -> bool {
        self.execute();
        self.flag.replace(false)
    }

    fn shift(&self, change: i32) -> u32 {
        self.execute();
        let seen = self.look();
        self.pass(self.loss.into());
        self.flag.set(false);
        self.end
            .set(self.at.get() + u64::from(moved(seen, change)) + 1);
        // It has left zero when this ends.
        self.pass(1);
        seen
    }

    fn loss(&self) -> u32 {
        self.loss
    }

    fn pend(&self) {
        self.pending.set(true);
    }
}

/// Rates of processors that there are: after a reset and from a PLL, of watch crystals and their
/// multiples, the least and the largest, and two that have nothing in common with a second.
const RATES: [u32; 15] = [
    32_768,
    2_097_152,
    4_194_304,
    1_000_000_000,
    79_999_987,
    999_999_937,
    65_536_000,
    80_000_000,
    168_000_000,
    16_000_000,
    25_000_000,
    4_000_000,
    216_000_000,
    1_000_000,
    7_372_800,
];
const MOST: u32 = 1 << 24;

#[derive(Clone, Debug)]
enum Act {
    /// Reads the clock.
    Now,
    /// Requests an alarm this number of nanoseconds from now.
    Alarm(u64),
    /// The handler of an alarm requests another after this span, or none.
    Again(Option<u64>),
    NoAlarm,
    Slices(u64),
    NoSlices,
    /// A slice continues with this number of ticks left; 0: a whole one begins.
    Switch(u32),
    /// This number of ticks passes, with interrupts.
    Run(u64),
    /// This number of ticks passes with interrupts masked, less than a sixteenth of a period.
    Masked(u64),
    /// To this many ticks before the end of the period, and no interrupt since.
    ToTheEnd(u64),
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        Just(Act::Now),
        (0u64..400_000_000).prop_map(Act::Alarm),
        (0u64..5_000).prop_map(Act::Alarm),
        Just(Act::NoAlarm),
        (2_000u64..3_000_000).prop_map(Act::Slices),
        prop::option::of(10_000u64..100_000_000).prop_map(Act::Again),
        Just(Act::NoSlices),
        Just(Act::Switch(0)),
        (0u32..100_000).prop_map(Act::Switch),
        (0u64..100_000_000).prop_map(Act::Run),
        (0u64..2_000).prop_map(Act::Run),
        (0u64..2_000).prop_map(Act::Masked),
        (0u64..20).prop_map(Act::ToTheEnd),
    ]
}

/// The ticks between which a slice ends: a read of the counter takes some itself.
#[derive(Clone, Copy)]
struct Span {
    earliest: u64,
    latest: u64,
}

/// Expected state, by true time.
struct Truth {
    hertz: u64,
    alarm: Option<u64>,
    /// The length of slices in ticks.
    slice: Option<u64>,
    /// When the running one ends.
    end: Option<Span>,
    last: u64,
}

impl Truth {
    fn nanos(&self, ticks: u64) -> u64 {
        (u128::from(ticks) * 1_000_000_000 / u128::from(self.hertz)) as u64
    }

    /// The tick at which the alarm is due.
    fn alarm_tick(&self) -> Option<u64> {
        let ticks = |at: u64| (u128::from(at) * u128::from(self.hertz)).div_ceil(1_000_000_000);
        self.alarm.map(|at| ticks(at) as u64)
    }
}

struct Case {
    time: Time,
    counter: Simulated,
    truth: Truth,
    /// The span to the alarm that the handler of one requests.
    again: Option<u64>,
}

impl Case {
    fn now(&mut self) {
        let before = self.truth.nanos(self.counter.at.get());
        let now = self.time.now(&self.counter);
        let after = self.truth.nanos(self.counter.at.get());
        assert!(
            (before..=after).contains(&now),
            "{before} <= {now} <= {after}"
        );
        assert!(now >= self.truth.last, "time goes back");
        self.truth.last = now;
    }

    /// The interrupt, if it is pending.
    fn serve(&mut self) {
        while self.counter.pending.replace(false) {
            let Due { alarm, slice } = self.time.take_due(&self.counter);
            let at = self.counter.looked.get();
            if alarm {
                let due = self
                    .truth
                    .alarm_tick()
                    .expect("an alarm that nobody wanted");
                assert!(at >= due, "the alarm is {} ticks early", due - at);
                self.truth.alarm = None;
                if let Some(span) = self.again {
                    self.alarm(span);
                }
            }
            if slice {
                let end = self.truth.end.expect("a slice that nobody wanted").earliest;
                assert!(at >= end, "the slice is {} ticks early", end - at);
                self.begin_slice(0);
            }
            self.time.see_to_the_next(&self.counter);
        }
    }

    /// Whether what is due came in time: when nothing is pending, and nothing was masked.
    fn nothing_is_overdue(&self, allowance: u64) {
        let at = self.counter.at.get();
        if let Some(due) = self.truth.alarm_tick() {
            assert!(
                at <= due + allowance,
                "the alarm is {} ticks late",
                at - due
            );
        }
        if let Some(Span { latest, .. }) = self.truth.end {
            assert!(
                at <= latest + allowance,
                "the slice is {} ticks late",
                at - latest
            );
        }
    }

    fn run(&mut self, ticks: u64) {
        let allowance = u64::from(LEAST + self.counter.loss + 40 * (self.counter.dearest + 1));
        let until = self.counter.at.get() + ticks;
        self.serve();
        // Short slices need not be followed for long.
        for _ in 0..50 {
            if self.counter.at.get() >= until {
                break;
            }
            let next = self.counter.end.get().min(until);
            let wait = next.saturating_sub(self.counter.at.get());
            self.counter.pass(wait);
            self.serve();
            self.nothing_is_overdue(allowance);
        }
    }

    fn act(&mut self, act: &Act, longest: u64) {
        match *act {
            Act::Now => self.now(),
            Act::Alarm(span) => self.alarm(span),
            Act::Again(span) => self.again = span,
            Act::NoAlarm => {
                self.truth.alarm = None;
                self.time.set_alarm(None, &self.counter);
            }
            Act::Slices(span) => self.slices(Some(span), longest),
            Act::NoSlices => self.slices(None, longest),
            Act::Switch(left) => self.begin_slice(left),
            Act::Run(ticks) => self.run(ticks % (8 * longest)),
            Act::Masked(ticks) => {
                // Shorter than a time in which a period would be lost.
                self.run(0);
                self.counter.pass(ticks % (longest / 16));
            }
            Act::ToTheEnd(ticks) => {
                self.run(0);
                let left = self.counter.end.get() - self.counter.at.get();
                self.counter.pass(left.saturating_sub(ticks));
            }
        }
    }

    fn alarm(&mut self, span: u64) {
        self.now();
        let at = self.truth.last + span;
        self.truth.alarm = Some(at);
        self.time.set_alarm(Some(at), &self.counter);
    }

    fn slices(&mut self, span: Option<u64>, longest: u64) {
        let before = self.counter.at.get();
        self.time.set_slice(span, &self.counter);
        let length = |span: u64| {
            let ticks = u128::from(span) * u128::from(self.truth.hertz) / 1_000_000_000;
            (ticks as u64).clamp(64, longest)
        };
        self.truth.slice = span.map(length);
        self.slice_ends(0, before);
    }

    fn begin_slice(&mut self, left: u32) {
        if let Some(end) = self.truth.end {
            let [earliest, latest] = [end.earliest, end.latest].map(|end| {
                let left = end.saturating_sub(self.counter.at.get()).max(1);
                u32::try_from(left).expect("slices are short")
            });
            let told = self.time.slice_left(&self.counter);
            // The look takes some ticks itself.
            let allowed = earliest.saturating_sub(LOOK)..=latest;
            assert!(
                allowed.contains(&told),
                "{told} ticks are left: {allowed:?}"
            );
        }
        let before = self.counter.at.get();
        self.time.begin_slice(left, &self.counter);
        self.slice_ends(left, before);
    }

    /// A slice of `left` ticks was begun between the tick `before` and now.
    fn slice_ends(&mut self, left: u32, before: u64) {
        if left == 1 {
            // A slice that is over is not reported again.
            self.truth.end = None;
            return;
        }
        let now = self.counter.at.get();
        self.truth.end = self.truth.slice.map(|whole| {
            let ticks = if left == 0 {
                whole
            } else {
                whole.min(left.into())
            };
            Span {
                earliest: before + ticks,
                latest: now + ticks,
            }
        });
    }
}

/// The most ticks that reading the rest of a slice takes.
const LOOK: u32 = 40;

fn case(hertz: u32, loss: u32, dearest: u32) -> (Case, u64) {
    let rate = Rate::new(hertz, MOST);
    let case = Case {
        time: Time::new(rate),
        counter: Simulated::new(rate.longest(), loss, dearest),
        truth: Truth {
            hertz: hertz.into(),
            alarm: None,
            slice: None,
            end: None,
            last: 0,
        },
        again: None,
    };
    (case, rate.longest().into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_tick_is_lost_and_nothing_comes_early_or_late(
        rate in 0..RATES.len(),
        loss in 0u32..12,
        dearest in 1u32..4,
        acts in prop::collection::vec(acts(), 1..60),
    ) {
        let (mut case, longest) = case(RATES[rate], loss, dearest);
        for act in &acts {
            case.act(act, longest);
        }
        case.run(0);
        case.now();
    }

    #[test]
    fn conversions_are_exact(hertz in 0..RATES.len(), ticks in 0u32..MOST, steps in 1u32..50) {
        let rate = Rate::new(RATES[hertz], MOST);
        let ticks = ticks.min(rate.longest());
        let mut moment = super::rate::Moment::START;
        for step in 1..=u64::from(steps) {
            moment = rate.after(moment, ticks);
            let exact = u128::from(step) * u128::from(ticks) * 1_000_000_000 / u128::from(RATES[hertz]);
            prop_assert_eq!(u128::from(moment.nanos), exact);
        }
    }

    #[test]
    fn quotients_are_exact(parts in any::<u64>(), by in 1..=u32::MAX, small in 0u32..32) {
        for by in [by, (by >> small).max(1)] {
            for parts in [parts, u64::MAX, parts & u64::from(u32::MAX), u64::from(by) << 32] {
                let (quotient, rest) = divided(parts, by);
                let by = u64::from(by);
                prop_assert_eq!((quotient, u64::from(rest)), (parts / by, parts % by));
            }
        }
    }
}

#[test]
fn an_idle_time_is_exact_over_many_wraps() {
    for hertz in RATES {
        let (mut case, longest) = case(hertz, 6, 2);
        case.act(&Act::Alarm(60_000_000_000), longest);
        while case.truth.alarm.is_some() {
            case.run(longest);
        }
        case.now();
    }
}

#[test]
fn rates_out_of_range_are_refused() {
    for hertz in [0, 1, 32_767, 1_000_000_001, u32::MAX] {
        let made = std::panic::catch_unwind(|| Rate::new(hertz, MOST));
        let said = made.expect_err("out of range");
        let said = said.downcast_ref::<&str>().expect("a text");
        assert!(said.contains("from 32,768 Hz to 1 GHz"), "{hertz}: {said}");
    }
}
