extern crate std;
use super::*;
use proptest::prelude::*;
use std::string::ToString;
use std::vec::Vec;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Arm(Option<u64>),
    Release(u64),
    Cancel,
    Wake,
}
use Asked::*;

#[derive(Default)]
struct Log(Vec<Asked>);

impl Log {
    fn take(&mut self) -> Vec<Asked> {
        core::mem::take(&mut self.0)
    }
}

impl Effects for Log {
    fn arm(&mut self, at: Option<Instant>) {
        self.0.push(Arm(at.map(Instant::as_nanos)));
    }
    fn release(&mut self, deadline: Instant) {
        self.0.push(Release(deadline.as_nanos()));
    }
    fn cancel(&mut self) {
        self.0.push(Cancel);
    }
    fn wake(&mut self) {
        self.0.push(Wake);
    }
}

const OWNER: u8 = 7;

fn at(ns: u64) -> Instant {
    Instant::from_nanos(ns)
}

fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

/// A period and its requests.
struct Case {
    period: Period<u8>,
    log: Log,
}

impl Case {
    fn new(figures: Figures) -> Self {
        Self {
            period: Period::new(OWNER, figures),
            log: Log::default(),
        }
    }

    fn call(&mut self, length: u64, now: u64, cpu: u64) -> Result<Progress, Error> {
        self.period
            .call(OWNER, ns(length), at(now), ns(cpu), &mut self.log)
    }

    fn expire(&mut self, cpu: u64) -> Vec<Asked> {
        self.period.expire(ns(cpu), &mut self.log);
        self.log.take()
    }

    /// Active since 100 with length 10 and 5 of processor time.
    fn active() -> Self {
        let mut case = Self::new(Figures::Own);
        assert_eq!(case.call(10, 100, 5), Ok(Progress::Continues));
        case.log.take();
        case
    }

    /// As [`Case::active`], then two releases unanswered: at 110 and 120.
    fn expired() -> Self {
        let mut case = Self::active();
        case.expire(15);
        case.expire(25);
        case
    }

    fn state(&self) -> (State, u32) {
        let status = self.period.status(at(0), ns(0));
        (status.state, status.postponed)
    }
}

#[test]
fn row_inactive_begins_and_never_waits() {
    let mut case = Case::new(Figures::Own);
    assert_eq!(case.call(10, 100, 5), Ok(Progress::Continues));
    assert_eq!(case.log.take(), [Arm(Some(110)), Release(110)]);
    assert_eq!(case.state(), (State::Active, 0));
    assert_eq!(case.period.statistics().count, 0);
    assert!(!case.period.falls_asleep());
}

#[test]
fn row_active_waits_and_the_timer_begins_the_next_on_the_grid() {
    let mut case = Case::active();
    assert_eq!(case.call(20, 103, 7), Ok(Progress::Waits));
    assert_eq!(case.log.take(), []);
    assert!(case.period.falls_asleep());
    // Served late, at any time: the release is the appointed one, the new length acts.
    assert_eq!(case.expire(8), [Arm(Some(130)), Release(130), Wake]);
    assert_eq!(case.state(), (State::Active, 0));
    let Statistics {
        count,
        missed,
        cpu,
        wall,
        ..
    } = *case.period.statistics();
    assert_eq!((count, missed), (1, 0));
    assert_eq!((cpu.min, cpu.max, cpu.total), (ns(2), ns(2), ns(2)));
    assert_eq!((wall.min, wall.max, wall.total), (ns(3), ns(3), ns(3)));
    // The wait from 103 to 110 is in neither job.
    assert_eq!(case.call(20, 114, 11), Ok(Progress::Waits));
    assert_eq!(case.period.statistics().wall.max, ns(4));
    assert_eq!(case.period.statistics().cpu.max, ns(3));
}

