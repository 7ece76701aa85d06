//! Machines cut into partitions: from a file to what the hypervisor is handed.
//!
//! Owns: the configuration file and its checks, guests' device trees, the places in the machine's
//! memory, the emulator's command line.
//! Must never know: the building or fetching of images; the function of a guest.
//!
//! ```
//! use taktos_vm::Configuration;
//!
//! let text = r#"
//!     [[partition]]
//!     name   = "control"
//!     memory = "16 MiB"
//!     image  = "taktos:spacecraft"
//! "#;
//! let configuration = Configuration::parse(text, "one.toml")?;
//! assert_eq!(configuration.machine.cpus, 1);
//! assert_eq!(configuration.partitions[0].memory, 16 << 20);
//! # Ok::<(), taktos_vm::FileError>(())
//! ```
#![forbid(unsafe_code)]

pub mod configuration;
mod image;
mod plan;
mod tree;

pub use configuration::{
    Channel, Configuration, Device, Flavour, Image, Machine, Partition, Policy, Pool, Processor,
    Vcpu, Window,
};
pub use image::{Form, Sources};
pub use plan::{Error, Loaded, Place, Plan};
pub use taktos_simulate::file::FileError;
pub use tree::{Node, Value};
