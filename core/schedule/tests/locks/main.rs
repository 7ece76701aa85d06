//! The locking protocols, from outside: statuses, the scenarios of spec 01.

mod mutex;
mod statuses;
mod world;
