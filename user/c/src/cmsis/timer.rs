//! Owns: the standard's timers, and the thread that serves the alarms that they are. Must never
//! know: how threads are made.

use super::status::{ISR, OK, PARAMETER, RESOURCE, Status};
use super::{get_name, interface};
use crate::freertos::configuration::configuration;
use crate::object::{self, Attributes, Head, Id, Object};
use crate::os::{TICK, in_handler, os, ticks};
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr;
use taktos::board::Board;
use taktos::{Alarm, Duration, Instant, Timeout};

/// Function that a timer calls.
pub type Function = extern "C" fn(*mut c_void);

/// A timer.
#[repr(C)]
pub struct OsTimer {
    head: Head,
    alarm: Alarm<Board>,
    /// Word that the program keeps with the timer.
    of_program: Cell<*mut c_void>,
    is_periodic: Cell<bool>,
    period: Cell<u32>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsTimer {
    const KIND: u32 = object::kind(0xE3);
}

get_name!(osTimerGetName, OsTimer);

/// Body of the timers' thread: serves the alarms, makes the calls that FreeRTOS's tasks request,
/// and frees the memory of ended threads.
pub(super) extern "C" fn call_for_ever(_: *mut c_void) {
    if let Some(begin) = configuration().daemon_startup {
        begin();
    }
    loop {
        super::thread::free_ended();
        os().pended.call_all();
        // A caller that ends this wait makes the thread check again.
        let _ = os().clock.serve_once();
    }
}

/// Makes a timer that calls `function`, once or periodically: memory for it, and its contents. None
/// without memory.
pub(crate) fn make(
    function: Function,
    is_periodic: bool,
    argument: *mut c_void,
    attributes: &Attributes,
) -> Option<&'static OsTimer> {
    let memory = object::block_for::<OsTimer>(attributes)?;
    let timer = OsTimer {
        head: object::head::<OsTimer>(attributes, memory),
        alarm: Alarm::calling_c(&os().clock, function),
        of_program: Cell::new(ptr::null_mut()),
        is_periodic: Cell::new(is_periodic),
        period: Cell::new(0),
    };
    // SAFETY: memory for one, which is one then.
    let timer = unsafe { object::put(memory, timer).get::<OsTimer>() }?;
    timer.set_argument(argument);
    Some(timer)
}

impl OsTimer {
    /// Sets what the function is called with.
    pub(crate) fn set_argument(&'static self, argument: *mut c_void) {
        self.alarm.set_word(argument.expose_provenance());
    }

    /// Word that the program keeps with the timer.
    pub(crate) fn of_program(&'static self) -> *mut c_void {
        self.of_program.get()
    }

    /// Sets that.
    pub(crate) fn set_of_program(&'static self, of_program: *mut c_void) {
        self.of_program.set(of_program);
    }

    /// The ticks between two calls, or before the only one.
    pub(crate) fn period(&'static self) -> u32 {
        self.period.get()
    }

    /// Sets those of the next start.
    pub(crate) fn set_period(&'static self, period: u32) {
        self.period.set(period);
    }

    /// Whether it runs on after a call.
    pub(crate) fn is_periodic(&'static self) -> bool {
        self.is_periodic.get()
    }

    /// Sets whether it runs on, from its next start.
    pub(crate) fn set_periodic(&'static self, is_periodic: bool) {
        self.is_periodic.set(is_periodic);
    }

    /// Whether it runs.
    pub(crate) fn is_running(&'static self) -> bool {
        self.alarm.next().is_some()
    }

    /// When it is due, in ticks, if it runs; else 0.
    pub(crate) fn due(&'static self) -> u64 {
        self.alarm.next().map_or(0, |due| due.as_nanos() / TICK)
    }

    /// Starts it, or restarts its time. Allowed in handlers.
    pub(crate) fn start(&'static self, period: u32) {
        self.period.set(period);
        let period = u64::from(period);
        self.start_at((ticks() + period) * TICK, period * TICK);
    }

    /// Starts it so that it is due at an instant, and again each interval after, if it is periodic;
    /// both in nanoseconds. Allowed in handlers.
    pub(crate) fn start_at(&'static self, due: u64, interval: u64) {
        let due = Timeout::until(Instant::from_nanos(due));
        // The alarm is there as long as the timer; an instant that never comes starts nothing.
        let _ = match self.is_periodic.get() {
            true => self.alarm.periodic(due, Duration::from_nanos(interval)),
            false => self.alarm.once(due),
        };
    }

    /// Stops it; says whether it ran. Allowed in handlers.
    pub(crate) fn stop(&'static self) -> bool {
        self.alarm.stop().unwrap_or(false)
    }

    /// Deletes it, running or not; says whether the caller was the first to.
    pub(crate) fn delete(&'static self) -> bool {
        // SAFETY: it is in no list any more.
        unsafe {
            object::delete(self, |timer| {
                timer.stop();
            })
        }
    }
}

interface! {
    /// Makes a timer that calls `function` in the timers' thread (`osPriorityHigh`): once (0) or
    /// periodically (1). Null in a handler, without memory, or without a function.
    fn osTimerNew(
        function: Option<Function>,
        kind: u32,
        argument: *mut c_void,
        attributes: *const Attributes,
    ) -> Id {
        let Some(function) = function else {
            return Id::NONE;
        };
        if in_handler() || kind > 1 {
            return Id::NONE;
        }
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&Attributes::NONE);
        make(function, kind == 1, argument, attributes).map_or(Id::NONE, Id::of)
    }

    /// Starts a timer, or restarts its time.
    fn osTimerStart(id: Id, count: u32) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(timer) = (unsafe { id.get::<OsTimer>() }) else {
            return PARAMETER;
        };
        if count == 0 {
            return PARAMETER;
        }
        timer.start(count);
        OK
    }

    /// Stops a timer. `osErrorResource` where it does not run.
    fn osTimerStop(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsTimer>() } {
            None => PARAMETER,
            Some(timer) if timer.stop() => OK,
            Some(_) => RESOURCE,
        }
    }

    /// Whether a timer runs: 1 or 0; 0 in a handler.
    fn osTimerIsRunning(id: Id) -> u32 {
        if in_handler() {
            return 0;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { id.get::<OsTimer>() }.map_or(0, |timer| timer.is_running().into())
    }

    /// Deletes a timer, which may run.
    fn osTimerDelete(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(timer) = (unsafe { id.get::<OsTimer>() }) else {
            return PARAMETER;
        };
        match timer.delete() {
            true => OK,
            false => RESOURCE,
        }
    }
}
