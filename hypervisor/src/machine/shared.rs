//! Owns: state that processors use without the lock of the hypervisor.
//! Must never know: what is done with it.

use super::{CHANNELS, CPUS, PARTITIONS, VCPUS};
use crate::hardware::Hardware;
use crate::table::Table;
use crate::uart::Pl011;
use crate::vgic::{Effects, VirtualGic};
use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use lock_api::{MappedMutexGuard, Mutex, MutexGuard, RawMutex};
use taktos_abi::vm::{Channel, Linkage, layout};

/// State that processors use without the lock of the hypervisor: the emulated devices of each
/// partition, behind its own lock; the VCPU that each processor has loaded; which processors are
/// called; the ends of channels.
pub struct Shared<H: Hardware> {
    devices: Table<Mutex<H::Lock, Devices>, PARTITIONS>,
    /// A processor alone writes its own, with the lock of the hypervisor: see [`Loaded`].
    loaded: Table<AtomicU32, CPUS>,
    /// Calls that are on their way to each processor: [`CALLED`], [`WORK`].
    calls: Table<AtomicU8, CPUS>,
    /// The ends of each channel: see [`Ends`].
    channels: Table<AtomicU64, CHANNELS>,
}

/// A call is on its way.
const CALLED: u8 = 1;
/// It is for work with the lock of the hypervisor.
const WORK: u8 = 2;

/// The emulated devices of a partition.
pub(super) struct Devices {
    /// Its interrupt controller.
    pub controller: VirtualGic,
    /// Its console; none if it has no access to one.
    pub console: Option<Pl011>,
    /// The level of the console's interrupt.
    level: bool,
    /// The VCPUs of which an active state of the timer may have changed, or of which sources of
    /// pending interrupts may ask no more.
    pub doubtful: u16,
    /// The VCPUs that are on.
    pub on: u16,
    /// How often it has been started.
    pub starts: u32,
    /// Interrupts of others come to it: it is not being stopped.
    pub runs: bool,
}

impl Devices {
    const NEW: Self = Self {
        controller: VirtualGic::new(),
        console: None,
        level: false,
        doubtful: 0,
        on: 0,
        starts: 0,
        runs: false,
    };

    /// Sets the interrupt of the console to its level. Returns the VCPUs to kick.
    pub fn update_console(&mut self) -> u16 {
        let level = self.console.as_ref().is_some_and(Pl011::interrupt);
        match core::mem::replace(&mut self.level, level) == level {
            true => 0,
            false => self
                .controller
                .set_level(0, layout::CONSOLE_INTERRUPT, level),
        }
    }

    /// Sets the state after power-on, for `vcpus` VCPUs, as [`VirtualGic::reset`]. The partition
    /// runs, with its first VCPU alone.
    pub fn reset(&mut self, vcpus: usize) -> Effects {
        self.console = self.console.as_ref().map(|_| Pl011::new());
        (self.level, self.on, self.runs) = (false, 1, true);
        self.starts = self.starts.wrapping_add(1);
        self.controller.reset(vcpus)
    }
}

/// A partition's devices, behind their lock.
pub(super) type Guard<H> = MutexGuard<'static, <H as Hardware>::Lock, Devices>;
/// A partition's interrupt controller, behind the same lock.
pub(super) type Controller<H> = MappedMutexGuard<'static, <H as Hardware>::Lock, VirtualGic>;

/// A loaded VCPU: its number, its partition, and its number there, a byte each, in a word that is
/// not 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Loaded(NonZeroU32);

impl Loaded {
    const SOMETHING: NonZeroU32 = NonZeroU32::new(1 << 24).unwrap();

    pub fn new(vcpu: usize, partition: usize, number: usize) -> Self {
        Self(Self::SOMETHING | (vcpu | partition << 8 | number << 16) as u32)
    }

    #[inline(always)]
    pub fn vcpu(self) -> usize {
        self.byte(0) % VCPUS
    }

    #[inline(always)]
    pub fn partition(self) -> usize {
        self.byte(8)
    }

    /// Its number in its partition.
    #[inline(always)]
    pub fn number(self) -> usize {
        self.byte(16)
    }

    #[inline(always)]
    fn byte(self, at: u32) -> usize {
        (self.0.get() >> at & 0xFF) as usize
    }
}

/// The ends of a channel: of each the partition, and whether it has the channel's memory (the other
/// ones have a UART). As a word: a byte for each, of which the upper bit says so, and in the upper
/// half the length of the memory; 0 for a channel that there is not.
#[derive(Clone, Copy)]
pub(super) struct Ends(u64);

impl Ends {
    const MEMORY: u8 = 0x80;

    fn of(channel: &Channel) -> Self {
        let byte = |end: usize| {
            let end = &channel.ends[end];
            let memory = match end.linkage {
                Linkage::Memory => Self::MEMORY,
                Linkage::Uart => 0,
            };
            end.partition | memory
        };
        Self(channel.bytes << 32 | u64::from(byte(1)) << 8 | u64::from(byte(0)))
    }

