//! Owns: notifications of tasks, of which each has one. Must never know: how the kernel keeps them.

use super::task::task;
use super::{Base, UnsignedBase, truth};
use crate::cmsis::interface;
use crate::object::Id;
use crate::os::{in_handler, timeout};
use taktos::board::Board;
use taktos::{AnyThread, Notify, Timeout};

/// `eNotifyAction`.
const NO_ACTION: i32 = 0;
const SET_BITS: i32 = 1;
const INCREMENT: i32 = 2;
const OVERWRITE: i32 = 3;

/// What one of these does to the task's value.
fn action(number: i32, value: u32) -> Notify {
    match number {
        NO_ACTION => Notify::SetBits(0),
        SET_BITS => Notify::SetBits(value),
        INCREMENT => Notify::Increment,
        OVERWRITE => Notify::Overwrite(value),
        _ => Notify::SetWithoutOverwrite(value),
    }
}

/// Waits until the caller's value is not 0, and takes one of it or all.
fn take(takes_all: bool, time: Timeout) -> u32 {
    let Ok(value) = AnyThread::<Board>::notify_take(time) else {
        return 0;
    };
    if !takes_all {
        return value;
    }
    // One was taken; what has come since counts, too.
    let rest = AnyThread::<Board>::current().notify_clear(u32::MAX);
    rest.map_or(value, |rest| rest.saturating_add(1))
}

interface! {
    /// Notifies a task; its value before goes where `previous` leads, if it leads anywhere. 0 where the task is none or does not run yet,
    /// for an index that is not 0, and where a value must not be overwritten. Allowed in handlers.
    fn xTaskGenericNotify(id: Id, index: UnsignedBase, value: u32, what: i32, previous: *mut u32) -> Base {
        // SAFETY: the caller's promise.
        let Some(thread) = (unsafe { task(id) }).filter(|_| index == 0) else {
            return truth(false);
        };
        if !previous.is_null() {
            // SAFETY: the caller's promise: there is room.
            unsafe { previous.write(thread.handle().notify_clear(0).unwrap_or(0)) };
        }
        truth(thread.handle().notify(action(what, value)).is_ok())
    }

    /// Waits until the caller's value is not 0: the value then, or 0 where the time has passed. It is 0 afterwards where `clears`, else one
    /// less. 0 in a handler.
    fn ulTaskGenericNotifyTake(index: UnsignedBase, clears: Base, ticks: u32) -> u32 {
        if in_handler() || index != 0 {
            return 0;
        }
        take(clears != 0, timeout(ticks))
    }

    /// Waits for a notification; says whether there was one in the time. Bits of the value are cleared before, where there was none
    /// yet, and after; the value goes where `value` leads, if it leads anywhere, in either case.
    fn xTaskGenericNotifyWait(index: UnsignedBase, before: u32, after: u32, value: *mut u32, ticks: u32) -> Base {
        if in_handler() || index != 0 {
            return truth(false);
        }
        let found = AnyThread::<Board>::notify_wait_cleared(before, after, timeout(ticks));
        if !value.is_null() {
            let seen = found.or_else(|_| AnyThread::<Board>::current().notify_clear(0));
            // SAFETY: the caller's promise: there is room.
            unsafe { value.write(seen.unwrap_or(0)) };
        }
        truth(found.is_ok())
    }

    /// Forgets a notification of a task (null: the caller's) that it has not taken; says whether there was one. Allowed in handlers.
    fn xTaskGenericNotifyStateClear(id: Id, index: UnsignedBase) -> Base {
        // SAFETY: the caller's promise.
        match unsafe { task(id) } {
            Some(thread) if index == 0 => truth(thread.handle().notify_forget() == Ok(true)),
            _ => truth(false),
        }
    }

    /// Clears bits of the value of a task (null: the caller's), and says what it was. Allowed in handlers.
    fn ulTaskGenericNotifyValueClear(id: Id, index: UnsignedBase, bits: u32) -> u32 {
        // SAFETY: the caller's promise.
        match unsafe { task(id) } {
            Some(thread) if index == 0 => thread.handle().notify_clear(bits).unwrap_or(0),
            _ => 0,
        }
    }
}
