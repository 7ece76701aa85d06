//! Owns: the parts of the probe.

mod interrupts;
mod processor;
mod sequence;
