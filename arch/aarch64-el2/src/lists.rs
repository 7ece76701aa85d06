//! Owns: the list registers of the virtual interrupt interface (GIC architecture, IHI 0069, section
//! 12.4), in the processor and saved. Must never know: which interrupts they hold.

use crate::fault::fail;
use aarch64_cpu::registers::{
    ICH_AP1R0_EL2, ICH_HCR_EL2, ICH_LR0_EL2, ICH_LR1_EL2, ICH_LR2_EL2, ICH_LR3_EL2, ICH_VMCR_EL2,
    ICH_VTR_EL2, Readable, Writeable,
};
use taktos_hypervisor::hardware::{ListRegisters, Notices};

/// How many list registers are used: what Cortex-A53 and A57 have. A processor that has more leaves
/// the others empty.
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

    fn set_notices(&mut self, notices: Notices) {
        let all = [
            (notices.underflow, UNDERFLOW),
            (notices.taken, TAKEN),
            (notices.away, AWAY),
        ];
        let others = ICH_HCR_EL2.get() & !(UNDERFLOW | TAKEN | AWAY | ENDS);
        let wanted = all.into_iter().filter(|notice| notice.0);
        ICH_HCR_EL2.set(wanted.fold(others, |control, notice| control | notice.1));
    }

    /// The binary point gives the number of low bits that do not count. For group 1 that is one bit
    /// less than its value, unless the groups share group 0's (IHI 0069, ICH_VMCR_EL2.VBPR0, VBPR1,
    /// VCBPR, and "Priority grouping").
    fn level(&self, priority: u8) -> u8 {
        let control = ICH_VMCR_EL2.get();
        let low = match control >> 4 & 1 {
            0 => control >> 18 & 7,
            _ => (control >> 21 & 7) + 1,
        };
        ((u32::from(priority) & !0 << low) >> 3) as u8
    }

    fn levels(&self) -> u32 {
        ICH_AP1R0_EL2.get() as u32
    }

    fn ends_in_two_steps(&self) -> bool {
        /// ICH_VMCR_EL2.VEOIM.
        const SPLIT: u64 = 1 << 9;
        ICH_VMCR_EL2.get() & SPLIT != 0
    }

    fn traps_deactivation(&self) -> bool {
        /// ICH_VTR_EL2.TDS.
        const SEPARATE: u64 = 1 << 19;
        ICH_VTR_EL2.get() & SEPARATE != 0
    }
}

/// ICH_HCR_EL2.UIE: the maintenance interrupt when at most one list register is in use.
const UNDERFLOW: u64 = 1 << 1;
/// ICH_HCR_EL2.NPIE: the maintenance interrupt when no list register holds a pending interrupt.
const TAKEN: u64 = 1 << 3;
/// ICH_HCR_EL2.LRENPIE and TDIR: the maintenance interrupt when the guest has ended what no list
/// register knows; its writes to ICC_DIR_EL1 are trapped.
const AWAY: u64 = 1 << 2 | 1 << 14;
/// ICH_HCR_EL2.EOIcount.
const ENDS: u64 = 0x1F << 27;

/// Looks whether the processor's interface is one that this crate moves whole; where it has fewer
/// list registers, or more active-priority registers than one a group, the machine ends.
pub(crate) fn check() {
    /// ICH_VTR_EL2.ListRegs, less one, and PREbits, less one: up to five bits of priority need one
    /// register a group.
    const COUNT: u64 = 0x1F;
    const PRIORITY_BITS: u32 = 26;
    let kind = ICH_VTR_EL2.get();
    let (count, bits) = ((kind & COUNT) as usize + 1, (kind >> PRIORITY_BITS & 7) + 1);
    if count < LISTS || bits > 5 {
        fail("the virtual interrupt interface is too small, or has too many priorities");
    }
}
