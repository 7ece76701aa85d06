//! Owns: the numbers of the calls that a guest makes (`HVC #0`, by the SMC Calling Convention,
//! Arm DEN0028: number in x0, arguments in x1.., answer in x0..x3).
//! Must never know: what they do inside.
//!
//! All other numbers are answered by [`NOT_SUPPORTED`]. PSCI (Arm DEN0022) has its own.

/// Says which version of these calls there is: 1.
pub const VERSION: u32 = 0xC600_0000;
/// Rings the doorbell of channel x1: its other end gets the channel's interrupt. Answers
/// [`SUCCESS`] or [`INVALID`] (no such channel, or not the caller's).
pub const DOORBELL: u32 = 0xC600_0001;
/// Does nothing: what a call costs.
pub const NOTHING: u32 = 0xC600_0002;
/// Answers the number of the partition and, in x1, how often it has been started.
pub const WHO: u32 = 0xC600_0003;
/// Lets others run first once (the policy's yield).
pub const YIELD: u32 = 0xC600_0004;
/// Raises the doorbell of channel x1 at the caller itself: what an interrupt costs.
pub const RING_SELF: u32 = 0xC600_0005;
/// Reports which end of channel x1 is the caller's. Returns [`SUCCESS`], the end (0 or 1) in x1,
/// and the size of its memory in bytes in x2. Returns [`INVALID`] if there is no such channel, or
/// if the caller does not see its memory.
pub const CHANNEL: u32 = 0xC600_0006;

/// The answer when all is well.
pub const SUCCESS: u64 = 0;
/// The answer to a number that is not known (−1).
pub const NOT_SUPPORTED: u64 = u64::MAX;
/// The answer to arguments that name nothing (−2).
pub const INVALID: u64 = u64::MAX - 1;
