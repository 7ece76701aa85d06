//! Owns: which interrupts get a list register when there are more than fit in.
//! Must never know: what a list register looks like.

use super::VirtualGic;
use super::bits::ones;
use super::lists::{REGISTERS, numbers};
use crate::hardware::ListRegisters;

impl VirtualGic {
    /// There are more than fit in: takes all pending ones out, and puts the most urgent in.
    #[cold]
    pub(super) fn choose(&mut self, vcpu: usize, lists: &mut impl ListRegisters) {
        for register in ones(u64::from(self.cpus[vcpu].lists.used)) {
            let intid = self.cpus[vcpu].lists.name(register);
            let (bits, bit) = self.bits(vcpu, intid);
            if bits.active & bit == 0 {
                // It stays this VCPU's: what leaves was taken out before.
                bits.unlist(bit);
                self.cpus[vcpu].lists.give_up(register);
            } else {
                // Of those that are active no end goes unseen: it makes room.
                self.put(vcpu, register, intid, (true, true), lists);
            }
        }
        if self.cpus[vcpu].lists.free(lists) == 0 {
            self.make_room(vcpu, lists);
        }
        let known = &self.cpus[vcpu].lists;
        let free = known.free(lists);
        // The underflow interrupt comes when at most one register is in use: it never does while
        // two hold active ones, and is of no use with a single register.
        let urgent = known.used.count_ones() >= 2 || lists.count() == 1;
        let (private, shared) = self.missing(vcpu);
        let mut best = Best::new(free.count_ones() as usize);
        for intid in numbers(private, shared) {
            best.offer(self.priority(vcpu, intid), intid);
        }
        for (register, &chosen) in ones(u64::from(free)).zip(best.chosen()) {
            self.put(vcpu, register, chosen as u8, (true, urgent), lists);
        }
    }
}

/// The most urgent of those that are offered.
struct Best {
    room: usize,
    count: usize,
    /// The priority of each, and below it its number.
    chosen: [u16; REGISTERS],
}

impl Best {
    fn new(room: usize) -> Self {
        Self {
            room: room.min(REGISTERS),
            count: 0,
            chosen: [0; REGISTERS],
        }
    }

    /// Offers an interrupt; those of one priority come in the order of their numbers, and so does
    /// what is offered.
    fn offer(&mut self, priority: u8, intid: u8) {
        let offered = u16::from(priority) << 8 | u16::from(intid);
        if self.count < self.room {
            self.count += 1;
        } else if self.chosen().last().is_none_or(|&last| last < offered) {
            return;
        }
        // The last place is free, or that of the least urgent, which leaves.
        let chosen = &mut self.chosen[..self.count];
        let mut place = self.count - 1;
        while let Some(before) = place.checked_sub(1).filter(|&n| chosen[n] > offered) {
            chosen[place] = chosen[before];
            place = before;
        }
        chosen[place] = offered;
    }

    fn chosen(&self) -> &[u16] {
        &self.chosen[..self.count]
    }
}
