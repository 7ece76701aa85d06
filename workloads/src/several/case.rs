//! Owns: how a case is run, how it waits, how it fails, and how cases are counted.

use super::objects::{Helper, instance, told};
use super::{HELPERS, MAIN, PATIENCE, PROCESSORS, SeveralBoard, WORK, units};
use crate::verdict::Verdict;
use core::fmt::Debug;
use core::marker::PhantomData;
use taktos_kernel::fault::print;
use taktos_kernel::{AnyThread, Cpu, CpuSet, Error, Kernel, PolicyKind, Priority, State};

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

impl<S: SeveralBoard> Case<S> {
    /// The policy of the instances.
    pub fn policy(&self) -> PolicyKind {
        self.policy
    }

    /// The helper `index`.
    pub fn helper(&self, index: usize) -> &'static Helper<S> {
        S::objects().helper(index)
    }

    /// Demands that `found` is `expected`. The first time that it is not, the case has failed and says so.
    pub fn expect<T: PartialEq<U> + Debug, U: Debug>(&mut self, what: &str, found: T, expected: U) {
        self.verdict.expect(what, found, expected);
    }

    /// Demands that a call succeeded.
    pub fn ok<T>(&mut self, what: &str, result: Result<T, Error>) {
        self.expect(what, result.map(|_| ()), Ok(()));
    }

    /// Demands that a call of the helper `index` ended so.
    pub fn expect_told<T>(&mut self, what: &str, index: usize, result: Result<T, Error>) {
        let helper = self.helper(index);
        self.soon(what, || helper.value() != 0);
        self.expect(what, helper.value(), told(result));
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

    /// The same for a helper that may run on one processor only.
    pub fn start_on(
        &mut self,
        index: usize,
        level: u8,
        processor: usize,
        body: fn(&'static Helper<S>),
    ) {
        self.create(index, level);
        let set = self
            .helper(index)
            .thread()
            .set_affinity(CpuSet::of(cpu(processor)));
        self.ok("affinity of a helper", set);
        self.go(index, body);
    }

    /// The same for a helper of another instance.
    pub fn start_in(
        &mut self,
        index: usize,
        level: u8,
        name: [u8; 4],
        body: fn(&'static Helper<S>),
    ) {
        self.create(index, level);
        let moved = instance::<S>(name)
            .and_then(|instance| self.helper(index).thread().move_to(instance, at(level)));
        self.ok("move of a helper", moved);
        self.go(index, body);
    }

    /// Creates the helper `index` with the priority `level`.
    pub fn create(&mut self, index: usize, level: u8) {
        let created = self.helper(index).thread().create_as("helper", at(level));
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

    /// Demands that just these helpers come to run, each on a processor of its own, and that the others do not.
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
    passed: u32,
    failed: u32,
    system: PhantomData<fn() -> S>,
}

impl<S: SeveralBoard> Tally<S> {
    /// No case so far.
    pub const fn new(policy: PolicyKind) -> Self {
        Self {
            policy,
            passed: 0,
            failed: 0,
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

    /// Runs one case, from a fresh state of all objects, and checks that it left the main thread as it was, and the
    /// scheduler by its laws.
    pub fn case(&mut self, name: &'static str, body: fn(&mut Case<S>)) {
        let mut case = Case {
            policy: self.policy,
            verdict: Verdict::new(name),
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
        if case.verdict.failed() {
            self.failed += 1;
        } else {
            self.passed += 1;
        }
    }

    /// Writes the numbers and ends the program.
    pub fn finish(self) -> ! {
        let Self { passed, failed, .. } = self;
        print::<S>(format_args!("@several passed {passed} failed {failed}\n"));
        print::<S>(format_args!("{passed} passed, {failed} failed\n"));
        S::exit(i32::from(failed > 0))
    }
}
