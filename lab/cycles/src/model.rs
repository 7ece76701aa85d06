//! The processors: the cost of each class of instruction, with the document and the section that
//! states it.

pub mod cortex_a53;
pub mod cortex_a8;
pub mod cortex_m0;
pub mod cortex_m3;
pub mod cortex_m4;
pub mod u54;

/// Cycles of events that belong to no single instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Events {
    /// Added to a control transfer that is taken.
    pub transfer: u32,
    /// From the last instruction before an exception to its handler's first.
    pub entry: u32,
    /// From the handler's last instruction to the next of what was interrupted.
    pub exit: u32,
    /// From one handler's last instruction to the next handler's first.
    pub chain: u32,
}
