//! The policies of virtual processors, in virtual time: each by itself, all in pools, and in stress
//! tests.
//!
//! One program, so that the world that all of them run in is compiled once.

mod credit;
mod credit2;
mod guarantee;
mod naive;
mod pools;
mod random_run;
mod rtds;
mod sedf;
mod shares;
mod storms;
mod windows;
mod world;