    /// The partition of `end`, if it has the channel's memory.
    #[inline]
    pub fn in_memory(self, end: usize) -> Option<usize> {
        let byte = self.0.to_le_bytes()[end & 1];
        (byte & Self::MEMORY != 0).then_some(usize::from(byte & !Self::MEMORY))
    }

    /// The length of the channel's memory, in bytes.
    pub fn bytes(self) -> u64 {
        self.0 >> 32
    }

    /// The end that `partition` has in its memory.
    #[inline]
    pub fn end_of(self, partition: usize) -> Option<usize> {
        (0..2).find(|&end| self.in_memory(end) == Some(partition))
    }
}

impl<H: Hardware> Shared<H> {
    /// No VCPU is loaded, and no channel is there.
    #[expect(clippy::new_without_default, reason = "the initial value of a static")]
    pub const fn new() -> Self {
        Self {
            devices: Table([const { Mutex::from_raw(H::Lock::INIT, Devices::NEW) }; PARTITIONS]),
            loaded: Table([const { AtomicU32::new(0) }; CPUS]),
            calls: Table([const { AtomicU8::new(0) }; CPUS]),
            channels: Table([const { AtomicU64::new(0) }; CHANNELS]),
        }
    }

    /// The emulated devices of `partition`. Waits for the partition's other VCPUs, one exit each,
    /// and for a doorbell of each other partition.
    #[inline(always)]
    pub(super) fn devices(&'static self, partition: usize) -> Guard<H> {
        self.devices[partition].lock()
    }

    /// The interrupt controller of `partition`, as [`Shared::devices`].
    #[inline(always)]
    pub(super) fn controller(&'static self, partition: usize) -> Controller<H> {
        MutexGuard::map(self.devices(partition), |devices| &mut devices.controller)
    }

    /// The VCPU that processor `cpu` has loaded. It may be another one a moment later, unless the
    /// caller is that processor or has the lock of the hypervisor.
    #[inline(always)]
    pub(super) fn loaded(&self, cpu: usize) -> Option<Loaded> {
        NonZeroU32::new(self.loaded[cpu].load(Ordering::Relaxed)).map(Loaded)
    }

    /// Notes the VCPU that processor `cpu`, which calls, has loaded from now on.
    #[inline(always)]
    pub(super) fn set_loaded(&self, cpu: usize, loaded: Option<Loaded>) {
        let word = loaded.map_or(0, |loaded| loaded.0.get());
        self.loaded[cpu].store(word, Ordering::Relaxed);
    }

    /// Makes processor `cpu` leave its guest; for `work` with the lock of the hypervisor. While a
    /// call is on its way, that one is enough: however often others ask for it, a processor is
    /// called once in between two exits.
    pub(super) fn call(&self, cpu: usize, work: bool) {
        let call = if work { CALLED | WORK } else { CALLED };
        if self.calls[cpu].fetch_or(call, Ordering::AcqRel) & CALLED == 0 {
            H::call(cpu);
        }
    }

    /// Processor `cpu`, which calls this, has got the call. Returns whether it was for work with
    /// the lock of the hypervisor.
    pub(super) fn take_call(&self, cpu: usize) -> bool {
        self.calls[cpu].swap(0, Ordering::AcqRel) & WORK != 0
    }

    /// Calls the processors that have VCPUs in `mask` of `partition` loaded: they find what has
    /// come for these. Returns those that no processor has.
    ///
    /// The interrupt that is the reason was made pending before, with the lock of the partition's
    /// devices. A VCPU that is found here and waits from now on is taken off its processor before
    /// that processor looks for interrupts once more, with that lock: it finds this one.
    pub(super) fn call_loaded(&self, partition: usize, mut mask: u16) -> u16 {
        for cpu in 0..CPUS {
            if mask == 0 {
                break;
            }
            let loaded = self
                .loaded(cpu)
                .filter(|loaded| loaded.partition() == partition);
            let bit = loaded.map_or(0, |loaded| 1 << loaded.number()) & mask;
            if bit != 0 {
                self.call(cpu, false);
                mask &= !bit;
            }
        }
        mask
    }

    /// The ends of `channel`; none of them has memory where there is no such channel.
    #[inline]
    pub(super) fn ends(&self, channel: u64) -> Ends {
        match channel < CHANNELS as u64 {
            true => Ends(self.channels[channel as usize].load(Ordering::Relaxed)),
            false => Ends(0),
        }
    }

    /// Channel number `channel` is `described` so.
    pub(super) fn set_channel(&self, channel: usize, described: &Channel) {
        self.channels[channel].store(Ends::of(described).0, Ordering::Relaxed);
    }
}
