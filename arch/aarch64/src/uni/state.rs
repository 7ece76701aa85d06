//! Owns: what this machine remembers between its calls.

use crate::board::Board;
use core::mem::offset_of;
use taktos_machine::SliceSwitch;

pub(crate) type State = taktos_arch_common::one::State;

// SAFETY: nothing is added.
pub(crate) static STATE: State = unsafe { State::new(()) };

/// The offset of [`State::at_switch`].
pub(crate) const AT_SWITCH: usize = offset_of!(State, at_switch);

/// The function that a switch calls if a slice begins with it.
#[inline(always)]
pub(crate) fn at_switch() -> Option<SliceSwitch> {
    STATE.at_switch.get()
}

/// Sets it.
pub(crate) fn set_at_switch<B: Board>(at_switch: Option<SliceSwitch>) {
    STATE.at_switch.set(at_switch);
}
