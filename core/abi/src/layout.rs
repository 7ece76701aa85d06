//! What tools that look at a running image from outside know of a thread's control block: two of its words, whose places the
//! image tells by symbols.
//!
//! Owns: the meaning of these words, for the kernel and the laboratory. Must never know: who reads them, and how.

/// The symbol whose value is the offset of the pointer to a thread's information, which begins with its name.
pub const INFORMATION: &str = "taktos.layout.tcb_info";
/// The symbol whose value is the offset of the word with a thread's priorities and flags, which has 32 bits.
pub const URGENCY: &str = "taktos.layout.tcb_urgency";
/// The symbol whose value is the offset of the word that says what a thread waits for; it is 0 while that is nothing.
pub const WAIT: &str = "taktos.layout.tcb_wait";

/// The bits of the urgency that are the priority by which the thread is scheduled; 0 is the most urgent.
pub const EFFECTIVE: u32 = 0x3F;
/// The effective priority of a thread that only fills the time.
pub const IDLE: u32 = 32;
/// The flag of a thread that was suspended and not resumed.
pub const SUSPENDED: u32 = 1 << 24;
