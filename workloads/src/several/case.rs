//! Owns: how a case is run, how it waits, how it fails, and how cases are counted.

use super::objects::{Helper, STACK, instance, told};
use super::{HELPERS, MAIN, PATIENCE, PROCESSORS, SeveralBoard, WORK, units};
use crate::verdict::{Count, Verdict};
use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::Range;
use taktos_kernel::{AnyThread, Cpu, CpuSet, Error, Kernel, PolicyKind, Priority, State, Thread};

/// One case under way.
pub struct Case<S> {
    policy: PolicyKind,
    verdict: Verdict<S>,
}

/// The priority of this level.
pub(super) fn at(level: u8) -> Priority {
    Priority::new(level).unwrap_or(Priority::LEAST_URGENT)
}

/// The processor of this number.
pub(super) fn cpu(number: usize) -> Cpu {
    match Cpu::new(number) {
        Some(cpu) => cpu,
        None => panic!("there is no such processor"),
    }
}

/// All processors of the suite.
pub(super) const ALL: CpuSet = CpuSet::first(PROCESSORS);

/// Ticks for ever.
pub(super) fn spin<S: SeveralBoard>(helper: &'static Helper<S>) {
    helper.spin();
}

impl<S: SeveralBoard> Case<S> {
    /// The policy of the instances.
    pub fn policy(&self) -> PolicyKind {
        self.policy
    }