#[test]
fn a_timer_between_intent_and_sleep_does_not_lose_the_owner() {
    let mut case = Case::active();
    assert_eq!(case.call(10, 103, 7), Ok(Progress::Waits));
    assert_eq!(case.expire(7), [Arm(Some(120)), Release(120)], "no wake-up");
    assert!(!case.period.falls_asleep(), "too late to sleep");
    assert_eq!(case.state(), (State::Active, 0));
    // The next timer finds an owner that works, not one that waits.
    assert_eq!(case.expire(17), [Arm(Some(130))]);
    assert_eq!(case.state(), (State::Expired, 1));
}

#[test]
fn a_timer_without_a_waiting_owner_postpones() {
    let mut case = Case::active();
    assert_eq!(case.expire(15), [Arm(Some(120))], "no job release");
    assert_eq!(case.state(), (State::Expired, 1));
    assert_eq!(case.expire(25), [Arm(Some(130))]);
    assert_eq!(case.state(), (State::Expired, 2));
}

#[test]
fn rows_expired_and_active_with_postponed_drain_one_a_call() {
    let mut case = Case::expired();
    assert_eq!(case.call(10, 125, 30), Err(Error::Timeout));
    assert_eq!(case.log.take(), [Release(130)], "the latest deadline");
    assert_eq!(case.state(), (State::Active, 1));
    assert_eq!(case.call(10, 126, 31), Err(Error::Timeout));
    assert_eq!(case.log.take(), [Release(130)], "the same for all drained");
    assert_eq!(case.state(), (State::Active, 0));
    assert_eq!(case.period.statistics().missed, 2);
    assert_eq!(case.call(10, 128, 33), Ok(Progress::Waits));
    assert_eq!(case.period.statistics().count, 3);
    assert_eq!(case.period.statistics().missed, 2);
    assert!(case.period.falls_asleep());
    assert_eq!(case.expire(33), [Arm(Some(140)), Release(140), Wake]);
}

#[test]
fn a_timer_while_draining_expires_again() {
    let mut case = Case::expired();
    assert_eq!(case.call(10, 125, 30), Err(Error::Timeout));
    case.log.take();
    assert_eq!(case.expire(35), [Arm(Some(140))]);
    assert_eq!(case.state(), (State::Expired, 2));
}

#[test]
fn a_new_length_acts_at_the_next_expiry_only() {
    let mut case = Case::expired();
    assert_eq!(case.call(50, 125, 30), Err(Error::Timeout));
    assert_eq!(
        case.log.take(),
        [Release(130)],
        "the timer stands at 130 still"
    );
    assert_eq!(case.expire(35), [Arm(Some(180))]);
}

#[test]
fn drained_jobs_have_their_own_figures_or_the_references() {
    let spent = |figures| {
        let mut case = Case::expired();
        case.period.figures = figures;
        let mut all = Vec::new();
        for (now, cpu) in [(125, 30), (127, 31), (129, 33)] {
            let status = case.period.status(at(now), ns(cpu));
            all.push((status.wall.as_nanos(), status.cpu.as_nanos()));
            let _ = case.call(10, now, cpu);
        }
        let statistics = *case.period.statistics();
        assert_eq!(
            statistics.wall.total.as_nanos(),
            all.iter().map(|one| one.0).sum()
        );
        assert_eq!(
            statistics.cpu.total.as_nanos(),
            all.iter().map(|one| one.1).sum()
        );
        all
    };
    assert_eq!(spent(Figures::Own), [(25, 25), (2, 1), (2, 2)]);
    assert_eq!(spent(Figures::Accumulated), [(25, 25), (27, 26), (29, 28)]);
}

#[test]
fn length_zero_asks_for_the_status_and_changes_nothing() {
    for (mut case, answer) in [
        (Case::new(Figures::Own), Err(Error::NotDefined)),
        (Case::active(), Ok(Progress::Continues)),
        (Case::expired(), Err(Error::Timeout)),
    ] {
        let before = (case.state(), *case.period.statistics());
        assert_eq!(case.call(0, 126, 30), answer);
        assert_eq!((case.state(), *case.period.statistics()), before);
        assert_eq!(case.log.take(), []);
    }
}

