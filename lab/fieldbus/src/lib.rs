//! ESI files (ETG.2000): a maker's description of its EtherCAT devices, read into what the segment plays.
//!
//! Owns: the way from XML to [`taktos_segment::Description`], and a segment behind a socket. Must never know the laboratory's machines.
//!
//! A SubDevice is played by what its description says of its registers, mailbox, process data and objects. What its application
//! does with the process data stands in no ESI file: [`Device::behaviour`] is what is assumed, and a caller may say otherwise.
#![forbid(unsafe_code)]

mod describe;
mod device;
mod dictionary;
mod error;
mod esi;
mod number;
mod process_data;
mod socket;
mod xml;

pub use describe::{Placed, describe};
pub use device::{Device, OpMode};
pub use error::EsiError;
pub use esi::Esi;
pub use process_data::{Entry, Pdo};
pub use socket::{Played, devices_of, play};
/// What a description says beside an ESI file, and why there can be none; the segment of those who have none.
pub use taktos_segment::{Behaviour, Delays, DescriptionError, Oscillator, State, standard};
