//! The bench on which the rules of each scheduler are tested, one by one and by storms.

mod bench;
mod membership;
pub(crate) mod probe;

pub(crate) use bench::{Bench, MS, US, cpu, flat, set, vcpu};
pub(crate) use membership::check_refusals;
