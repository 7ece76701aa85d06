//! Owns: how a case is run, how it fails, and how cases are counted.
//!
//! What cases call by the hundred is not copied into each: that would be a third of the suite's text, and of the time to compile it.

use super::{MAIN, Objects, SuiteBoard};
use crate::verdict::Verdict;
use core::fmt::Debug;
use core::marker::PhantomData;
use taktos_kernel::fault::print;
use taktos_kernel::{AnyThread, Kernel, Priority, State};

/// One case under way.
pub struct Case<S> {
    verdict: Verdict<S>,
}

impl<S: SuiteBoard> Case<S> {
    /// The suite's objects.
    pub fn objects(&self) -> &'static Objects<S> {
        S::objects()
    }

    /// Demands that `found` is `expected`. The first time that it is not, the case has failed and says so.
    pub fn expect<T: PartialEq<U> + Debug, U: Debug>(&mut self, what: &str, found: T, expected: U) {
        self.verdict.expect(what, found, expected);
    }

    /// Demands that the log holds `expected`, and empties it.
    #[inline(never)]
    pub fn expect_log(&mut self, expected: &str) {
        let text = S::objects().log.take();
        self.expect("order of events", text.as_str(), expected);
    }

    /// Demands that `found` holds.
    pub fn expect_true(&mut self, what: &str, found: bool) {
        self.expect(what, found, true);
    }

    /// Demands the state of the helper `index`.
    #[inline(never)]
    pub fn expect_state(&mut self, index: usize, expected: State) {
        self.expect(
            "state of a thread",
            S::objects().thread(index).state(),
            expected,
        );
    }

    /// Demands the effective priority of the helper `index`.
    #[inline(never)]
    pub fn expect_priority(&mut self, index: usize, expected: u8) {
        let (_, effective) = S::objects().thread(index).priorities();
        self.expect("effective priority", effective.level(), expected);
    }

    /// Creates the helper `index` with the priority `level` and starts it with `body`.
    #[inline(never)]
    pub fn start(&mut self, index: usize, level: u8, body: fn()) {
        let thread = S::objects().thread(index);
        let priority = Priority::new(level).unwrap_or(Priority::LEAST_URGENT);
        let created = thread.create_as(super::objects::NAMES[index], priority);
        self.expect("creation of a helper", created, Ok(()));
        let started = thread.start(body);
        self.expect("start of a helper", started, Ok(()));
    }

    /// Lets all helpers that are less urgent than the main thread run until none is ready.
    #[inline(never)]
    pub fn let_others_run(&mut self) {
        let slept = AnyThread::<S>::sleep(super::UNIT);
        self.expect("sleep of the main thread", slept, Ok(()));
    }
}

/// The cases so far.
pub struct Tally<S> {
    passed: u32,
    failed: u32,
    system: PhantomData<fn() -> S>,
}

impl<S: SuiteBoard> Tally<S> {
    /// No case so far.
    pub const fn new() -> Self {
        Self {
            passed: 0,
            failed: 0,
            system: PhantomData,
        }
    }

    /// Runs one case, from a fresh state of all objects, and checks that it left the main thread as it was.
    pub fn case(&mut self, name: &'static str, body: fn(&mut Case<S>)) {
        let mut case = Case {
            verdict: Verdict::new(name),
        };
        let main = Priority::new(MAIN).unwrap_or(Priority::LEAST_URGENT);
        S::objects().reset();
        body(&mut case);
        case.expect(
            "priorities of the main thread",
            AnyThread::<S>::current().priorities(),
            (main, main),
        );
        let unset = Kernel::<S>::set_time_slice(None);
        case.expect("end of time slices", unset, Ok(()));
        S::objects().reset();
        if case.verdict.failed() {
            self.failed += 1;
        } else {
            self.passed += 1;
        }
    }

    /// Writes the numbers and ends the program.
    pub fn finish(self) -> ! {
        let Self { passed, failed, .. } = self;
        print::<S>(format_args!("@suite passed {passed} failed {failed}\n"));
        print::<S>(format_args!("{passed} passed, {failed} failed\n"));
        S::exit(i32::from(failed > 0))
    }
}
