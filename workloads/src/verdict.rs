//! Owns: whether a case of a suite has failed, and the line that says so. Must never know: what a case does.

use core::fmt::{Arguments, Debug};
use core::marker::PhantomData;
use taktos_kernel::System;
use taktos_kernel::fault::print;

/// How a case stands.
pub struct Verdict<S> {
    name: &'static str,
    failed: bool,
    system: PhantomData<fn() -> S>,
}

impl<S: System> Verdict<S> {
    /// Nothing has failed in the case `name`.
    pub const fn new(name: &'static str) -> Self {
        Self {
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
            print::<S>(format_args!("FAILED {}: {how}\n", self.name));
        }
    }
}
