//! Owns: the rules of servers, and the assignment of processors to threads that have affinities.
//! Must never know: threads, helping, the running thread.

pub(crate) mod cbs;
pub(crate) mod matching;
mod members;

pub(crate) use members::Member;
