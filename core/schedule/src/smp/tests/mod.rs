//! Tests of what only the locks call, and of the bounds.

#[path = "../../../tests/common/mod.rs"]
mod common;
mod help;
// Steps are counted, which are the same in the interpreter.
#[cfg(not(miri))]
mod steps;
