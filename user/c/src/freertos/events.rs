//! Owns: the meeting of tasks at an event group. Must never know: how the group keeps its flags.

use crate::cmsis::flags::{OsEventFlags, are_valid, word};
use crate::cmsis::interface;
use crate::cmsis::status::{ISR, PARAMETER};
use crate::object::Id;
use crate::os::{in_handler, timeout};

interface! {
    /// Sets bits, and waits until all of `awaited` are set and clears these, in one step: the bits
    /// that were set then, or the code of an error as `osEventFlagsWait` has it, after which `bits`
    /// stay set.
    fn taktos_freertos_sync(id: Id, bits: u32, awaited: u32, ticks: u32) -> u32 {
        if in_handler() {
            return ISR as u32;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get::<OsEventFlags>() } {
            Some(object) if are_valid(bits | awaited, 0) => {
                word(object.group.set_and_take_all(bits, awaited, timeout(ticks)))
            }
            _ => PARAMETER as u32,
        }
    }
}
