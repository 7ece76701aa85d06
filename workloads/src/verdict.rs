//! Owns: whether a case of a suite has failed, and the line that says so; how many cases did. Must
//! never know: what a case does.

use core::fmt::{Arguments, Debug};
use core::marker::PhantomData;
use taktos_kernel::System;
use taktos_kernel::fault::print;

/// State of a case.
pub struct Verdict<S> {
    subject: &'static str,
    name: &'static str,
    failed: bool,
    system: PhantomData<fn() -> S>,
}

impl<S: System> Verdict<S> {
    /// Nothing has failed in the case `name` of `subject`.
    pub const fn new(subject: &'static str, name: &'static str) -> Self {
        Self {
            subject,
            name,
            failed: false,
            system: PhantomData,
        }
    }

    /// Whether something has.
    pub const fn failed(&self) -> bool {
        self.failed
    }

    /// Demands that `found` is `expected`.
    #[inline(always)]
    pub fn expect<T: PartialEq<U> + Debug, U: Debug>(&mut self, what: &str, found: T, expected: U) {
        if found != expected {
            self.differs(what, &found, &expected);
        }
    }

    /// Apart, for there are a thousand places where something may differ.
    #[cold]
    #[inline(never)]
    fn differs(&mut self, what: &str, found: &dyn Debug, expected: &dyn Debug) {
        self.fail(format_args!(
            "{what}: expected {expected:?}, found {found:?}"
        ));
    }

    /// The case has failed, and says why the first time.
    pub fn fail(&mut self, how: Arguments<'_>) {
        if !self.failed {
            self.failed = true;
            let Self { subject, name, .. } = self;
            print::<S>(format_args!("FAILED {subject}: {name}: {how}\n"));
        }
    }
}

/// Number of cases of a suite, by their verdicts.
pub struct Count {
    passed: u32,
    failed: u32,
}

impl Count {
    /// No case so far.
    pub const fn new() -> Self {
        Self {
            passed: 0,
            failed: 0,
        }
    }

    /// Adds a case that has ended.
    pub fn add<S: System>(&mut self, verdict: &Verdict<S>) {
        if verdict.failed() {
            self.failed += 1;
        } else {
            self.passed += 1;
        }
    }

    /// Writes the numbers and ends the program: with status 0 if all passed, otherwise 1.
    pub fn finish<S: System>(self, suite: &str) -> ! {
        let Self { passed, failed } = self;
        print::<S>(format_args!("@{suite} passed {passed} failed {failed}\n"));
        print::<S>(format_args!("{passed} passed, {failed} failed\n"));
        S::exit(i32::from(failed > 0))
    }
}
