//! Tests of rules one by one: some of them do what only locks do.

mod affinity;
mod budget;
#[path = "../../tests/common/mod.rs"]
mod common;
mod help;
