//! Owns: the states of up to 64 interrupts, a word for each kind of state, a bit for each
//! interrupt. Must never know: the owner of the interrupts, registers.
//!
//! # How a pending state travels
//! An interrupt is pending for one of three reasons: its *latch* is set (an edge, a software
//! interrupt, a guest's write); its *line* is high and it is level-sensitive; or the latch was
//! *lent* to a list register and the guest has not acknowledged it there. A latch is set or lent,
//! or both when it was set again meanwhile, which counts as one pending interrupt as long as the
//! first has not been acknowledged (Arm IHI 0069, section 4.1.2: an interrupt that is pending and
//! is asserted again remains pending). A list register is thus never a second home of the same
//! event.

/// Changes by a guest's write to interrupts that a running VCPU holds in its list registers: done
/// when that VCPU is seen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Edits {
    activate: u64,
    deactivate: u64,
    forget: u64,
}

/// States of interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bits {
    /// May be delivered.
    pub enabled: u64,
    /// Edge-triggered; the others are level-sensitive.
    pub edge: u64,
    /// Those of the machine: the guest's end ends the physical interrupt of the same number.
    pub physical: u64,
    /// Pending by an event.
    pub latch: u64,
    /// The level of the source.
    pub line: u64,
    /// Acknowledged and not ended.
    pub active: u64,
    /// In a list register.
    pub listed: u64,
    /// Pending in a list register by a latch that was moved there.
    pub lent: u64,
    /// Came again before the guest had taken it. Its list register gives notice of the end, and
    /// until then no VCPU need be notified of more. Never those of hardware, of which there is no
    /// such notice.
    pub again: u64,
    /// Those of the machine that the guest itself has made pending: no line shows when that is
    /// over. A bit may be left over from a pending state that is gone.
    pub written: u64,
    edits: Edits,
}

impl Bits {
    /// The state after a reset, in which `physical` ones are the machine's and `edge` ones
    /// edge-triggered.
    pub const fn new(physical: u64, edge: u64) -> Self {
        Self {
            enabled: 0,
            edge,
            physical,
            latch: 0,
            line: 0,
            active: 0,
            listed: 0,
            lent: 0,
            again: 0,
            written: 0,
            edits: Edits {
                activate: 0,
                deactivate: 0,
                forget: 0,
            },
        }
    }

    /// The pending ones.
    pub const fn pending(&self) -> u64 {
        self.latch | self.lent | self.raised()
    }

    /// Returns the interrupts that are pending by their line.
    pub const fn raised(&self) -> u64 {
        self.line & !self.edge
    }

    /// The pending ones that may be delivered.
    pub const fn deliverable(&self) -> u64 {
        self.pending() & self.enabled & !self.active
    }

    /// Returns the machine's interrupts that keep their physical interrupt active.
    pub const fn held(&self) -> u64 {
        (self.latch | self.lent | self.active) & self.physical
    }

    /// Those of the machine that are pending, not active, and not because the guest wrote so: its
    /// line may be low by now.
    pub fn doubtful(&mut self) -> u64 {
        self.written &= self.latch | self.lent;
        (self.latch | self.lent) & self.physical & !self.active & !self.written
    }

    /// Takes note of the `bit`'s list register: whether it is `pending` or `active` there.
    pub fn fold(&mut self, bit: u64, pending: bool, active: bool) {
        if !pending {
            self.lent &= !bit;
        }
        if active {
            self.active |= bit;
        } else {
            self.active &= !bit;
        }
    }

    /// Takes note that `bit` was acknowledged and ended, and is in its list register no longer.
    #[inline]
    pub fn end(&mut self, bit: u64) {
        self.lent &= !bit;
        self.active &= !bit;
        self.listed &= !bit;
    }

    /// Moves the latch of `bit` into a list register (`shown` there as pending) or back; answers
    /// `shown`.
    pub fn lend(&mut self, bit: u64, shown: bool) {
        if shown {
            self.lent |= self.latch & bit;
            self.latch &= !bit;
        } else {
            self.latch |= self.lent & bit;
            self.lent &= !bit;
        }
    }

    /// Takes `bit` out of its list register.
    pub fn unlist(&mut self, bit: u64) {
        self.lend(bit, false);
        self.listed &= !bit;
    }

    /// `bits` are in no list register any more, and not active.
    pub fn stop(&mut self, bits: u64) {
        self.edit(bits);
        self.unlist(bits);
        self.active &= !bits;
    }

    /// The events of `bits` are forgotten; those of `remote` when their VCPU is seen.
    pub fn forget(&mut self, bits: u64, remote: u64) {
        self.latch &= !bits;
        self.lent &= !(bits & !remote);
        self.written &= !bits;
        self.edits.forget |= bits & remote;
    }

    /// `bits` become active; those of `remote` when their VCPU is seen.
    pub fn activate(&mut self, bits: u64, remote: u64) {
        self.active |= bits & !remote;
        self.edits.activate |= bits & remote;
        self.edits.deactivate &= !bits;
    }

    /// `bits` are active no longer; those of `remote` when their VCPU is seen.
    pub fn deactivate(&mut self, bits: u64, remote: u64) {
        self.active &= !(bits & !remote);
        self.edits.deactivate |= bits & remote;
        self.edits.activate &= !bits;
    }

    /// Does the edits that were left for `bit`, once its VCPU has been seen.
    pub fn edit(&mut self, bit: u64) {
        self.active |= self.edits.activate & bit;
        self.active &= !(self.edits.deactivate & bit);
        self.lent &= !(self.edits.forget & bit);
        self.edits.activate &= !bit;
        self.edits.deactivate &= !bit;
        self.edits.forget &= !bit;
    }
}

/// The numbers of the bits that are set, from the lowest.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}
