//! What a hypervisor, its guests and the tool that starts them share.
//!
//! Owns: the machine's description as the tool hands it over ([`Description`]), where things
//! lie in a guest's address space ([`layout`]), the hypercalls ([`call`]), the rings in a channel's memory
//! ([`ring`]).
//! Must never know: registers; how partitions are scheduled or guests are built.

pub mod call;
pub mod layout;
pub mod ring;

mod check;
mod codec;
mod description;
#[cfg(test)]
mod tests;

pub use check::{Fault, Kind};
pub use codec::{DecodeError, EncodeError};

pub use description::{
    Channel, Description, Device, End, Linkage, OnStop, Partition, Policy, Pool, Segment, Server,
    VcpuRecord, Wait, Window,
};
