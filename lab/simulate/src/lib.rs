//! The scheduling library in virtual time.
//!
//! Owns: workloads, events, costs and statistics of a simulation.
//! Must never know: how to decide who runs; that is `taktos-schedule`'s, unchanged.
#![forbid(unsafe_code)]