#[test]
fn status_between_the_drained_jobs_is_active() {
    let mut case = Case::expired();
    let _ = case.call(10, 125, 30);
    assert_eq!(case.call(0, 125, 30), Ok(Progress::Continues));
}

#[test]
fn only_the_owner_calls_and_cancels() {
    let mut case = Case::active();
    for length in [0, 10] {
        let answer = case
            .period
            .call(OWNER + 1, ns(length), at(103), ns(7), &mut case.log);
        assert_eq!(answer, Err(Error::NotOwner));
    }
    let answer = case.period.cancel(OWNER + 1, &mut case.log);
    assert_eq!(answer, Err(Error::NotOwner));
    assert_eq!(case.log.take(), []);
    assert_eq!(case.state(), (State::Active, 0));
    // Anyone may reset and query: no caller is named.
    case.period.reset();
    assert_eq!(*case.period.statistics(), Statistics::EMPTY);
}

#[test]
fn cancel_forgets_postponed_jobs_and_keeps_the_statistics() {
    let mut case = Case::expired();
    let _ = case.call(10, 125, 30);
    case.log.take();
    assert_eq!(case.period.cancel(OWNER, &mut case.log), Ok(()));
    assert_eq!(case.log.take(), [Arm(None), Cancel]);
    assert_eq!(case.state(), (State::Inactive, 0));
    assert_eq!(case.period.statistics().count, 1);
    // A timer that was on its way all the same does nothing.
    assert_eq!(case.expire(40), []);
    // The count does not survive into the next grid.
    assert_eq!(case.call(10, 200, 40), Ok(Progress::Continues));
    assert_eq!(case.state(), (State::Active, 0));
    assert_eq!(case.call(10, 205, 41), Ok(Progress::Waits));
}

#[test]
fn delete_wakes_a_sleeping_owner() {
    let mut case = Case::active();
    let _ = case.call(10, 103, 7);
    assert!(case.period.falls_asleep());
    case.period.delete(&mut case.log);
    assert_eq!(case.log.take(), [Arm(None), Cancel, Wake]);
    let mut case = Case::active();
    let _ = case.call(10, 103, 7);
    case.period.delete(&mut case.log);
    assert_eq!(case.log.take(), [Arm(None), Cancel]);
    assert!(!case.period.falls_asleep());
}

#[test]
fn a_forgotten_wait_is_postponed() {
    let mut case = Case::active();
    let _ = case.call(10, 103, 7);
    assert!(case.period.falls_asleep());
    case.period.forget_wait();
    assert_eq!(case.expire(8), [Arm(Some(120))]);
    assert_eq!(case.state(), (State::Expired, 1));
}

#[test]
fn postponed_jobs_are_counted_to_the_end_of_the_word() {
    let mut case = Case::expired();
    case.period.postponed = u32::MAX;
    case.expire(40);
    assert_eq!(case.state(), (State::Expired, u32::MAX));
}

#[test]
fn figures_of_an_inactive_period_are_zero() {
    let case = Case::new(Figures::Own);
    let status = case.period.status(at(50), ns(20));
    assert_eq!((status.wall, status.cpu), (Duration::ZERO, Duration::ZERO));
    assert_eq!(status.owner, OWNER);
    let status = Case::active().period.status(at(104), ns(8));
    assert_eq!((status.wall, status.cpu), (ns(4), ns(3)));
}

#[test]
fn the_report_has_seconds_with_six_decimals_or_just_the_counts() {
    let mut statistics = Statistics::EMPTY;
    assert_eq!(
        statistics.line(3, "TA1").to_string(),
        "    3  TA1           0      0"
    );
    statistics.conclude(
        true,
        false,
        Duration::from_micros(5),
        Duration::from_millis(1_500),
    );
    statistics.conclude(
        false,
        false,
        Duration::from_micros(8),
        Duration::from_millis(500),
    );
    assert_eq!(
        statistics.line(3, "TA1").to_string(),
        "    3  TA1           2      1  0.000005/0.000008/0.000006  0.500000/1.500000/1.000000"
    );
}

