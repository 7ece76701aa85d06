//! Condition variables: waiting for a change of what a mutex protects.

use super::mutex::Object as MutexObject;
use super::{At, Code, Time, code, kind, native, timeout, with};
use taktos::Condition;
use taktos::board::Board;

type Object = Condition<Board>;
kind!(Object as taktos_condition_t, 0x91, 8);

native! {
    /// Makes a condition variable.
    fn taktos_condition_init(condition: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `condition` is null or memory of the header's type
        // that stays.
        unsafe { condition.make(Condition::new()) }
    }

    /// Unlocks `mutex`, which the caller owns once, waits for a signal, and locks the mutex again,
    /// whatever the answer. Errors: Timeout, WouldBlock, Cancelled, NotOwner, State; Context in a
    /// handler.
    fn taktos_condition_wait(condition: At<Object>, mutex: At<MutexObject>, time: Time) -> Code {
        // SAFETY: the caller guarantees that `condition` and `mutex` are null or memory of the
        // header's type.
        let both = unsafe { condition.get().and_then(|object| Ok((object, mutex.get()?))) };
        code(both.and_then(|(object, mutex)| object.wait(mutex, timeout(time))))
    }

    /// Wakes the most urgent waiter. Allowed in handlers.
    fn taktos_condition_signal(condition: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `condition` is null or memory of the header's type.
        unsafe { with(condition, |object| object.signal()) }
    }

    /// Wakes all waiters. Allowed in handlers.
    fn taktos_condition_broadcast(condition: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `condition` is null or memory of the header's type.
        unsafe { with(condition, |object| object.broadcast()) }
    }

    /// Deletes it: its waiters get Deleted.
    fn taktos_condition_delete(condition: At<Object>) -> Code {
        // SAFETY: the caller guarantees that `condition` is null or memory of the header's type.
        unsafe { condition.end(|object| object.delete()) }
    }
}
