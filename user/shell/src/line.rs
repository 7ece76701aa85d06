//! Owns: lines for the shell: a serial device of the kernel's, and a console that is read by
//! looking. Must never know: which device it is.

use core::marker::PhantomData;
use embedded_io::{ErrorKind, ErrorType, Read, Write};
use taktos_kernel::{AnyThread, Duration, Error, OpenDevice, System, Timeout};

/// An error of the kernel's as one of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineError(pub Error);

impl core::fmt::Display for LineError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for LineError {}

impl embedded_io::Error for LineError {
    fn kind(&self) -> ErrorKind {
        match self.0 {
            Error::Timeout => ErrorKind::TimedOut,
            Error::Cancelled => ErrorKind::Interrupted,
            Error::Deleted => ErrorKind::NotConnected,
            _ => ErrorKind::Other,
        }
    }
}

/// The longest wait for room on the line: a line that takes nothing for so long has failed.
const LONGEST_WRITE: Duration = Duration::from_secs(10);

/// A serial device that is open. Reads wait for the first byte, writes until all is on its way.
pub struct DeviceLine<S: System>(pub OpenDevice<S>);

impl<S: System> ErrorType for DeviceLine<S> {
    type Error = LineError;
}

impl<S: System> Read for DeviceLine<S> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, LineError> {
        self.0.read(bytes, Timeout::FOREVER).map_err(LineError)
    }
}

impl<S: System> Write for DeviceLine<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, LineError> {
        let timeout = Timeout::after(LONGEST_WRITE);
        self.0.write(bytes, timeout).map_err(LineError)
    }

    /// Bytes are on their way; the line sends them without a further call.
    fn flush(&mut self) -> Result<(), LineError> {
        Ok(())
    }
}

/// The board's console for output, and a function that reads without waiting, such as a chip's
/// `taktos::board::read_console`. The thread looks for bytes again and again, and sleeps between.
pub struct PolledLine<S> {
    read: fn(&mut [u8]) -> usize,
    every: Duration,
    system: PhantomData<fn() -> S>,
}

impl<S: System> PolledLine<S> {
    /// A line that looks for bytes by `read`, and sleeps for `every` if there are none.
    pub const fn new(read: fn(&mut [u8]) -> usize, every: Duration) -> Self {
        Self {
            read,
            every,
            system: PhantomData,
        }
    }
}

impl<S: System> ErrorType for PolledLine<S> {
    type Error = LineError;
}

impl<S: System> Read for PolledLine<S> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, LineError> {
        loop {
            match (self.read)(bytes) {
                0 if !bytes.is_empty() => {
                    AnyThread::<S>::sleep(self.every).map_err(LineError)?;
                }
                read => return Ok(read),
            }
        }
    }
}

impl<S: System> Write for PolledLine<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, LineError> {
        match core::str::from_utf8(bytes) {
            Ok(text) => S::write(text),
            Err(_) => return Err(LineError(Error::Parameter)),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), LineError> {
        Ok(())
    }
}
