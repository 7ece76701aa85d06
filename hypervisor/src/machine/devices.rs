//! Owns: which emulated device an access goes to, and the interrupts that follow from it.
//! Must never know: what the devices do inside.

use super::{Hypervisor, Phase};
use crate::channel;
use crate::console::Input;
use crate::hardware::{Context, Hardware, Kind};
use crate::machine::Refusal;
use crate::syndrome::Access;
use crate::vgic::Frame;
use taktos_abi::vm::{Linkage, layout};

/// The device that an address belongs to.
pub(super) enum Place {
    Controller(Frame, u64),
    Console(u64),
    Channel(usize, u64),
}

impl<H: Hardware> Hypervisor<H> {
    /// Carries out an access of the loaded `vcpu` to what is not its memory. Says whether anything
    /// is there.
    #[inline(never)]
    pub(super) fn device(&mut self, vcpu: usize, physical: u64, access: Access) -> bool {
        let partition = usize::from(self.vcpus[vcpu].partition);
        let Some(place) = self.place(partition, physical) else {
            return false;
        };
        let context = H::context(vcpu);
        let write = access.write.then(|| context.x(access.register));
        let value = match place {
            Place::Controller(frame, offset) => {
                self.interrupt_controller(vcpu, frame, offset, access, write)
            }
            Place::Console(offset) => self.console_access(partition, offset, access.bytes, write),
            Place::Channel(channel, offset) => {
                self.channel_access(partition, channel, offset, access.bytes, write)
            }
        };
        if !access.write {
            context.set_x(access.register, access.extended(value));
        }
        true
    }

    pub(super) fn place(&self, partition: usize, physical: u64) -> Option<Place> {
        let within = |from: u64, bytes: u64| {
            let offset = physical.checked_sub(from)?;
            (offset < bytes).then_some(offset)
        };
        match Frame::at(physical) {
            Some((Frame::Redistributor(of), _)) if of >= self.vcpus_of(partition).len() => {}
            Some((frame, offset)) => return Some(Place::Controller(frame, offset)),
            None => {}
        }
        let record = self.record(partition);
        if let Some(offset) =
            within(layout::CONSOLE, layout::CONSOLE_BYTES).filter(|_| record.console)
        {
            return Some(Place::Console(offset));
        }
        let stride = layout::CHANNEL_UART_STRIDE;
        let channels = u64::from(self.description.channel_count);
        let offset = within(layout::CHANNEL_UART, channels * stride)?;
        let channel = (offset / stride) as usize;
        self.uart_end(partition, channel)?;
        Some(Place::Channel(channel, offset % stride))
    }

    /// The end of `channel` that is `partition`'s and looks like a PL011.
    fn uart_end(&self, partition: usize, channel: usize) -> Option<usize> {
        let ends = &self.channel(channel).ends;
        ends.iter()
            .position(|end| usize::from(end.partition) == partition && end.linkage == Linkage::Uart)
    }

    fn interrupt_controller(
        &mut self,
        vcpu: usize,
        frame: Frame,
        offset: u64,
        access: Access,
        write: Option<u64>,
    ) -> u64 {
        let partition = usize::from(self.vcpus[vcpu].partition);
        let number = usize::from(self.vcpus[vcpu].number);
        if write.is_none() && frame.tells_pending(offset) {
            self.ask_sources_of(vcpu, frame);
        }
        let mut controller = self.shared.controller(partition);
        // The interrupts that the guest has taken and ended are in the list registers.
        let mut effects = controller.sync(number, &mut H::lists());
        let bytes = access.bytes as usize;
        let mut value = 0;
        match write {
            None => value = controller.read(frame, offset, bytes),
            Some(value) => effects.add(controller.write(frame, offset, bytes, value)),
        }
        drop(controller);
        self.carry_out(partition, effects);
        value
    }

