//! Owns: barriers, at which threads wait for each other; spin locks. Must never know: for what.

use super::attributes::require;
use super::cancel::{handle_signals, is_cancelled_anywhere, until_signal};
use super::code;
use super::errno::Errno;
use super::place::{Kind, Place, fits};
use super::rwlock::{self, Shared};
use crate::cmsis::interface;
use crate::os::in_handler;
use core::cell::Cell;
use core::ffi::{c_int, c_uint};
use taktos::board::Board;
use taktos::{Condition, Error, Mutex, Timeout};

/// `PTHREAD_BARRIER_SERIAL_THREAD`.
const SERIAL_THREAD: c_int = -1;

/// `pthread_barrier_t`.
pub struct Barrier {
    /// Guards the rest.
    mutex: Mutex<Board>,
    all_are_there: Condition<Board>,
    count: c_uint,
    waiting: Cell<c_uint>,
    /// Number of threads in a call: those that wait, and those that leave.
    inside: Cell<c_uint>,
    /// How often all were there.
    round: Cell<u32>,
}

impl Kind for Barrier {
    const ALIVE: u32 = u32::from_be_bytes(*b"PBAR");
    const STATIC: Option<Self> = None;
}

const _: () = assert!(fits::<Barrier>(if size_of::<usize>() == 4 {
    8 + 5
} else {
    11 + 7
}));

impl Barrier {
    /// Waits until all are there; says whether the caller was the last one.
    fn wait(&'static self) -> Result<bool, Errno> {
        require(!in_handler(), Errno::PERM)?;
        self.mutex.lock(Timeout::FOREVER)?;
        let round = self.round.get();
        self.waiting.update(|count| count + 1);
        self.inside.update(|count| count + 1);
        let is_last = self.waiting.get() == self.count;
        if is_last {
            self.waiting.set(0);
            self.round.set(round.wrapping_add(1));
            let _ = self.all_are_there.broadcast();
        }
        while self.round.get() == round {
            let wait = || self.all_are_there.wait(&self.mutex, Timeout::FOREVER);
            if until_signal(wait) == Err(Error::Cancelled) {
                // A thread that ends here counts as if it had never arrived.
                if is_cancelled_anywhere() && self.round.get() == round {
                    self.waiting.update(|count| count - 1);
                    self.leave();
                }
                // The others do not wait for a handler.
                self.mutex.unlock()?;
                handle_signals();
                self.mutex.lock(Timeout::FOREVER)?;
            }
        }
        self.leave();
        self.mutex.unlock()?;
        Ok(is_last)
    }

    /// Counts the caller as leaving: a thread that destroys the barrier waits for the last one.
    fn leave(&'static self) {
        self.inside.update(|count| count - 1);
        if self.inside.get() == 0 {
            let _ = self.all_are_there.broadcast();
        }
    }

    /// Waits until the released threads have left. Errors: `EBUSY` while threads wait for others.
    fn wait_until_left(&'static self) -> Result<(), Errno> {
        require(!in_handler(), Errno::PERM)?;
        self.mutex.lock(Timeout::FOREVER)?;
        while self.inside.get() > 0 && self.waiting.get() == 0 {
            let _ = self.all_are_there.wait(&self.mutex, Timeout::FOREVER);
        }
        let is_in_use = self.waiting.get() > 0;
        self.mutex.unlock()?;
        require(!is_in_use, Errno::BUSY)
    }
}

/// `pthread_spinlock_t`: on one processor no thread gains by spinning, so it is a mutex with
/// inheritance of priorities.
pub struct Spin(Mutex<Board>);

impl Kind for Spin {
    const ALIVE: u32 = u32::from_be_bytes(*b"PSPN");
    const STATIC: Option<Self> = None;
}

const _: () = assert!(fits::<Spin>(if size_of::<usize>() == 4 { 8 } else { 11 }));

interface! {
    /// Makes a barrier for `count` threads. `EINVAL` for none.
    fn pthread_barrier_init(place: *mut Place<Barrier>, attributes: *const Place<Shared>, count: c_uint) -> c_int {
        let barrier = Barrier {
            mutex: Mutex::new(),
            all_are_there: Condition::new(),
            count,
            waiting: Cell::new(0),
            inside: Cell::new(0),
            round: Cell::new(0),
        };
        code(require(count > 0, Errno::INVAL)
            // SAFETY: the caller guarantees that `attributes` is null or a variable of its type.
            .and_then(|()| unsafe { rwlock::check(attributes) })
            // SAFETY: the caller guarantees that `place` is null or a variable that no other code
            // uses.
            .and_then(|()| unsafe { Place::make(place, barrier) }))
    }

    /// Destroys a barrier. `EBUSY` while threads wait.
    fn pthread_barrier_destroy(place: *mut Place<Barrier>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|barrier: &Barrier| {
            barrier.wait_until_left()?;
            // SAFETY: as above.
            unsafe { Place::destroy(place) };
            Ok(())
        }))
    }

    /// Waits until all are there: one of them gets `PTHREAD_BARRIER_SERIAL_THREAD`. `EPERM` in a
    /// handler.
    fn pthread_barrier_wait(place: *mut Place<Barrier>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        match unsafe { Place::object(place) }.and_then(Barrier::wait) {
            Ok(true) => SERIAL_THREAD,
            result => code(result.map(|_| ())),
        }
    }

    /// Makes a spin lock.
    fn pthread_spin_init(place: *mut Place<Spin>, shared: c_int) -> c_int {
        code(require(matches!(shared, 0 | 1), Errno::INVAL)
            // SAFETY: the caller guarantees that `place` is null or a variable that no other code
            // uses.
            .and_then(|()| unsafe { Place::make(place, Spin(Mutex::new())) }))
    }

    /// Destroys one. `EBUSY` while it is locked.
    fn pthread_spin_destroy(place: *mut Place<Spin>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|spin| {
            spin.0.delete()?;
            // SAFETY: as above.
            unsafe { Place::destroy(place) };
            Ok(())
        }))
    }

    /// Locks one. `EDEADLK` where it is the caller's; `EPERM` in a handler.
    fn pthread_spin_lock(place: *mut Place<Spin>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|spin| Ok(spin.0.lock(Timeout::FOREVER)?)))
    }

    /// Locks one without waiting: `EBUSY` if it is locked.
    fn pthread_spin_trylock(place: *mut Place<Spin>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|spin| match spin.0.lock(Timeout::NONE) {
            Err(Error::Deadlock) => Err(Errno::BUSY),
            result => Ok(result?),
        }))
    }

    /// Unlocks one. `EPERM` where it is not the caller's.
    fn pthread_spin_unlock(place: *mut Place<Spin>) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or a variable of its type.
        code(unsafe { Place::object(place) }.and_then(|spin| Ok(spin.0.unlock()?)))
    }
}