#[test]
fn the_report_has_dashes_where_nobody_counts() {
    let mut statistics = Statistics::EMPTY;
    statistics.conclude(false, false, Duration::ZERO, Duration::from_millis(500));
    assert_eq!(
        statistics.line(3, "TA1").without_cpu().to_string(),
        "    3  TA1           1      0  -/-/-  0.500000/0.500000/0.500000"
    );
}

#[test]
fn a_constrained_deadline_is_given_and_missed_without_an_error() {
    let mut case = Case::new(Figures::Own);
    case.period = case.period.with_deadline(ns(4));
    assert_eq!(case.call(10, 100, 0), Ok(Progress::Continues));
    assert_eq!(case.log.take(), [Arm(Some(110)), Release(104)]);
    assert_eq!(case.call(10, 104, 4), Ok(Progress::Waits), "just in time");
    assert_eq!(case.period.statistics().missed, 0);
    assert_eq!(case.period.upcoming_deadline(), at(114));
    assert!(case.period.falls_asleep());
    assert_eq!(case.expire(4), [Arm(Some(120)), Release(114), Wake]);
    assert_eq!(
        case.call(10, 115, 9),
        Ok(Progress::Waits),
        "late, before its end"
    );
    assert_eq!(case.period.statistics().missed, 1);
    assert_eq!(case.expire(9), [Arm(Some(130)), Release(124)]);
    // Postponed: the latest release is at 130.
    case.expire(19);
    assert_eq!(case.call(10, 131, 20), Err(Error::Timeout));
    assert_eq!(case.log.take(), [Release(134)]);
    assert_eq!(case.call(10, 133, 22), Ok(Progress::Waits));
    assert_eq!(case.period.statistics().missed, 2);
}

#[test]
fn a_deadline_never_comes_after_the_next_release() {
    let mut case = Case::new(Figures::Own);
    case.period = case.period.with_deadline(ns(40));
    assert_eq!(case.call(10, 100, 0), Ok(Progress::Continues));
    assert_eq!(case.log.take(), [Arm(Some(110)), Release(110)]);
    assert_eq!(case.period.upcoming_deadline(), at(120));
}

#[test]
fn a_job_beyond_its_budget_is_counted() {
    let mut case = Case::new(Figures::Own);
    case.period = case.period.with_budget(ns(5));
    let _ = case.call(10, 100, 0);
    let _ = case.call(10, 106, 5);
    assert_eq!(case.period.statistics().overruns, 0, "all of it, not more");
    assert!(case.period.falls_asleep());
    case.expire(5);
    let _ = case.call(10, 117, 11);
    assert_eq!(case.period.statistics().overruns, 1);
    assert_eq!(case.period.statistics().missed, 0);
}

#[test]
fn a_grid_may_begin_at_an_instant() {
    let mut case = Case::new(Figures::Own);
    let begin =
        |case: &mut Case, owner, length| case.period.begin_at(owner, at(200), ns(length), ns(5));
    assert_eq!(begin(&mut case, OWNER + 1, 10), Err(Error::NotOwner));
    assert_eq!(begin(&mut case, OWNER, 0), Err(Error::NotDefined));
    assert_eq!(case.state(), (State::Inactive, 0));
    assert_eq!(begin(&mut case, OWNER, 10), Ok(Progress::Waits));
    assert_eq!(begin(&mut case, OWNER, 10), Err(Error::IncorrectState));
    assert_eq!(case.period.status(at(150), ns(6)).wall, Duration::ZERO);
    assert_eq!(case.period.upcoming_deadline(), at(210));
    assert!(case.period.falls_asleep());
    assert_eq!(case.expire(6), [Arm(Some(210)), Release(210), Wake]);
    assert_eq!(case.call(10, 203, 8), Ok(Progress::Waits));
    let found = case.period.statistics();
    assert_eq!((found.count, found.missed), (1, 0));
    assert_eq!((found.wall.max, found.cpu.max), (ns(3), ns(2)));
}