    fn console_access(
        &mut self,
        partition: usize,
        offset: u64,
        bytes: u64,
        write: Option<u64>,
    ) -> u64 {
        let screen = &mut self.console;
        let mut devices = self.shared.devices(partition);
        let value = devices.console.as_mut().map(|console| {
            let mut out = |byte| screen.write(partition, byte);
            console.access(offset, bytes as usize, write, &mut out)
        });
        let kick = devices.update_console();
        drop(devices);
        self.notify(partition, kick);
        value.unwrap_or(0)
    }

    /// The machine's console has room again, or input.
    pub(super) fn serve_console(&mut self) {
        self.console.drain();
        while let Some(byte) = H::read() {
            match self.console.input(byte) {
                Input::Typed { partition, byte } => self.typed(partition, byte),
                Input::End => self.console.off(),
                Input::Taken => {}
            }
        }
    }

    fn typed(&mut self, partition: usize, byte: u8) {
        // A byte that a guest does not read in time is lost, as on a wire. It is lost, too, if its
        // partition stops and begins again with an empty device.
        let mut devices = self.shared.devices(partition);
        let _ = devices
            .console
            .as_mut()
            .map(|console| console.push_input(byte));
        let kick = devices.update_console();
        drop(devices);
        self.notify(partition, kick);
    }

    fn channel_access(
        &mut self,
        partition: usize,
        channel: usize,
        offset: u64,
        bytes: u64,
        write: Option<u64>,
    ) -> u64 {
        let Some(end) = self.uart_end(partition, channel) else {
            return 0;
        };
        let record = self.channel(channel);
        let (value, sent) = self.links[channel].access::<H>(record, end, offset, bytes, write);
        if sent {
            self.rung(channel, 1 - end);
        }
        self.channel_level(channel, end);
        value
    }

    /// The doorbell of `channel` has been rung for `end`.
    pub(super) fn rung(&mut self, channel: usize, end: usize) {
        let record = self.channel(channel);
        let partition = usize::from(record.ends[end].partition);
        if self.partitions[partition].phase != Phase::Runs {
            return;
        }
        match record.ends[end].linkage {
            Linkage::Memory => {
                self.interrupt(partition, layout::CHANNEL_INTERRUPT + channel as u32)
            }
            Linkage::Uart => {
                let moved = self.links[channel].rung::<H>(record, end);
                self.channel_level(channel, end);
                // It ends: an end rings back only for bytes it took, and it takes all there are.
                if moved {
                    self.rung(channel, 1 - end);
                }
            }
        }
    }

    fn channel_level(&mut self, channel: usize, end: usize) {
        let partition = usize::from(self.channel(channel).ends[end].partition);
        let level = self.links[channel].interrupt(end);
        let number = layout::CHANNEL_INTERRUPT + channel as u32;
        let mut controller = self.shared.controller(partition);
        let mask = controller.set_level(0, number, level);
        drop(controller);
        self.notify(partition, mask);
    }

    /// Maps the memory of channels to those partitions that see it.
    pub(super) fn map_channels(&mut self) -> Result<(), Refusal> {
        for index in 0..usize::from(self.description.channel_count) {
            let record = self.channel(index);
            self.shared.set_channel(index, record);
            let at = layout::CHANNEL_MEMORY + index as u64 * layout::CHANNEL_MEMORY_STRIDE;
            for end in record.ends {
                if end.linkage == Linkage::Memory {
                    H::map(
                        end.partition.into(),
                        at,
                        record.memory,
                        record.bytes,
                        Kind::Shared,
                    )?;
                }
            }
            channel::prepare::<H>(record);
        }
        Ok(())
    }

    /// Resets the emulated ends of `partition`, which starts again.
    pub(super) fn reset_links(&mut self, partition: usize) {
        for channel in 0..usize::from(self.description.channel_count) {
            if let Some(end) = self.uart_end(partition, channel) {
                self.links[channel].reset(end);
            }
        }
    }
}
