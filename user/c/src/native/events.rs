//! Event flags: 32 in a group, and threads that wait for any or all of some.

use super::{At, Code, Time, code, kind, native, tell, timeout, with};
use taktos::board::Board;
use taktos::{Error, EventFlags};

type Object = EventFlags<Board>;
kind!(Object as taktos_events_t, 0x9B, 8);

/// The bit of a wait's options that demands all flags.
pub const ALL: u32 = 1;
/// The bit of a wait's options that takes the flags.
pub const TAKE: u32 = 2;
/// Both.
pub const BOTH: u32 = ALL | TAKE;

native! {
    /// Makes a group in which `flags` are set.
    fn taktos_events_init(events: At<Object>, flags: u32) -> Code {
        // SAFETY: the caller guarantees that `events` is null or memory of the header's type that
        // stays.
        unsafe { events.make(EventFlags::new(flags)) }
    }

    /// Sets flags, in addition to those that are set, and wakes all waiters with a condition that
    /// holds then. Allowed in handlers.
    fn taktos_events_set(events: At<Object>, flags: u32) -> Code {
        // SAFETY: the caller guarantees that `events` is null or memory of the header's type.
        unsafe { with(events, |object| object.set(flags)) }
    }

    /// Clears flags; `before`, if it is not null, gets those that were set. Allowed in handlers.
    fn taktos_events_clear(events: At<Object>, flags: u32, before: *mut u32) -> Code {
        // SAFETY: the caller guarantees that `events` is null or memory of the header's type, and
        // `before` is null or writable.
        unsafe { with(events, |object| object.clear(flags).map(|found| tell(before, found))) }
    }

    /// The flags that are set; none where there is no group. Allowed in handlers.
    fn taktos_events_get(events: At<Object>) -> u32 {
        // SAFETY: the caller guarantees that `events` is null or memory of the header's type.
        unsafe { events.get() }.map_or(0, |object| object.get())
    }

    /// Waits for any of `flags`, or, with TAKTOS_EVENTS_ALL, for all; with TAKTOS_EVENTS_TAKE they
    /// are cleared at that moment. `found`, if it is not null, gets all that were set. Allowed in
    /// handlers without waiting. Errors: Timeout, WouldBlock, Cancelled; Parameter for no flags, or
    /// other options; Context in a handler that would have to wait.
    fn taktos_events_wait(events: At<Object>, flags: u32, options: u32, time: Time, found: *mut u32) -> Code {
        // SAFETY: the caller guarantees that `events` is null or memory of the header's type.
        let object = match unsafe { events.get() } {
            Ok(object) => object,
            Err(error) => return code(Err(error)),
        };
        let time = timeout(time);
        let result = match options {
            0 => object.wait_any(flags, time),
            ALL => object.wait_all(flags, time),
            TAKE => object.take_any(flags, time),
            BOTH => object.take_all(flags, time),
            _ => Err(Error::Parameter),
        };
        // SAFETY: the caller guarantees that `found` is null or writable.
        code(result.map(|flags| unsafe { tell(found, flags) }))
    }

    /// Sets `flags`, and then waits until all of `awaited` are set and clears these, in one step:
    /// of threads that meet, each with a flag of its own, all come through when the last one has
    /// set its flag. `found`, if it is not null, gets all that were set then. Errors: Timeout,
    /// WouldBlock, Cancelled, after which `flags` stay set; Parameter for none that is awaited;
    /// Context in a handler.
    fn taktos_events_set_and_take_all(events: At<Object>, flags: u32, awaited: u32, time: Time, found: *mut u32) -> Code {
        // SAFETY: the caller guarantees that `events` is null or memory of the header's type, and
        // `found` is null or writable.
        unsafe {
            with(events, |object| {
                object.set_and_take_all(flags, awaited, timeout(time)).map(|flags| tell(found, flags))
            })
        }
    }

    /// Deletes the group: its waiters get Deleted.
    fn taktos_events_delete(events: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `events` is null or memory of the header's type.
        unsafe { events.end(|object| object.delete()) }
    }
}
