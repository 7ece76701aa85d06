//! Owns: the list registers of the virtual interrupt interface (GIC architecture, IHI 0069, section 12.4), in the processor and saved.
//! Must never know: which interrupts they hold.

use crate::fault::fail;
use crate::vcpu::UNDERFLOW;
use aarch64_cpu::registers::{
    ICH_HCR_EL2, ICH_LR0_EL2, ICH_LR1_EL2, ICH_LR2_EL2, ICH_LR3_EL2, ICH_VTR_EL2, Readable,
    Writeable,
};
use taktos_hypervisor::hardware::ListRegisters;

/// How many list registers are used: what Cortex-A53 and A57 have. A processor that has more leaves the others empty.
pub(crate) const LISTS: usize = 4;

/// The list registers of the VCPU that is loaded.
pub struct LoadedLists(());

impl LoadedLists {
    /// Those of the processor that calls.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(())
    }
}

impl ListRegisters for LoadedLists {
    #[inline(always)]
    fn count(&self) -> usize {
        LISTS
    }

    #[inline(always)]
    fn read(&self, n: usize) -> u64 {
        match n {
            0 => ICH_LR0_EL2.get(),
            1 => ICH_LR1_EL2.get(),
            2 => ICH_LR2_EL2.get(),
            _ => ICH_LR3_EL2.get(),
        }
    }

    #[inline(always)]
    fn write(&mut self, n: usize, value: u64) {
        match n {
            0 => ICH_LR0_EL2.set(value),
            1 => ICH_LR1_EL2.set(value),
            2 => ICH_LR2_EL2.set(value),
            _ => ICH_LR3_EL2.set(value),
        }
    }

    #[inline(always)]
    fn set_underflow(&mut self, wanted: bool) {
        ICH_HCR_EL2.set(with_underflow(ICH_HCR_EL2.get(), wanted));
    }
}

#[inline(always)]
fn with_underflow(control: u64, wanted: bool) -> u64 {
    match wanted {
        true => control | UNDERFLOW,
        false => control & !UNDERFLOW,
    }
}

/// Looks whether the processor's interface is one that this crate moves whole; where it has fewer list registers, or more
/// active-priority registers than one a group, the machine ends.
pub(crate) fn check() {
    /// ICH_VTR_EL2.ListRegs, less one, and PREbits, less one: up to five bits of priority need one register a group.
    const COUNT: u64 = 0x1F;
    const PRIORITY_BITS: u32 = 26;
    let kind = ICH_VTR_EL2.get();
    let (count, bits) = ((kind & COUNT) as usize + 1, (kind >> PRIORITY_BITS & 7) + 1);
    if count < LISTS || bits > 5 {
        fail("the virtual interrupt interface is too small, or has too many priorities");
    }
}