#[test]
fn to_catch_up_is_as_good_as_a_timer() {
    for sleeps in [false, true] {
        for now in 100..150 {
            let mut timed = Case::active();
            if sleeps {
                let _ = timed.call(10, 103, 7);
                assert!(timed.period.falls_asleep());
            }
            let mut late = Case::new(Figures::Own);
            late.period = timed.period;
            while timed.period.expiry() <= at(now) {
                timed.expire(7);
            }
            late.period.catch_up(at(now), ns(7), &mut late.log);
            assert_eq!(late.state(), timed.state(), "{now}");
            assert_eq!(late.period.expiry(), timed.period.expiry(), "{now}");
            assert_eq!(late.period.released, timed.period.released, "{now}");
            assert_eq!(late.period.deadline, timed.period.deadline, "{now}");
            let status = |period: &Period<u8>| period.status(at(now), ns(9));
            assert_eq!(status(&late.period), status(&timed.period), "{now}");
        }
    }
}

#[test]
fn to_catch_up_with_ages_takes_no_age() {
    let mut case = Case::active();
    case.period.catch_up(at(1 << 60), ns(7), &mut case.log);
    assert_eq!(case.state(), (State::Expired, u32::MAX));
    assert!(case.period.expiry() > at(1 << 60));
    let mut case = Case::new(Figures::Own);
    case.period.catch_up(at(1 << 60), ns(7), &mut case.log);
    assert_eq!(case.state(), (State::Inactive, 0));
    assert_eq!(case.log.take(), []);
}

/// A model of a period without its state machine: a list of unanswered releases.
struct Model {
    releases: Vec<u64>,
    expiry: u64,
    length: u64,
    waits: bool,
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    /// Random work between calls: every release of the grid is answered exactly once, in
    /// order, and the grid never drifts.
    #[test]
    fn agrees_with_a_list_of_releases(work in proptest::collection::vec((0u64..40, 1u64..20), 1..60)) {
        let mut case = Case::new(Figures::Own);
        let (mut now, mut cpu) = (1_000, 0);
        let first = 10;
        case.call(first, now, cpu).unwrap();
        let mut model = Model { releases: Vec::new(), expiry: now + first, length: first, waits: false };
        let (mut concluded, mut late) = (0, 0);
        for (busy, length) in work {
            // The job takes `busy`; the timer fires where it must.
            while model.expiry <= now + busy {
                let fired = model.expiry;
                case.expire(cpu + (fired - now));
                model.releases.push(fired);
                model.expiry = fired + model.length;
            }
            now += busy;
            cpu += busy;
            case.log.take();
            let answer = case.call(length, now, cpu);
            concluded += 1;
            model.length = length;
            if model.releases.is_empty() {
                prop_assert_eq!(answer, Ok(Progress::Waits));
                model.waits = case.period.falls_asleep();
                prop_assert!(model.waits);
                now = model.expiry;
                model.expiry = now + length;
                prop_assert_eq!(
                    case.expire(cpu),
                    [Arm(Some(model.expiry)), Release(model.expiry), Wake]
                );
            } else {
                late += 1;
                model.releases.remove(0);
                prop_assert_eq!(answer, Err(Error::Timeout));
                prop_assert_eq!(case.log.take(), [Release(model.expiry)]);
            }
            prop_assert_eq!(case.state().1 as usize, model.releases.len());
        }
        let statistics = case.period.statistics();
        prop_assert_eq!((statistics.count, statistics.missed), (concluded, late));
        // Own figures: no job counts what another did, so they add up to the work.
        prop_assert_eq!(statistics.cpu.total.as_nanos(), cpu);
        prop_assert_eq!(statistics.wall.total.as_nanos(), cpu);
    }
}
