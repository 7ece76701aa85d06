//! Owns: the parts of the probe.

mod interrupts;
mod processor;
#[path = "../../../../../virt-aarch64/src/bin/probe/target/sequence.rs"]
mod sequence;
