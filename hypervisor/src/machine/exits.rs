//! Owns: why a guest was left, and who deals with it.
//! Must never know: how.

use super::Hypervisor;
use crate::hardware::{Context, Exit, Hardware, Next};
use crate::machine::life::Stopped;
use crate::syndrome::{self, Event};

impl<H: Hardware> Hypervisor<H> {
    /// This processor left its guest, or its wait ended. Says what it does next.
    pub fn exit(&mut self, exit: Exit) -> Next {
        self.world.here = H::cpu();
        match (exit, self.processors[self.world.here].current) {
            (Exit::Interrupt, _) | (_, None) => self.take_interrupts(),
            (
                Exit::Exception {
                    syndrome,
                    address,
                    physical,
                },
                Some(vcpu),
            ) => self.exception(vcpu, syndrome, address, physical),
            (Exit::Error, Some(vcpu)) => self.fault(vcpu, 0x2F << 26, 0),
        }
        self.leave()
    }

    fn exception(&mut self, vcpu: usize, syndrome: u64, address: u64, physical: u64) {
        let context = H::context(vcpu);
        match syndrome::read(syndrome) {
            Event::Wait { event } => {
                advance(context);
                match event {
                    true => self.give_way(vcpu),
                    false => self.wait(vcpu),
                }
            }
            Event::Hypercall { immediate: 0 } => self.call(vcpu),
            Event::Hypercall { .. } => context.set_x(0, taktos_abi::vm::call::NOT_SUPPORTED),
            // It is trapped before it executes.
            Event::SecureCall => {
                advance(context);
                self.call(vcpu);
            }
            Event::Register(register) => match self.register(vcpu, register) {
                true => advance(context),
                false => context.inject(syndrome::UNDEFINED, 0),
            },
            Event::Access(access) => match self.device(vcpu, physical, access) {
                true => advance(context),
                false => context.inject(syndrome::external_abort(is_user(context)), address),
            },
            Event::Opaque => {
                context.inject(syndrome::external_abort(is_user(context)), address);
            }
            // It has left its memory, or has no vectors to take an exception to.
            Event::Fetch | Event::Other { .. } => self.fault(vcpu, syndrome, address),
        }
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

fn advance(context: &impl Context) {
    context.set_pc(context.pc().wrapping_add(4));
}

/// Whether the guest was at EL0 (SPSR_EL2.M, Arm DDI 0487, section C5.2.19).
fn is_user(context: &impl Context) -> bool {
    context.state() & 0xF == 0
}
