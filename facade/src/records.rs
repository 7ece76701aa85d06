//! The crate [`defmt`], with the feature `defmt` of this crate: records are in memory, where a
//! probe fetches them (RTT). On the host they are dropped.
//!
//! Owns: the time of a record, and where records go. Must never know: the code that logs.

use crate::Kernel;
use crate::board::Board;

// The ring in memory, unless that is a channel of the console.
#[cfg(all(
    target_os = "none",
    any(
        not(feature = "chip"),
        feature = "semihosting",
        feature = "own-console"
    )
))]
use defmt_rtt as _;

defmt::timestamp!("{=u64:us}", Kernel::<Board>::now().as_nanos() / 1_000);

/// Nowhere: a test has the crate `log`, or prints.
#[cfg(not(target_os = "none"))]
mod nowhere {
    #![expect(unsafe_code, reason = "the interface of another crate")]

    #[defmt::global_logger]
    struct Nowhere;

    // SAFETY: what is not kept need not be kept apart.
    unsafe impl defmt::Logger for Nowhere {
        fn acquire() {}

        unsafe fn flush() {}

        unsafe fn release() {}

        unsafe fn write(_: &[u8]) {}
    }
}
