//! Owns: the standard's codes, and which the kernel's errors are. Must never know: the calls.

use taktos::Error;
use taktos_kernel::Told;

/// Return value of a call: `osStatus_t`.
pub type Status = i32;

/// The call succeeded.
pub const OK: Status = 0;
/// Another error.
pub const ERROR: Status = -1;
/// The time given has passed.
pub const TIMEOUT: Status = -2;
/// Not available now.
pub const RESOURCE: Status = -3;
/// An argument is out of range, or no object.
pub const PARAMETER: Status = -4;
/// Not allowed in an interrupt handler.
pub const ISR: Status = -6;

/// The code for what a kernel call came to.
#[inline(always)]
pub fn status(result: Result<(), Error>) -> Status {
    match result {
        Ok(()) => OK,
        Err(error) => code(error),
    }
}

/// Numbers by which errors are reported to callers of the standard's functions.
pub struct Statuses;

impl Told for Statuses {
    fn word(error: Error) -> Status {
        code(error)
    }
}

/// Returns the code of an error. A wait that another thread has ended counts as timed out.
#[cold]
pub fn code(error: Error) -> Status {
    match error {
        Error::Timeout | Error::Cancelled => TIMEOUT,
        Error::Parameter => PARAMETER,
        _ => RESOURCE,
    }
}