    /// The helper `index`.
    pub fn helper(&self, index: usize) -> &'static Helper<S> {
        S::objects().helper(index)
    }

    /// The thread of the helper `index`.
    pub fn thread(&self, index: usize) -> &'static Thread<S, STACK> {
        self.helper(index).thread()
    }

    /// Demands that `found` is `expected`. The first time that it is not, the case has failed and
    /// says so.
    pub fn expect<T: PartialEq<U> + Debug, U: Debug>(&mut self, what: &str, found: T, expected: U) {
        self.verdict.expect(what, found, expected);
    }

    /// Demands that a call succeeded.
    pub fn ok<T>(&mut self, what: &str, result: Result<T, Error>) {
        self.expect(what, result.map(|_| ()), Ok(()));
    }

    /// Demands that a call was refused with `error`.
    pub fn expect_error<T>(&mut self, what: &str, result: Result<T, Error>, error: Error) {
        self.expect(what, result.map(|_| ()), Err(error));
    }

    /// Demands that `found` holds.
    pub fn expect_true(&mut self, what: &str, found: bool) {
        self.expect(what, found, true);
    }

    /// Demands that a call of the helper `index` ended so.
    pub fn expect_told<T>(&mut self, what: &str, index: usize, result: Result<T, Error>) {
        let helper = self.helper(index);
        self.soon(what, || helper.value() != 0);
        self.expect(what, helper.value(), told(result));
    }

    /// Demands that a call of each of these helpers succeeded.
    pub fn expect_all_told(&mut self, what: &str, helpers: impl IntoIterator<Item = usize>) {
        for index in helpers {
            self.expect_told(what, index, Ok(()));
        }
    }

    /// Demands that the helper `index` comes to wait.
    pub fn expect_blocked(&mut self, what: &str, index: usize) {
        let thread = self.thread(index);
        self.soon(what, || thread.state() == State::Blocked);
    }

    /// Demands that `condition` comes to hold, and waits for it.
    pub fn soon(&mut self, what: &str, mut condition: impl FnMut() -> bool) {
        let end = units::<S>(PATIENCE);
        while !self.verdict.failed() && !condition() {
            if Kernel::<S>::now() >= end {
                self.verdict.fail(format_args!("{what}: it has not come"));
            }
            S::pause();
        }
    }

    /// Demands that `condition` does not come to hold within a unit.
    pub fn never(&mut self, what: &str, mut condition: impl FnMut() -> bool) {
        let end = units::<S>(1);
        while !self.verdict.failed() && Kernel::<S>::now() < end {
            if condition() {
                self.verdict.fail(format_args!("{what}: it has come"));
            }
            S::pause();
        }
    }

    /// Creates the helper `index` with the priority `level` and starts it with `body`.
    pub fn start(&mut self, index: usize, level: u8, body: fn(&'static Helper<S>)) {
        self.create(index, level);
        self.go(index, body);
    }

    /// Creates each of these helpers with the priority `level` and starts it with `body`.
    pub fn start_each(&mut self, helpers: Range<usize>, level: u8, body: fn(&'static Helper<S>)) {
        for index in helpers {
            self.start(index, level, body);
        }
    }

    /// Creates and starts a helper for each of these priorities, from the helper `first` on. They
    /// tick for ever.
    pub fn start_spinning(&mut self, first: usize, levels: impl IntoIterator<Item = u8>) {
        for (index, level) in levels.into_iter().enumerate() {
            self.start(first + index, level, spin);
        }
    }

    /// Creates and starts a helper that may run on one processor only.
    pub fn start_on(
        &mut self,
        index: usize,
        level: u8,
        processor: usize,
        body: fn(&'static Helper<S>),
    ) {
        self.create(index, level);
        let set = self.thread(index).set_affinity(CpuSet::of(cpu(processor)));
        self.ok("affinity of a helper", set);
        self.go(index, body);
    }

    /// Creates and starts a helper of another instance.
    pub fn start_in(
        &mut self,
        index: usize,
        level: u8,
        name: [u8; 4],
        body: fn(&'static Helper<S>),
    ) {
        self.create(index, level);
        let moved = instance::<S>(name)
            .and_then(|instance| self.thread(index).move_to(instance, at(level)));
        self.ok("move of a helper", moved);
        self.go(index, body);
    }

    /// Creates the helper `index` with the priority `level`.
    pub fn create(&mut self, index: usize, level: u8) {
        let created = self.thread(index).create_as("helper", at(level));
        self.ok("creation of a helper", created);
    }

    /// Starts the helper `index`, which was created.
    pub fn go(&mut self, index: usize, body: fn(&'static Helper<S>)) {
        let helper = self.helper(index);
        let started = helper.thread().start_with(body, helper);
        self.ok("start of a helper", started);
    }

    /// Demands that the helper `index` runs, and from now on on these processors alone.
    pub fn expect_only_on(&mut self, what: &str, index: usize, processors: CpuSet) {
        let helper = self.helper(index);
        let mut runs = || {
            let ticks = helper.ticks();
            self.soon(what, || helper.ticks() > ticks.wrapping_add(2));
        };
        // It may have been about to tell where it was before.
        runs();
        helper.forget();
        runs();
        self.expect(what, helper.seen(), processors);
    }

    /// Demands that just these helpers come to run, each on a processor of its own, and that the
    /// others do not.
    pub fn expect_running(&mut self, what: &str, expected: &[usize]) {
        let executes =
            |index: usize| S::objects().helper(index).thread().state() == State::Executing;
        let as_expected = || (0..HELPERS).all(|index| executes(index) == expected.contains(&index));
        self.soon(what, as_expected);
        let mut before = [0; HELPERS];
        for (index, ticks) in before.iter_mut().enumerate() {
            *ticks = self.helper(index).ticks();
        }
        let has_run =
            |index: usize| S::objects().helper(index).ticks() > before[index].wrapping_add(2);
        self.soon(what, || expected.iter().all(|index| has_run(*index)));
        for (index, ticks) in before.into_iter().enumerate() {
            if !expected.contains(&index) {
                self.expect(what, self.helper(index).ticks(), ticks);
            }
        }
    }
}

/// The cases so far.
pub struct Tally<S> {
    policy: PolicyKind,
    subject: &'static str,
    count: Count,
    system: PhantomData<fn() -> S>,
}

impl<S: SeveralBoard> Tally<S> {
    /// No case so far.
    pub const fn new(policy: PolicyKind) -> Self {
        Self {
            policy,
            subject: "",
            count: Count::new(),
            system: PhantomData,
        }
    }

    /// The policy of the instances.
    pub fn policy(&self) -> PolicyKind {
        self.policy
    }

    /// Whether a thread may be bound to one processor, and others make room for it there.
    pub fn can_bind(&self) -> bool {
        // The weak form of affinity makes no room for a bound thread.
        matches!(
            self.policy,
            PolicyKind::Edf | PolicyKind::Cbs | PolicyKind::StrongAffinity
        )
    }

    /// Names the subject of the cases that follow.
    pub fn about(&mut self, subject: &'static str) {
        self.subject = subject;
    }

    /// Runs one case, from a fresh state of all objects. Checks that it left the main thread as it
    /// was, and the scheduler's invariants.
    pub fn case(&mut self, name: &'static str, body: fn(&mut Case<S>)) {
        let mut case = Case {
            policy: self.policy,
            verdict: Verdict::new(self.subject, name),
        };
        case.ok("objects as new before", S::objects().reset());
        body(&mut case);
        case.expect("laws of the scheduler", Kernel::<S>::check(), Ok(()));
        case.expect(
            "priorities of the main thread",
            AnyThread::<S>::current().priorities(),
            (at(MAIN), at(MAIN)),
        );
        let home = AnyThread::<S>::current().instance();
        case.expect("home of the main thread", home, instance::<S>(WORK));
        case.ok("end of time slices", Kernel::<S>::set_time_slice(None));
        case.ok("objects as new behind", S::objects().reset());
        self.count.add(&case.verdict);
    }

    /// Writes the numbers and ends the program.
    pub fn finish(self) -> ! {
        self.count.finish::<S>("several")
    }
}
