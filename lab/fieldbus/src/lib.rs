//! ESI files (ETG.2000): a maker's description of its EtherCAT devices, read into what the segment
//! plays.
//!
//! Owns: the conversion of XML to [`taktos_segment::Description`], and a segment at a socket. Must
//! never know: the laboratory's machines.
//!
//! A SubDevice is played by what its description says of its registers, mailbox, process data and
//! objects. No ESI file states the application's use of the process data: [`Device::behaviour`] is
//! the assumption, and a caller may choose another.
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
/// Further parts of a description in addition to an ESI file, and the error if there can be none;
/// the segment for users without a description.
pub use taktos_segment::{Behaviour, Delays, DescriptionError, Oscillator, State, standard};
