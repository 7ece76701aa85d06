//! Owns: what this machine remembers between its calls.

use taktos_machine::SliceSwitch;

pub(crate) type State = taktos_arch_common::one::State;

// SAFETY: nothing is added.
pub(crate) static STATE: State = unsafe { State::new(()) };

/// The function that a switch calls if a slice begins with it.
#[inline(always)]
pub(crate) fn at_switch() -> Option<SliceSwitch> {
    STATE.at_switch.get()
}
