//! Owns: the standard's timers: a list of those that run, and a thread that calls what is due. Must never know: how threads are made.

use super::status::{ISR, OK, PARAMETER, RESOURCE, Status};
use super::{get_name, interface};
use crate::object::{self, Attributes, Head, Id, Object};
use crate::os::{TICK, in_handler, masked, os, ticks};
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr;
use taktos::board::Board;
use taktos::{Instant, Kernel, Timeout};

/// What a timer calls.
pub type Function = unsafe extern "C" fn(*mut c_void);

/// A timer.
#[repr(C)]
pub struct OsTimer {
    head: Head,
    function: Function,
    argument: Cell<*mut c_void>,
    /// What the program keeps with it.
    of_program: Cell<*mut c_void>,
    is_periodic: Cell<bool>,
    is_running: Cell<bool>,
    period: Cell<u32>,
    /// When it is due, in nanoseconds since the start, and how long after that again, if it is periodic.
    due: Cell<u64>,
    interval: Cell<u64>,
    next: Cell<Option<&'static OsTimer>>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsTimer {
    const KIND: u32 = u32::from_be_bytes(*b"TIME");
}

get_name!(osTimerGetName, OsTimer);

/// Puts `timer`, which does not run, behind those that are due no later. Masked; steps: those.
fn insert(timer: &'static OsTimer) {
    let mut place = &os().timers;
    while let Some(other) = place.get()
        && other.due.get() <= timer.due.get()
    {
        place = &other.next;
    }
    timer.next.set(place.get());
    timer.is_running.set(true);
    place.set(Some(timer));
}

/// Takes `timer` out, if it runs; says whether it did. Masked; steps: those that are due before.
fn remove(timer: &'static OsTimer) -> bool {
    if !timer.is_running.replace(false) {
        return false;
    }
    let mut place = &os().timers;
    while let Some(other) = place.get() {
        if ptr::eq(other, timer) {
            place.set(timer.next.take());
            break;
        }
        place = &other.next;
    }
    true
}

/// What is due, as what is to be called; a periodic timer runs on. Masked.
fn take_due() -> Option<(Function, *mut c_void)> {
    let timer = os().timers.get()?;
    if timer.due.get() > Kernel::<Board>::now().as_nanos() {
        return None;
    }
    remove(timer);
    if timer.is_periodic.get() {
        timer.due.set(timer.due.get() + timer.interval.get());
        insert(timer);
    }
    Some((timer.function, timer.argument.get()))
}

/// What the timers' thread does: calls what is due, frees what ended threads have left, waits for the next.
pub(super) extern "C" fn call_for_ever(_: *mut c_void) {
    loop {
        while let Some((function, argument)) = masked(take_due) {
            // SAFETY: the program gave both to osTimerNew.
            unsafe { function(argument) };
        }
        super::thread::free_ended();
        let next = masked(|| os().timers.get().map(|timer| timer.due.get()));
        let time = next.map_or(Timeout::FOREVER, |due| {
            Timeout::until(Instant::from_nanos(due))
        });
        let _ = os().timers_changed.take(time);
    }
}

/// A timer that calls `function`, once or periodically: memory for it, and what lies there. None without memory.
pub(crate) fn make(
    function: Function,
    is_periodic: bool,
    argument: *mut c_void,
    attributes: &Attributes,
) -> Option<&'static OsTimer> {
    let memory = object::block_for::<OsTimer>(attributes)?;
    let timer = OsTimer {
        head: object::head::<OsTimer>(attributes, memory),
        function,
        argument: Cell::new(argument),
        of_program: Cell::new(ptr::null_mut()),
        is_periodic: Cell::new(is_periodic),
        is_running: Cell::new(false),
        period: Cell::new(0),
        due: Cell::new(0),
        interval: Cell::new(0),
        next: Cell::new(None),
    };
    // SAFETY: memory for one, which is one then.
    unsafe { object::put(memory, timer).get() }
}

impl OsTimer {
    /// Sets what the function is called with.
    pub(crate) fn set_argument(&'static self, argument: *mut c_void) {
        self.argument.set(argument);
    }

    /// What the program keeps with it.
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

    /// Sets whether it runs on.
    pub(crate) fn set_periodic(&'static self, is_periodic: bool) {
        self.is_periodic.set(is_periodic);
    }

    /// Whether it runs.
    pub(crate) fn is_running(&'static self) -> bool {
        self.is_running.get()
    }

    /// When it is due, in ticks, if it runs.
    pub(crate) fn due(&'static self) -> u64 {
        masked(|| self.due.get()) / TICK
    }

    /// Starts it, or begins its time anew. Allowed in handlers.
    pub(crate) fn start(&'static self, period: u32) {
        self.period.set(period);
        let period = u64::from(period);
        self.start_at((ticks() + period) * TICK, period * TICK);
    }

    /// Starts it so that it is due at an instant, and again each interval after, if it is periodic; both in nanoseconds. Allowed in handlers.
    pub(crate) fn start_at(&'static self, due: u64, interval: u64) {
        masked(|| {
            remove(self);
            self.due.set(due);
            self.interval.set(interval);
            insert(self);
        });
        // Given already: the thread looks anyway. Before there are threads it is taken by the first look.
        let _ = os().timers_changed.give();
    }

    /// Stops it; says whether it ran. Allowed in handlers.
    pub(crate) fn stop(&'static self) -> bool {
        masked(|| remove(self))
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
    /// Makes a timer that calls `function` in the timers' thread (`osPriorityHigh`): once (0) or periodically (1). Null in a handler,
    /// without memory, or without a function.
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
        // SAFETY: the caller's promise.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&Attributes::NONE);
        make(function, kind == 1, argument, attributes).map_or(Id::NONE, Id::of)
    }

    /// Starts a timer, or begins its time anew.
    fn osTimerStart(id: Id, count: u32) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller's promise.
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
        // SAFETY: the caller's promise.
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
        // SAFETY: the caller's promise.
        unsafe { id.get::<OsTimer>() }.map_or(0, |timer| timer.is_running().into())
    }

    /// Deletes a timer, which may run.
    fn osTimerDelete(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller's promise.
        let Some(timer) = (unsafe { id.get::<OsTimer>() }) else {
            return PARAMETER;
        };
        match timer.delete() {
            true => OK,
            false => RESOURCE,
        }
    }
}
