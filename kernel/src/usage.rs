//! Owns: what processor time the threads have had.
//! Must never know: who counts it.

use crate::System;
use crate::section::Section;
use crate::tcb::ThreadRef;
use taktos_machine::Machine;
use taktos_time::Duration;

/// Whether the kernel knows threads' processor time: where several processors are scheduled, their scheduler does.
pub const fn counts<S: System>() -> bool {
    <S::Machine as Machine>::PROCESSORS > 1
}

/// The processor time that `thread` has had since it was created; zero where nobody counts it.
pub fn lifetime<S: System>(_: Section, _thread: ThreadRef) -> Duration {
    Duration::ZERO
}
