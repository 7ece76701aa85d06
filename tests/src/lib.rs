//! Whole-system tests on the host machine.
