//! Alarms: a function that is called at an instant, in the timers' thread (the priority 40).

use super::{At, Code, Time, failed, kind, native, timeout, with};
use crate::os::os;
use core::ffi::c_void;
use taktos::board::Board;
use taktos::{Alarm, Duration, Error};

/// Function that an alarm calls.
pub type Function = extern "C" fn(*mut c_void);

type Object = Alarm<Board>;
kind!(Object as taktos_alarm_t, 0x9C, 32);

native! {
    /// Makes an alarm that calls `function` with `argument`. Errors: Parameter without a function.
    fn taktos_alarm_init(alarm: At<Object>, function: Option<Function>, argument: *mut c_void) -> Code {
        let Some(function) = function else {
            return failed(Error::Parameter);
        };
        // SAFETY: the caller guarantees that `alarm` is null or memory of the header's type that
        // stays.
        unsafe {
            let code = alarm.make(Alarm::calling_c(&os().clock, function));
            match code {
                super::OK => with(alarm, |object| {
                    object.set_word(argument.expose_provenance());
                    Ok(())
                }),
                code => code,
            }
        }
    }

    /// Starts it: it calls once, after a time or at an instant. Allowed in handlers. Errors:
    /// Parameter for a time that is none or never comes.
    fn taktos_alarm_once(alarm: At<Object>, time: Time) -> Code {
        // SAFETY: the caller guarantees that `alarm` is null or memory of the header's type.
        unsafe { with(alarm, |object| object.once(timeout(time))) }
    }

    /// Starts it: it calls first after a time or at an instant, then every `interval` nanoseconds.
    /// Allowed in handlers. Errors: as above.
    fn taktos_alarm_periodic(alarm: At<Object>, first: Time, interval: u64) -> Code {
        // SAFETY: the caller guarantees that `alarm` is null or memory of the header's type.
        unsafe {
            with(alarm, |object| object.periodic(timeout(first), Duration::from_nanos(interval)))
        }
    }

    /// Starts it as a watchdog: it calls unless it is fed again and again before `span` nanoseconds
    /// have passed. Allowed in handlers. Errors: as above.
    fn taktos_alarm_watchdog(alarm: At<Object>, span: u64) -> Code {
        // SAFETY: the caller guarantees that `alarm` is null or memory of the header's type.
        unsafe { with(alarm, |object| object.watchdog(Duration::from_nanos(span))) }
    }

    /// Feeds a watchdog. Allowed in handlers. Errors: State unless it runs as one.
    fn taktos_alarm_feed(alarm: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `alarm` is null or memory of the header's type.
        unsafe { with(alarm, |object| object.feed()) }
    }

    /// Stops it: 1 if it ran, 0 if not, or an error. Allowed in handlers.
    fn taktos_alarm_stop(alarm: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `alarm` is null or memory of the header's type.
        match unsafe { alarm.get() }.and_then(|object| object.stop()) {
            Ok(ran) => ran.into(),
            Err(error) => failed(error),
        }
    }

    /// Deletes it, running or not.
    fn taktos_alarm_delete(alarm: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `alarm` is null or memory of the header's type.
        unsafe { alarm.end(|object| object.delete()) }
    }
}
