//! Devices: one interface for drivers, whatever the device: open, read, write, control, close.
//!
//! A watchdog, which no thread reads or writes, has an interface of its own.
//!
//! Owns: the openings of a device. Must never know: the purpose of a device.

mod timer;
mod uart;
mod watchdog;

pub use timer::TimerDevice;
pub use uart::{Uart, UartPort};
pub use watchdog::{Watchdog, WatchdogPart, WatchdogPort};

use crate::critical_section::Guarded;
use crate::object::Semaphore;
use crate::object::mutex::Mutex;
use crate::sched::hold;
use crate::{Error, System, Timeout};
use taktos_machine::Machine;

/// The operations of a driver for a [`Device`]. A driver is a static. The calls come from threads,
/// several at a time if several have the device open or share one opening; [`Driver::open`] and
/// [`Driver::close`] come one at a time.
pub trait Driver<S: System>: Sync {
    /// Makes the device ready for the first thread that opens it.
    fn open(&'static self) -> Result<(), Error> {
        Ok(())
    }

    /// Ends the use of the device: no thread has it open any more. Threads that wait in a call of
    /// the driver resume with `Deleted`.
    fn close(&'static self) {}

    /// Reads into `bytes`; waits, as long as `timeout` says, until there is something. The answer
    /// is how many bytes were read. Errors: `State` where there is nothing to read from.
    fn read(&'static self, bytes: &mut [u8], timeout: Timeout) -> Result<usize, Error> {
        let _ = (bytes, timeout);
        Err(Error::State)
    }

    /// Writes from `bytes`; waits, as long as `timeout` says, until all are taken. The answer is
    /// how many bytes were written. Errors: `State` where there is nothing to write to.
    fn write(&'static self, bytes: &[u8], timeout: Timeout) -> Result<usize, Error> {
        let _ = (bytes, timeout);
        Err(Error::State)
    }

    /// Does what the driver says is `request`. Errors: `Parameter` for one that it does not know.
    fn control(&'static self, request: u32, argument: usize) -> Result<usize, Error> {
        let _ = (request, argument);
        Err(Error::Parameter)
    }
}

/// A device: a driver, and the openings. Made to be a static; with a [`Names`](crate::Names) it is
/// found by its name.
pub struct Device<S: System> {
    driver: &'static dyn Driver<S>,
    /// A permit for each that may still open it.
    seats: Semaphore<S>,
    most: u32,
    /// Held while the driver opens and closes.
    changing: Mutex<S>,
    openings: Guarded<Openings>,
}

/// The openings of a device.
#[derive(Clone, Copy)]
struct Openings {
    count: u32,
    /// How often the device was deleted: openings of before are none.
    generation: u32,
}

impl<S: System> Device<S> {
    /// A device that one at a time has open.
    pub const fn new(driver: &'static dyn Driver<S>) -> Self {
        Self::shared(driver, 1)
    }

    /// A device that at most `most` have open at a time.
    ///
    /// # Panics
    /// If `most` is 0: for a static, when it is compiled.
    pub const fn shared(driver: &'static dyn Driver<S>, most: u32) -> Self {
        Self {
            driver,
            seats: Semaphore::with_limit(most, most),
            most,
            changing: Mutex::new(),
            openings: Guarded::new(Openings {
                count: 0,
                generation: 0,
            }),
        }
    }

    /// Opens the device; waits, as long as `timeout` says, while as many as may have it open.
    ///
    /// Bound without waiting: fixed, and the driver's for the first. Errors: `Timeout`,
    /// `WouldBlock`, `Deleted`, `Cancelled`, the driver's; `Context` in an interrupt handler.
    pub fn open(&'static self, timeout: Timeout) -> Result<OpenDevice<S>, Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        self.seats.take(timeout)?;
        let opened = self.begin();
        if opened.is_err() {
            // A deleted device cannot be opened.
            let _ = self.seats.give();
        }
        opened
    }

    /// How many have the device open. Allowed in interrupt handlers. Bound: fixed.
    pub fn openings(&'static self) -> u32 {
        self.now().count
    }

