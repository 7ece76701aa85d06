//! Tests of what only the locks call, and of the bounds.

#[path = "../../../tests/common/mod.rs"]
mod common;
mod help;
mod steps;
