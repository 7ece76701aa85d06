//! Data that a hypervisor, its guests and the tool that starts them share.
//!
//! Owns: the machine's description as the tool transfers it ([`Description`]), the layout of a
//! guest's address space ([`layout`]), the hypercalls ([`call`]), the rings in a channel's memory
//! ([`ring`]).
//! Must never know: registers; the scheduling of partitions; the building of guests.

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
