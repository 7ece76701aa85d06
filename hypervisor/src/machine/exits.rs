//! Owns: the reason of each exit, the part that handles it, and where the guest resumes.
//! Must never know: how.
//!
//! # What becomes of an exception (ESR_EL2.EC)
//! - WFI and WFE (0x01), HVC (0x16), SMC (0x17), system registers (0x18) and data accesses (0x24)
//!   are carried out, or become an exception of the guest's EL1: an undefined instruction, an
//!   external abort.
//! - A program of AArch32 at EL0 that uses a coprocessor (0x03 to 0x08, 0x0C) comes here for debug
//!   registers, or for the physical timer where its kernel lets it: it is undefined, or goes to EL1
//!   as MDSCR_EL1.TDCC says.
//! - A fetch that stage 2 refuses (0x20) is an external abort of a user program's. A kernel's has
//!   lost its way: the partition is stopped, as it is by an asynchronous error (0x2F).
//! - All others are undefined instructions to EL1. Some an implementation may trap (0x00; 0x0A,
//!   0x14, 0x19, 0x1B, 0x1D: extensions that no guest is shown; 0x09: pointer authentication). SVC,
//!   breakpoints, steps, misalignment, floating-point exceptions go to EL1 by themselves; those of
//!   EL2's own (0x21, 0x25, ...) end the machine (the port's vectors).
//!
//! Of a VCPU that was put off nothing is carried out here, whatever it is: between its trap and the
//! lock, a VCPU of its partition may have stopped all of them. It is not heard any more, and about
//! to be taken off.

use super::Hypervisor;
use super::own::Rest;
use super::registers::denies_channel;
use crate::hardware::{Context, Exit, Hardware, Next};
use crate::machine::life::Stopped;
use crate::syndrome::{self, Event};

impl<H: Hardware> Hypervisor<H> {
    /// This processor left its guest, or its wait ended; `rest` is left to do of that
    /// ([`Shared::exit`](super::Shared::exit)). Says what it does next.
    pub fn exit(&mut self, rest: Rest) -> Next {
        self.world.here = H::cpu();
        match rest {
            Rest::Whole(exit) => self.whole(exit),
            Rest::Waited => {
                self.note_filled();
                self.take_interrupts(H::acknowledge());
            }
            Rest::Acknowledged(number) => self.take_interrupts(Some(number)),
            Rest::Effects(partition, effects) => self.carry_out(partition, effects),
            Rest::Due => {}
            Rest::Wait => self.heard(Self::wait),
            Rest::Yield => self.heard(Self::give_way),
            Rest::Rung(channel, end) => self.heard(|this, _| this.rung(channel, end)),
        }
        self.leave()
    }

    /// Does what the VCPU that was left asked for, unless it was put off.
    #[inline(always)]
    fn heard(&mut self, act: impl FnOnce(&mut Self, usize)) {
        if let Some(vcpu) = self.processors[self.world.here].heard {
            act(self, vcpu);
        }
    }

    #[inline]
    fn whole(&mut self, exit: Exit) {
        match (exit, self.processors[self.world.here].heard) {
            (Exit::Interrupt, _) | (_, None) => {
                self.take_interrupts(H::acknowledge());
            }
            (Exit::Exception { syndrome }, Some(vcpu)) => self.exception(vcpu, syndrome),
            (Exit::Error, Some(vcpu)) => self.fault(vcpu, syndrome::ASYNCHRONOUS, 0),
        }
    }

    fn exception(&mut self, vcpu: usize, syndrome: u64) {
        let context = H::context(vcpu);
        let state = context.state();
        let user = is_user(state);
        let abort = |syndrome, user| {
            let syndrome = syndrome::external_abort(syndrome, user);
            GuestControl::At(syndrome, H::addresses().guest)
        };
        let goes_on = match syndrome::read(syndrome) {
            Event::Hypercall { immediate: 0 } => return self.call(vcpu),
            Event::Hypercall { .. } => {
                return context.set_x(0, taktos_abi::vm::call::NOT_SUPPORTED);
            }
            // It is trapped before it executes.
            Event::SecureCall => {
                self.call(vcpu);
                GuestControl::Behind
            }
            Event::Register(register) => match self.register(vcpu, register) {
                true => GuestControl::Behind,
                false => GuestControl::At(syndrome::UNDEFINED, 0),
            },
            Event::Access(access) => match self.device(vcpu, H::addresses().physical, access) {
                true => GuestControl::Behind,
                false => abort(syndrome, user),
            },
            Event::Opaque => match self.undescribed(vcpu, syndrome, H::addresses()) {
                true => GuestControl::Behind,
                false => abort(syndrome, user),
            },
            Event::Abort => abort(syndrome, user),
            Event::Fetch if user => abort(syndrome, user),
            Event::Fetch => return self.fault(vcpu, syndrome, H::addresses().guest),
            Event::Coprocessor { .. }
                if syndrome::is_aarch32(state) && !syndrome::holds(syndrome, state) =>
            {
                GuestControl::Behind
            }
            Event::Coprocessor { channel: true } if denies_channel(context) => {
                GuestControl::At(syndrome, 0)
            }
            Event::Coprocessor { .. } | Event::Other => GuestControl::At(syndrome::UNDEFINED, 0),
        };
        resume_at(context, syndrome, goes_on);
    }

    fn fault(&mut self, vcpu: usize, syndrome: u64, address: u64) {
        let pc = H::context(vcpu).pc();
        self.stop(
            self.vcpus[vcpu].partition.into(),
            Stopped::Fault {
                syndrome,
                address,
                pc,
            },
        );
    }
}

/// The place at which a guest resumes.
pub(super) enum GuestControl {
    /// After the instruction, which was carried out for it.
    Behind,
    /// At its EL1, with an exception of this syndrome, and the address that it is about: none where
    /// the processor's register may hold what others did.
    At(u64, u64),
}

/// Sets the place at which the guest resumes that was left by `syndrome`.
#[inline(always)]
pub(super) fn resume_at(context: &impl Context, syndrome: u64, place: GuestControl) {
    match place {
        GuestControl::Behind => {
            context.set_pc(context.pc().wrapping_add(syndrome::length(syndrome)));
            let state = context.state();
            if syndrome::is_aarch32(state) {
                context.set_state(syndrome::behind(state));
            }
        }
        GuestControl::At(cause, address) => context.inject(cause, address),
    }
}

/// Whether a guest in `state` (SPSR_EL2) was at EL0, in AArch64 or AArch32 (M, Arm DDI 0487,
/// section C5.2.19).
pub(super) fn is_user(state: u64) -> bool {
    state & 0xF == 0
}
