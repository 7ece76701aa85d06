//! Owns: accesses to emulated devices that the processor does not describe: their instructions are
//! read and carried out. Must never know: what a device does.

use super::Hypervisor;
use super::exits::is_user;
use crate::hardware::{Addresses, Context, Hardware};
use crate::instruction::{self, Transfer};
use crate::syndrome::{Access, is_aarch32, is_write};

/// The bytes of a page: consecutive bytes in one of the guest's pages are consecutive in the
/// machine.
const PAGE: u64 = 4096;

impl<H: Hardware> Hypervisor<H> {
    /// Carries out the access of the loaded `vcpu` to `physical`, at its virtual `address`, which
    /// only its instruction describes. Returns whether it could. If a device is there and it could
    /// not, a line on the console reports that.
    #[cold]
    #[inline(never)]
    pub(super) fn undescribed(
        &mut self,
        vcpu: usize,
        syndrome: u64,
        Addresses {
            guest: address,
            physical,
        }: Addresses,
    ) -> bool {
        let partition = usize::from(self.vcpus[vcpu].partition);
        if self.place(partition, physical).is_none() {
            return false;
        }
        let instruction = self.instruction(vcpu);
        let transfer = instruction.and_then(instruction::read).filter(|transfer| {
            // Another processor may have changed the instruction meanwhile. The upper byte of an
            // address may be a tag.
            let at = H::context(vcpu).x(transfer.base);
            let at = at.wrapping_add_signed(transfer.offset);
            transfer.access.write == is_write(syndrome) && (at ^ address) << 8 == 0
        });
        if transfer.is_some_and(|transfer| self.transfer(vcpu, physical, transfer)) {
            return true;
        }
        let mut line = self.line_of(partition);
        line.add(b" accesses ").add_hex(physical);
        line.add(b" by an instruction that is not carried out");
        if let Some(instruction) = instruction {
            line.add(b" (").add_hex(instruction.into()).add(b")");
        }
        line.add(b" at ").add_hex(H::context(vcpu).pc());
        self.say_seldom(partition, &line);
        false
    }

    /// The instruction of AArch64 that the loaded `vcpu` is at, if it is in its partition's memory.
    fn instruction(&self, vcpu: usize) -> Option<u32> {
        let context = H::context(vcpu);
        let state = context.state();
        if is_aarch32(state) {
            return None;
        }
        let at = H::translate(context.pc(), is_user(state))?;
        let record = self.record(usize::from(self.vcpus[vcpu].partition));
        let within = (record.memory..record.memory + record.bytes).contains(&at);
        (within && at.is_multiple_of(4)).then(|| H::read_word(at))
    }

    /// Carries out the one access, or both, and writes the base register back. Says whether there
    /// is a device for all of it.
    fn transfer(&mut self, vcpu: usize, physical: u64, transfer: Transfer) -> bool {
        let Transfer { access, second, .. } = transfer;
        let behind = physical + access.bytes;
        let in_page = physical / PAGE == (behind + access.bytes - 1) / PAGE;
        let done = self.device(vcpu, physical, access)
            && second.is_none_or(|register| {
                in_page && self.device(vcpu, behind, Access { register, ..access })
            });
        if done {
            let context = H::context(vcpu);
            let base = context.x(transfer.base);
            context.set_x(transfer.base, base.wrapping_add_signed(transfer.step));
        }
        done
    }
}
