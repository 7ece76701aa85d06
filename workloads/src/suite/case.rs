//! Owns: how a case is run, how it fails, and how cases are counted.
//!
//! Functions that cases call by the hundred are not copied into each: that would be a third of the
//! suite's text, and of the time to compile it.

use super::{MAIN, Objects, STACK, SuiteBoard};
use crate::verdict::{Count, Verdict};
use core::fmt::Debug;
use core::marker::PhantomData;
use taktos_kernel::{AnyThread, Error, Kernel, Priority, State, Thread};

/// The priority of this level.
pub(super) fn at(level: u8) -> Priority {
    Priority::new(level).unwrap_or(Priority::LEAST_URGENT)
}

/// One case under way.
pub struct Case<S> {
    verdict: Verdict<S>,
}

impl<S: SuiteBoard> Case<S> {
    /// The suite's objects.
    pub fn objects(&self) -> &'static Objects<S> {
        S::objects()
    }

    /// The helper `index`.
    pub fn thread(&self, index: usize) -> &'static Thread<S, STACK> {
        S::objects().thread(index)
    }

    /// Demands that `found` is `expected`. The first time that it is not, the case has failed and
    /// says so.
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

    /// Demands that a call succeeded.
    #[inline(never)]
    pub fn ok(&mut self, what: &str, result: Result<(), Error>) {
        self.expect(what, result, Ok(()));
    }

    /// Demands that a call was refused with `error`.
    pub fn expect_error<T>(&mut self, what: &str, result: Result<T, Error>, error: Error) {
        self.expect(what, result.map(|_| ()), Err(error));
    }

    /// Demands the state of the helper `index`.
    #[inline(never)]
    pub fn expect_state(&mut self, index: usize, expected: State) {
        self.expect("state of a thread", self.thread(index).state(), expected);
    }

    /// Demands the effective priority of the helper `index`.
    #[inline(never)]
    pub fn expect_priority(&mut self, index: usize, expected: u8) {
        let (_, effective) = self.thread(index).priorities();
        self.expect("effective priority", effective.level(), expected);
    }

    /// Creates the helper `index` with the priority `level` and starts it with `body`.
    #[inline(never)]
    pub fn start(&mut self, index: usize, level: u8, body: fn()) {
        let thread = self.thread(index);
        let created = thread.create_as(super::objects::NAMES[index], at(level));
        self.ok("creation of a helper", created);
        let started = thread.start(body);
        self.ok("start of a helper", started);
    }

    /// Starts the helper `index`, which has been created, with `body`.
    #[inline(never)]
    pub fn start_again(&mut self, index: usize, body: fn()) {
        let started = self.thread(index).start(body);
        self.ok("another start of a helper", started);
    }

    /// Lets all helpers that are less urgent than the main thread run until none is ready.
    #[inline(never)]
    pub fn let_others_run(&mut self) {
        let slept = AnyThread::<S>::sleep(super::UNIT);
        self.ok("sleep of the main thread", slept);
    }

    /// Lets helpers run until those with a time-out of one unit have run, too.
    pub fn let_time_outs_pass(&mut self) {
        self.let_others_run();
        self.let_others_run();
    }
}

/// The cases so far.
pub struct Tally<S> {
    subject: &'static str,
    count: Count,
    system: PhantomData<fn() -> S>,
}

impl<S: SuiteBoard> Tally<S> {
    /// No case so far.
    pub const fn new() -> Self {
        Self {
            subject: "",
            count: Count::new(),
            system: PhantomData,
        }
    }

    /// Names the subject of the cases that follow.
    pub fn about(&mut self, subject: &'static str) {
        self.subject = subject;
    }

    /// Runs one case, from a fresh state of all objects, and checks that it left the main thread as
    /// it was.
    pub fn case(&mut self, name: &'static str, body: fn(&mut Case<S>)) {
        let mut case = Case {
            verdict: Verdict::new(self.subject, name),
        };
        S::objects().reset();
        body(&mut case);
        case.expect(
            "priorities of the main thread",
            AnyThread::<S>::current().priorities(),
            (at(MAIN), at(MAIN)),
        );
        let unset = Kernel::<S>::set_time_slice(None);
        case.ok("end of time slices", unset);
        S::objects().reset();
        self.count.add(&case.verdict);
    }

    /// Writes the numbers and ends the program.
    pub fn finish(self) -> ! {
        self.count.finish::<S>("suite")
    }
}
