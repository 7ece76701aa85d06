//! The locking protocols, from outside: statuses, the scenarios of spec 01, random stress tests,
//! the published bounds of blocking.

mod bounds;
mod ceiling;
mod company;
mod lists;
mod mrsp;
mod mutex;
mod random;
mod statuses;
mod storm;
mod storm_laws;
#[path = "../../../locks/turns.rs"]
mod turns;
mod workload;
mod world;