    /// Deletes the device: it is closed for all threads that have it open; its driver decides how
    /// reads and writes end. No thread can open it any more. Threads that wait to open it get
    /// `Deleted`, and so does each later call by a thread that had it open. It is also how to take
    /// the device from a thread that has ended.
    ///
    /// Bound: one wake a waiter, and the driver's. Errors: `Deleted` if it is already; `Context` in
    /// an interrupt handler.
    pub fn delete(&'static self) -> Result<(), Error> {
        self.changing.lock(Timeout::FOREVER)?;
        let deleted = self.seats.delete();
        if deleted.is_ok() {
            let before = self.now();
            self.set(Openings {
                count: 0,
                generation: before.generation.wrapping_add(1),
            });
            if before.count > 0 {
                self.driver.close();
            }
        }
        self.changing.unlock()?;
        deleted
    }

    /// Makes a deleted device usable again, as one without openings. Bound: fixed. Errors: `State`
    /// if it is not deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        self.seats.renew(self.most, self.most)
    }

    fn now(&'static self) -> Openings {
        self.openings.get(hold::<S>().section())
    }

    fn set(&'static self, openings: Openings) {
        self.openings.set(hold::<S>().section(), openings);
    }

    fn begin(&'static self) -> Result<OpenDevice<S>, Error> {
        self.changing.lock(Timeout::FOREVER)?;
        let Openings { count, generation } = self.now();
        let opened = if count == 0 {
            self.driver.open()
        } else {
            Ok(())
        };
        if opened.is_ok() {
            self.set(Openings {
                count: count + 1,
                generation,
            });
        }
        self.changing.unlock()?;
        opened.map(|()| OpenDevice {
            device: self,
            generation,
        })
    }

    fn end(&'static self, opened: u32) -> Result<(), Error> {
        // A thread with a cancelled wait closes all the same.
        while self.changing.lock(Timeout::FOREVER) == Err(Error::Cancelled) {}
        let Openings { count, generation } = self.now();
        if opened == generation {
            self.set(Openings {
                count: count - 1,
                generation,
            });
            if count == 1 {
                self.driver.close();
            }
        }
        self.changing.unlock()?;
        if opened == generation {
            self.seats.give()?;
        }
        Ok(())
    }
}

/// A device that is open, until this is dropped. It can be shared by references.
pub struct OpenDevice<S: System> {
    device: &'static Device<S>,
    generation: u32,
}

impl<S: System> OpenDevice<S> {
    /// Reads into `bytes`; waits, as long as `timeout` says, until there is something. The answer
    /// is how many bytes were read. Bound and errors: the driver's, `State` where there is
    /// nothing to read from; `Timeout`, `WouldBlock`, `Cancelled`; `Deleted` where the
    /// device was deleted, or closed for all while this waits.
    pub fn read(&self, bytes: &mut [u8], timeout: Timeout) -> Result<usize, Error> {
        self.driver()?.read(bytes, timeout)
    }

    /// Writes from `bytes`; waits, as long as `timeout` says, until all are taken. The answer is
    /// how many bytes were written: fewer where the time was over. Bound and errors: as
    /// [`OpenDevice::read`].
    pub fn write(&self, bytes: &[u8], timeout: Timeout) -> Result<usize, Error> {
        self.driver()?.write(bytes, timeout)
    }

    /// Does what the driver says is `request`. Bound and errors: the driver's; `Parameter` for what
    /// it does not know.
    pub fn control(&self, request: u32, argument: usize) -> Result<usize, Error> {
        self.driver()?.control(request, argument)
    }

    /// Closes the device: the same as to drop this.
    pub fn close(self) {}

    /// The driver, unless the device was deleted meanwhile.
    fn driver(&self) -> Result<&'static dyn Driver<S>, Error> {
        if self.device.now().generation == self.generation {
            Ok(self.device.driver)
        } else {
            Err(Error::Deleted)
        }
    }
}

impl<S: System> Drop for OpenDevice<S> {
    fn drop(&mut self) {
        // The mutex is never deleted, and its owner unlocks it.
        let _ = self.device.end(self.generation);
    }
}

/// Wakes the threads that wait at an object of a driver: it is deleted, and made as new.
fn renew(_: Result<(), Error>, renew: impl FnOnce() -> Result<(), Error>) {
    let renewed = renew();
    debug_assert!(renewed.is_ok());
}
