//! Owns: timers that pass themselves to their functions, and that can be started in handlers.
//! Must never know: how timers run.

use super::configuration::configuration;
use super::{Base, prepare, truth};
use crate::cmsis::interface;
use crate::cmsis::timer::{self, Function, OsTimer};
use crate::object::{Attributes, Id};
use crate::os::os;
use core::ffi::{c_char, c_void};
use core::ptr;

/// The timer of a command. Before the scheduler starts there may be as many commands as FreeRTOS's
/// queue has room for (`configTIMER_QUEUE_LENGTH`); they take effect at once all the same.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn commanded(id: Id) -> Option<&'static OsTimer> {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let timer = unsafe { id.get::<OsTimer>() }?;
    let before = &os().commands;
    let may_be = os().is_running() || before.get() < configuration().timer_queue_length;
    may_be.then(|| {
        before.set(before.get().saturating_add(1));
        timer
    })
}

interface! {
    /// Makes a timer of `period` ticks that calls `function` with itself, once or periodically, in
    /// the timers' task. It does not run yet. `block` is memory for it (null: of the heap) of
    /// `size` bytes. Null without memory, without a function, or with no period.
    fn taktos_freertos_timer(
        name: *const c_char,
        period: u32,
        is_periodic: Base,
        of_program: *mut c_void,
        function: Option<Function>,
        block: *mut u8,
        size: u32,
    ) -> Id {
        let Some(function) = function.filter(|_| period > 0) else {
            return Id::NONE;
        };
        prepare();
        let attributes = Attributes {
            name,
            block,
            block_size: size,
            ..Attributes::NONE
        };
        let made = timer::make(function, is_periodic != 0, ptr::null_mut(), &attributes);
        made.map_or(Id::NONE, |timer| {
            let id = Id::of(timer);
            timer.set_argument(id.0);
            timer.set_period(period);
            timer.set_of_program(of_program);
            id
        })
    }

    /// Starts a timer, or restarts its time. 0 if the id is not a timer's, and for a command too
    /// many before the start. Allowed in handlers, as are all calls on timers but their making and
    /// deletion.
    fn xTimerReset(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let timer = unsafe { commanded(id) };
        truth(timer.map(|timer| timer.start(timer.period())).is_some())
    }

    /// Gives a timer another period, and starts it. 0 for what is none, and for no period.
    fn xTimerChangePeriod(id: Id, period: u32) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let timer = unsafe { commanded(id) }.filter(|_| period > 0);
        truth(timer.map(|timer| timer.start(period)).is_some())
    }

    /// Stops a timer, which may not run. 0 for what is none.
    fn xTimerStop(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { commanded(id) }.map(OsTimer::stop).is_some())
    }

    /// Deletes a timer, which may run. 0 for what is none.
    fn xTimerDelete(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { commanded(id) }.is_some_and(OsTimer::delete))
    }

    /// Whether a timer runs.
    fn xTimerIsTimerActive(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { id.get::<OsTimer>() }.is_some_and(OsTimer::is_running))
    }

    /// Returns the word that the program keeps with a timer; null if the id is not a timer's.
    fn pvTimerGetTimerID(id: Id) -> *mut c_void {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { id.get::<OsTimer>() }.map_or(ptr::null_mut(), OsTimer::of_program)
    }

    /// Sets what the program keeps with a timer.
    fn vTimerSetTimerID(id: Id, of_program: *mut c_void) {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        if let Some(timer) = unsafe { id.get::<OsTimer>() } {
            timer.set_of_program(of_program);
        }
    }

    /// The ticks between two calls, or before the only one; 0 for what is none.
    fn xTimerGetPeriod(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { id.get::<OsTimer>() }.map_or(0, OsTimer::period)
    }

    /// The tick at which a timer is due; meaningless where it does not run.
    fn xTimerGetExpiryTime(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { id.get::<OsTimer>() }.map_or(0, |timer| timer.due() as u32)
    }

    /// Whether a timer runs on after a call.
    fn xTimerGetReloadMode(id: Id) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        truth(unsafe { id.get::<OsTimer>() }.is_some_and(OsTimer::is_periodic))
    }

    /// Sets whether a timer runs on after a call.
    fn vTimerSetReloadMode(id: Id, is_periodic: Base) {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        if let Some(timer) = unsafe { id.get::<OsTimer>() } {
            timer.set_periodic(is_periodic != 0);
        }
    }
}
