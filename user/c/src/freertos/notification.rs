//! Owns: notifications of tasks, of which each has several, by their indices. Must never know: the
//! senders.

use super::block::Task;
use super::task::task;
use super::{Base, UnsignedBase, truth};
use crate::cmsis::interface;
use crate::cmsis::thread::OsThread;
use crate::object::Id;
use crate::os::{in_handler, masked, may_call, timeout};
use core::cell::Cell;
use taktos::board::Board;
use taktos::{AnyThread, Notify};

/// `eNotifyAction`.
const NO_ACTION: i32 = 0;
const SET_BITS: i32 = 1;
const INCREMENT: i32 = 2;
const OVERWRITE: i32 = 3;

/// Whether a notification has come, and its task does not know it yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Awaited,
    Received,
}

/// A notification. A task that waits for one sleeps until it is notified by the kernel's own means,
/// and reads it then.
pub struct Notification {
    state: Cell<State>,
    value: Cell<u32>,
}

impl Notification {
    /// One that has not come.
    pub(super) const fn new() -> Self {
        Self {
            state: Cell::new(State::Idle),
            value: Cell::new(0),
        }
    }

    /// Notes that it has come, and what it does to the value. Says whether its task waits for it,
    /// and the value before. Masked.
    fn send(&self, what: i32, value: u32) -> (Option<bool>, u32) {
        let (state, before) = (self.state.replace(State::Received), self.value.get());
        self.value.set(match what {
            NO_ACTION => before,
            SET_BITS => before | value,
            INCREMENT => before.wrapping_add(1),
            OVERWRITE => value,
            _ if state == State::Received => return (None, before),
            _ => value,
        });
        (Some(state == State::Awaited), before)
    }

    /// Waits for it for `ticks` ticks, unless it `is_there`; not at all if `ticks` is 0.
    fn wait(&self, ticks: u32, is_there: impl FnOnce(&Self) -> bool) {
        let waits = masked(|| {
            let waits = !is_there(self) && ticks > 0;
            if waits {
                self.state.set(State::Awaited);
            }
            waits
        });
        let time = timeout(if waits { ticks } else { 0 });
        // The kernel's word of another one, or of one that came too late, does not count.
        while self.state.get() == State::Awaited
            && AnyThread::<Board>::notify_wait(u32::MAX, time).is_ok()
        {}
    }
}

/// A task and one of its notifications.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn of(id: Id, index: UnsignedBase) -> Option<(&'static OsThread, &'static Notification)> {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let thread = unsafe { task(id) }.filter(|_| may_call())?;
    Some((thread, Task::of(thread)?.notifications.get(index)?))
}

/// One of the calling task's; none in a handler.
fn own(index: UnsignedBase) -> Option<&'static Notification> {
    let thread = OsThread::current().filter(|_| !in_handler())?;
    Task::of(thread)?.notifications.get(index)
}

interface! {
    /// Notifies a task; its value before goes where `previous` leads, if it leads anywhere. 0 where
    /// the task is none, for an index above 7, where a value must not be overwritten, and without
    /// memory. Allowed in handlers.
    fn xTaskGenericNotify(id: Id, index: UnsignedBase, value: u32, what: i32, previous: *mut u32) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some((thread, notification)) = (unsafe { of(id, index) }) else {
            return truth(false);
        };
        let (sent, before) = masked(|| notification.send(what, value));
        if !previous.is_null() {
            // SAFETY: the caller guarantees that `previous` is writable.
            unsafe { previous.write(before) };
        }
        if sent == Some(true) {
            let _ = thread.handle().notify(Notify::SetBits(0));
        }
        truth(sent.is_some())
    }

    /// Waits until the caller's value is not 0: the value then, or 0 where the time has passed. It
    /// is 0 afterwards where `clears`, else one less. 0 in a handler.
    fn ulTaskGenericNotifyTake(index: UnsignedBase, clears: Base, ticks: u32) -> u32 {
        let Some(notification) = own(index) else { return 0 };
        notification.wait(ticks, |notification| notification.value.get() != 0);
        masked(|| {
            let value = notification.value.get();
            notification.value.set(if clears != 0 { 0 } else { value.saturating_sub(1) });
            notification.state.set(State::Idle);
            value
        })
    }

    /// Waits for a notification; says whether there was one in the time. Bits of the value are
    /// cleared before, where there was none yet, and after; the value goes where `value` leads, if
    /// it leads anywhere, in either case.
    fn xTaskGenericNotifyWait(index: UnsignedBase, before: u32, after: u32, value: *mut u32, ticks: u32) -> Base {
        let Some(notification) = own(index) else {
            return truth(false);
        };
        notification.wait(ticks, |notification| {
            let is_there = notification.state.get() == State::Received;
            if !is_there {
                notification.value.set(notification.value.get() & !before);
            }
            is_there
        });
        let (found, seen) = masked(|| {
            let seen = notification.value.get();
            let found = notification.state.replace(State::Idle) == State::Received;
            if found {
                notification.value.set(seen & !after);
            }
            (found, seen)
        });
        if !value.is_null() {
            // SAFETY: the caller guarantees that `value` is writable.
            unsafe { value.write(seen) };
        }
        truth(found)
    }

    /// Forgets a notification of a task (null: the caller's) that it has not taken; says whether
    /// there was one. Allowed in handlers.
    fn xTaskGenericNotifyStateClear(id: Id, index: UnsignedBase) -> Base {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let notification = unsafe { of(id, index) };
        truth(notification.is_some_and(|(_, notification)| masked(|| {
            let was_there = notification.state.get() == State::Received;
            if was_there {
                notification.state.set(State::Idle);
            }
            was_there
        })))
    }

    /// Clears bits of the value of a task (null: the caller's), and says what it was. Allowed in
    /// handlers.
    fn ulTaskGenericNotifyValueClear(id: Id, index: UnsignedBase, bits: u32) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let notification = unsafe { of(id, index) };
        notification.map_or(0, |(_, notification)| masked(|| {
            let value = notification.value.get();
            notification.value.set(value & !bits);
            value
        }))
    }
}
