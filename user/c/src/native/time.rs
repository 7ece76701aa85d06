//! Time: nanoseconds since the start, in 64 bits.

use super::{Code, Time, code, native, timeout};
use taktos::board::Board;
use taktos::{AnyThread, Duration, Kernel};

native! {
    /// The nanoseconds since the start. Allowed in handlers.
    fn taktos_now() -> u64 {
        Kernel::<Board>::now().as_nanos()
    }

    /// Does nothing for a time, or until an instant. Errors: Cancelled; Context in a handler.
    fn taktos_sleep(time: Time) -> Code {
        code(AnyThread::<Board>::sleep(timeout(time)))
    }

    /// The length of the turns of threads of one priority, in nanoseconds; none where it is 0.
    fn taktos_set_time_slice(length: u64) -> Code {
        let length = (length > 0).then(|| Duration::from_nanos(length));
        code(Kernel::<Board>::set_time_slice(length))
    }
}
