//! Nothing, under the name of a benchmark crate.
//!
//! Owns: the name. Must never know: anything.
//!
//! `ethercrab-wire-derive` 0.3.0, a macro crate, names criterion among the dependencies that it is
//! built with and uses it in benchmarks alone: two minutes of compiling for nothing, in each
//! workspace that has `ethercrab`. Its repository has a fix; until a release has it,
//! `[patch.crates-io]` in this workspace puts this crate there.
