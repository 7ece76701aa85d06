//! The simulator against exact schedules, naive models, published laws and scripts.

mod against_naive;
mod common;
mod exact;
mod guests;
mod hostile;
mod laws;
mod locks;
mod oracles_fixed;
mod oracles_several;
mod scenarios;
mod storms;
