//! A system of instances that seats decide about, next to the oracle: the same calls in the same
//! order make the same threads run on the same processors.

mod board;
mod budgets;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod draw;
mod found;
mod locks;
mod mood;
mod pair;
mod plans;
mod processors;
#[path = "../common/storm.rs"]
mod storms;
mod stress;
