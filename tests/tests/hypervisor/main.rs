//! The hypervisor's core on the host's machine: its answers to a guest, partitions beside each
//! other, stress tests, and the simulator beside it.

mod agrees;
mod guest;
mod partitions;
mod storm;
