//! Debian's Linux as a guest: fetched from the package mirror, packed for the emulator,
//! given its job, and its cyclictest read.
//!
//! Owns: the fetched files and their places ([`Linux`]), the initial RAM file system and its
//! script, the kernel's command line ([`command_line`]), the emulator's arguments for a native run
//! ([`native`]), the form of cyclictest's output ([`Cyclictest`]).
//! Must never know: hypervisors, partitions, experiments, goals for a latency.
//!
//! Nothing of Debian's is part of the project: the set-up step fetches it into the folder that it
//! is given, and Debian's signatures and digests are checked by apt.

#![forbid(unsafe_code)]

mod apt;
mod cpio;
mod cyclictest;
mod error;
mod image;
mod initramfs;
mod job;
mod manifest;
mod native;
mod setup;
mod sources;

pub use cyclictest::{Bin, Cyclictest, Thread};
pub use error::Error;
pub use image::ImageHeader;
pub use job::{Job, Test, command_line};
pub use manifest::Package;
pub use native::native;
pub use setup::{Kernel, Linux};
