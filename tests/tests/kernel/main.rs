//! The kernel on the host: its suites, models and stress tests on one simulated processor and on
//! several.
//!
//! One program, so that the kernel is compiled for the host's machines once.

mod budgets;
mod budgets_several;
mod experiments;
mod heap;
mod idle;
mod machine;
mod model;
mod orders_several;
mod periods;
mod raw;
mod scenarios;
mod several;
mod several_bench;
mod several_suite;
mod storm_several;
mod suite;
mod supervisor;
mod user_mode;
mod watchdog;
