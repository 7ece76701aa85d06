//! Owns: the order of simultaneous events.
//! Must never know: the effect of an event.
//!
//! Events are ordered by time; at the same time by class, in the order below; within a class by
//! processor, or by task. If several tasks end a wait for a release, or a suspension, at one
//! instant, the one that began to wait first is the first, as in the kernel. Of those that began
//! together, the first of the workload is the first. So a run is one well-defined sequence on every
//! machine. Work that ends at an instant ends before anything new begins, and a job that is done at
//! its deadline meets it. A processor looks for its heir after all other events of the instant, so
//! tasks that are released together are weighed together.

/// Kind of event, and the order of simultaneous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Class {
    /// The step that a processor executes is over.
    StepEnd,
    /// The budget of the thread that a processor executes is used up.
    Budget,
    /// The time slice of the thread that a processor executes is used up.
    Slice,
    /// A suspension is over, or a job's deadline has come at which it is given up.
    Timer,
    /// A job is released.
    Release,
    /// A processor looks for its heir.
    Dispatch,
}

/// Bits of a key that hold the class.
const BITS: u32 = 3;

/// The keys of what never happens are this and above.
pub(crate) const UNSET: u64 = u64::MAX << BITS;

/// Time and class in one number. From 2⁶¹ − 1 on, [`super::tournament::NEVER`] among
/// them, times are never: then the key is [`UNSET`] or above.
#[inline(always)]
pub(crate) fn key(at: u64, class: Class) -> u64 {
    at.min(u64::MAX >> BITS) << BITS | class as u64
}

/// The time of a key.
#[inline(always)]
pub(crate) const fn time_of(key: u64) -> u64 {
    key >> BITS
}

/// The class of a processor's key.
#[inline(always)]
pub(crate) const fn class_of(key: u64) -> Class {
    match key & ((1 << BITS) - 1) {
        0 => Class::StepEnd,
        1 => Class::Budget,
        2 => Class::Slice,
        3 => Class::Timer,
        4 => Class::Release,
        _ => Class::Dispatch,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tournament::NEVER;
    use super::*;

    #[test]
    fn time_comes_first_and_class_second() {
        assert!(key(7, Class::Dispatch) < key(8, Class::StepEnd));
        assert!(key(7, Class::StepEnd) < key(7, Class::Release));
        assert_eq!(key(NEVER, Class::StepEnd), UNSET);
        assert_eq!(key(1 << 62, Class::StepEnd), UNSET);
        assert!(key((1 << 61) - 2, Class::Dispatch) < UNSET);
        for class in [
            Class::StepEnd,
            Class::Budget,
            Class::Slice,
            Class::Timer,
            Class::Release,
            Class::Dispatch,
        ] {
            let key = key(1 << 60, class);
            assert_eq!((time_of(key), class_of(key)), (1 << 60, class));
        }
    }
}
