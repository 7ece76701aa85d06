//! A segment of EtherCAT SubDevices as a pure function of a frame and an instant:
//! [`Segment::pass`].
//!
//! Owns: the answers of a SubDevice controller and its application, and the instant at which the
//! frame is back. Must never know: the sender of the frames, the caller's clock, nor anything of
//! the rest of the project. There is no clock, no heap and no global state: equal frames at equal
//! instants give equal answers on the host, in a partition and at a socket.
//!
//! The terms are those of the EtherCAT standard: ETG.1000 (IEC 61158-x-12), ETG.1020 (protocol
//! enhancements), ETG.2010 (the SII's contents), and of the register description of the controllers
//! (Beckhoff, "EtherCAT Slave Controller", sections I to III, called "the datasheet" here).
//!
//! Not modelled: forks (each SubDevice has one port towards the MainDevice and one away from it),
//! the latch unit, and the interrupt field of datagrams.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod al;
mod application;
mod bytes;
mod clock;
mod coe;
mod datagram;
mod description;
mod device;
mod dictionary;
mod drive;
mod fault;
mod fmmu;
mod foe;
mod mailbox;
mod memory;
mod model;
mod packed;
mod ports;
mod registers;
mod reply;
mod sdo;
mod sdo_information;
mod segment;
mod sii;
mod sii_contents;
mod standard;
mod state;
mod statistics;
mod sync_manager;
mod sync_signals;
mod table;
mod watchdog;

pub use clock::Oscillator;
pub use description::{Description, DescriptionError, Problem};
pub use device::Device;
pub use fault::Fault;
pub use model::{
    Access, Behaviour, Delays, Direction, Entry, Mailbox, Model, Object, Pdo, SyncManager,
    SyncManagerKind,
};
pub use segment::Segment;
pub use standard::{STANDARD_DEVICES, standard};
pub use state::State;
pub use statistics::Statistics;
pub use table::Table;
