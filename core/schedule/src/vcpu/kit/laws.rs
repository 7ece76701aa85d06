//! Owns: the form in which the invariants of a scheduler's state are stated.
//! Must never know: an invariant.

/// Returns from a check with the first law of a table that does not hold, as a
/// [`Violation`](crate::vcpu::Violation) by the unit and the processor that are named first.
macro_rules! laws {
    ($vcpu:expr, $cpu:expr; $($holds:expr => $law:literal),+ $(,)?) => {$(
        $crate::vcpu::Violation::unless($holds, $law, $vcpu, $cpu)?;
    )+};
}

pub(crate) use laws;
