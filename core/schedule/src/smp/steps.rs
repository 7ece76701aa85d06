//! Owns: the count of steps that the tests hold against the documented bounds. Outside of tests it
//! is nothing.

#[cfg(test)]
extern crate std;

#[cfg(test)]
std::thread_local! {
    static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// A link followed, a comparison made.
#[inline(always)]
pub(crate) fn step() {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// The steps that `operation` took, in this thread of the tests.
#[cfg(test)]
pub(crate) fn counted<T>(operation: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.with(core::cell::Cell::get);
    let value = operation();
    (value, STEPS.with(core::cell::Cell::get) - before)
}
