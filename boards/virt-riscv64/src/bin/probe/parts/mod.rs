//! Owns: the parts of the probe.

mod interrupts;
mod processor;
#[path = "../../../../../../workloads/ports/probe/sequence.rs"]
mod sequence;
