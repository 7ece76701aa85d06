//! Owns: what the scheduling library's decisions do to processors. Must never know: why it decides.

use super::Smp;
use crate::System;
use crate::critical_section::CriticalSection;
use core::ptr;
use taktos_machine::Machine;
use taktos_schedule::{Cpu, smp::Effects};
use taktos_time::Instant;

/// Carries out what the library asks for, on behalf of the processor `here`. Made in a section, and gone with it.
pub(super) struct Doings<'a, S> {
    cs: CriticalSection<'a>,
    several: &'a Smp<S>,
    here: usize,
}

impl<'a, S: System> Doings<'a, S> {
    pub(super) fn new(cs: CriticalSection<'a>, several: &'a Smp<S>, here: usize) -> Self {
        Self { cs, several, here }
    }
}

impl<S: System> Effects for Doings<'_, S> {
    /// A decision is due on `cpu`: its heir is unknown until it has looked.
    fn preempt(&mut self, cpu: Cpu) {
        let processor = S::Machine::processor_numbered(cpu.index());
        if processor.heir.get().is_null() {
            return;
        }
        processor.heir.set(ptr::null());
        if cpu.index() != self.here {
            S::Machine::call(cpu.index());
        }
    }

    fn arm(&mut self, cpu: Cpu, at: Option<Instant>) {
        self.several.set_budget(self.cs, self.here, cpu.index(), at);
    }
}
