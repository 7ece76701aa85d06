//! Owns: exits that concern nobody but the VCPU that was left, or its partition's own devices: they
//! are carried out without the lock of the hypervisor.
//! Must never know: schedulers, other partitions, the state that the lock guards.
//!
//! Constant calls and the registers of a VCPU alone need no lock. Accesses to the interrupt
//! controller and the console, and the interrupt of the guest's timer, need that of the partition's
//! devices; if others are to be notified of a change, that follows with the lock of the hypervisor. So whatever other
//! partitions do, such an exit does not wait for them.
//!
//! A VCPU that a sibling has just put off may still get here, once: it changes its own registers and
//! its partition's devices, which both begin anew before the partition runs again.

use super::calls::constant;
use super::exits::{GuestControl, is_user, resume_at};
use super::registers::{ICC_SGI1R, is_of_the_vcpu, read_own, write_own};
use super::{CHANNELS, CPUS, PARTITIONS, VCPUS};
use crate::hardware::{Context, Exit, Hardware};
use crate::syndrome::{self, Register};
use crate::table::Table;
use crate::uart::{Pl011, is_output};
use crate::vgic::{Effects, Frame, VirtualGic};
use core::sync::atomic::{AtomicU32, Ordering};
use lock_api::{MappedMutexGuard, Mutex, MutexGuard, RawMutex};
use taktos_abi::vm::layout::TIMER_INTERRUPT;
use taktos_abi::vm::{call, layout};

/// A set of channels, a bit each.
type Channels = AtomicU32;
const _: () = assert!(CHANNELS <= u32::BITS as usize);

/// State that processors use without the lock of the hypervisor: the emulated devices of each
/// partition, behind its own lock, and the VCPU that each processor has loaded.
pub struct Shared<H: Hardware> {
    devices: Table<Mutex<H::Lock, Devices>, PARTITIONS>,
    /// The channels of which a partition has an end in its memory.
    channels: Table<Channels, PARTITIONS>,
    /// A processor alone writes its own, with the lock of the hypervisor: see [`Loaded::word`].
    loaded: Table<AtomicU32, CPUS>,
}

/// The emulated devices of a partition that it alone uses.
pub(super) struct Devices {
    controller: VirtualGic,
    /// Its console; none if it has no access to one.
    pub console: Option<Pl011>,
    /// The level of the console's interrupt.
    level: bool,
}

impl Devices {
    const NEW: Self = Self {
        controller: VirtualGic::new(),
        console: None,
        level: false,
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

    /// Sets the state after power-on, for `vcpus` VCPUs, as [`VirtualGic::reset`].
    pub fn reset(&mut self, vcpus: usize) -> Effects {
        self.console = self.console.as_ref().map(|_| Pl011::new());
        self.level = false;
        self.controller.reset(vcpus)
    }
}

/// A partition's interrupt controller, behind its lock.
type Controller<H> = MappedMutexGuard<'static, <H as Hardware>::Lock, VirtualGic>;

/// A loaded VCPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Loaded {
    pub vcpu: usize,
    pub partition: usize,
    /// Its number in its partition.
    pub number: usize,
}

impl Loaded {
    const SOMETHING: u32 = 1 << 24;

    /// As one word, which is not 0.
    fn word(self) -> u32 {
        (self.vcpu | self.partition << 8 | self.number << 16) as u32 | Self::SOMETHING
    }

    #[inline(always)]
    fn of(word: u32) -> Option<Self> {
        let byte = |at: u32| (word >> at & 0xFF) as usize;
        (word != 0).then(|| Self {
            vcpu: byte(0) % VCPUS,
            partition: byte(8),
            number: byte(16),
        })
    }
}

/// The rest of an exit, which needs the lock of the hypervisor ([`Hypervisor::exit`]).
///
/// [`Hypervisor::exit`]: super::Hypervisor::exit
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// All of it.
    Whole(Exit),
    /// No guest was left: the wait of an idle processor ended, or the answer was
    /// [`Next::Again`](crate::hardware::Next::Again).
    Waited,
    /// An interrupt that was acknowledged, and those that come after it.
    Acknowledged(u32),
    /// The work that a change of the partition's interrupt controller makes elsewhere.
    Effects(Effects),
}

impl<H: Hardware> Shared<H> {
    /// No VCPU is loaded.
    #[expect(clippy::new_without_default, reason = "the initial value of a static")]
    pub const fn new() -> Self {
        Self {
            devices: Table([const { Mutex::from_raw(H::Lock::INIT, Devices::NEW) }; PARTITIONS]),
            channels: Table([const { Channels::new(0) }; PARTITIONS]),
            loaded: Table([const { AtomicU32::new(0) }; CPUS]),
        }
    }

    /// The emulated devices of `partition`. Waits for the other VCPUs of the partition, one exit
    /// each.
    #[inline(always)]
    pub(super) fn devices(
        &'static self,
        partition: usize,
    ) -> MutexGuard<'static, H::Lock, Devices> {
        self.devices[partition].lock()
    }

    /// The interrupt controller of `partition`, as [`Shared::devices`].
    #[inline(always)]
    pub(super) fn controller(&'static self, partition: usize) -> Controller<H> {
        MutexGuard::map(self.devices(partition), |devices| &mut devices.controller)
    }

    /// The VCPU that processor `cpu` has loaded. Others than that processor ask with the lock of
    /// the hypervisor.
    #[inline(always)]
    pub(super) fn loaded(&self, cpu: usize) -> Option<Loaded> {
        Loaded::of(self.loaded[cpu].load(Ordering::Relaxed))
    }

    /// Notes the VCPU that processor `cpu`, which calls, has loaded from now on.
    #[inline(always)]
    pub(super) fn set_loaded(&self, cpu: usize, loaded: Option<Loaded>) {
        let word = loaded.map_or(0, Loaded::word);
        self.loaded[cpu].store(word, Ordering::Relaxed);
    }

    /// Carries out what of `exit` concerns the VCPU that was left, whose registers are `context`, or
    /// its partition's interrupt controller, alone. Called by the processor that left it, without a
    /// lock. Returns what is left to do; none if the VCPU resumes. Bound: see [`VirtualGic::write`]
    /// and [`VirtualGic::flush`]; other VCPUs of the partition may be waited for, one such step
    /// each.
    #[inline(always)]
    pub fn exit(&'static self, context: &H::Context, exit: Exit) -> Option<Rest> {
        let whole = Rest::Whole(exit);
        match exit {
            Exit::Exception { syndrome } => match syndrome >> 26 {
                syndrome::HYPERCALL if syndrome as u16 == 0 => self.call(context, whole),
                syndrome::REGISTER => self.register(context, syndrome, whole),
                syndrome::DATA_ABORT => self.access(context, syndrome, whole),
                _ => Some(whole),
            },
            Exit::Interrupt => self.interrupt(),
            Exit::Error => Some(whole),
        }
    }

    /// A call, if its answer is the same at all times, or if it is an interrupt to itself.
    #[inline(always)]
    fn call(&'static self, context: &H::Context, whole: Rest) -> Option<Rest> {
        let (function, argument) = (context.x(0) as u32, context.x(1));
        if let Some(answer) = constant(function, argument as u32) {
            context.set_x(0, answer);
            return None;
        }
        match function {
            call::RING_SELF => self.ring_self(context, argument, whole),
            _ => Some(whole),
        }
    }

    /// The interrupt of a channel, which the partition requests for itself.
    #[inline]
    fn ring_self(&'static self, context: &H::Context, channel: u64, whole: Rest) -> Option<Rest> {
        let Some(loaded) = self.loaded(H::cpu()) else {
            return Some(whole);
        };
        let own = self.channels[loaded.partition].load(Ordering::Relaxed);
        if channel >= CHANNELS as u64 || own >> channel & 1 == 0 {
            context.set_x(0, call::INVALID);
            return None;
        }
        context.set_x(0, call::SUCCESS);
        let number = layout::CHANNEL_INTERRUPT + channel as u32;
        let mut controller = self.controller(loaded.partition);
        let kick = controller.raise(loaded.number, number);
        fill::<H>(controller, loaded.number, kick)
    }

    /// A use of a system register, if it is the VCPU's alone, or sends an interrupt in its
    /// partition.
    #[inline(always)]
    fn register(&'static self, context: &H::Context, syndrome: u64, whole: Rest) -> Option<Rest> {
        let register = syndrome::register(syndrome);
        if is_of_the_vcpu(register.name) {
            use_register::<H>(context, syndrome, register);
            return None;
        }
        let loaded = self.loaded(H::cpu());
        let sends = register.name == ICC_SGI1R && !register.read;
        let Some(loaded) = loaded.filter(|_| sends) else {
            return Some(whole);
        };
        let value = context.x(register.register);
        resume_at(context, syndrome, GuestControl::Behind);
        let mut controller = self.controller(loaded.partition);
        let kick = controller.send(loaded.number, value);
        fill::<H>(controller, loaded.number, kick)
    }

    /// An access to the interrupt controller, or to the console.
    #[inline]
    fn access(&'static self, context: &H::Context, syndrome: u64, whole: Rest) -> Option<Rest> {
        let physical = H::addresses().physical;
        let Some((frame, offset)) = Frame::at(physical) else {
            return self.console(
                context,
                syndrome,
                physical.wrapping_sub(layout::CONSOLE),
                whole,
            );
        };
        let Some(access) = syndrome::access(syndrome) else {
            return Some(whole);
        };
        let Some(loaded) = self.loaded(H::cpu()) else {
            return Some(whole);
        };
        let controller = self.controller(loaded.partition);
        if !controller.has_frame(frame) {
            return Some(whole);
        }
        let effects = if access.write {
            let value = context.x(access.register);
            let bytes = access.bytes as usize;
            write::<H>(controller, loaded.number, (frame, offset), (bytes, value))
        } else if frame.tells_states(offset) {
            // Sources are asked with the lock of the hypervisor.
            return Some(whole);
        } else {
            let value = controller.read(frame, offset, access.bytes as usize);
            drop(controller);
            context.set_x(access.register, access.extended(value));
            Effects::NONE
        };
        resume_at(context, syndrome, GuestControl::Behind);
        (effects != Effects::NONE).then_some(Rest::Effects(effects))
    }

    /// An access at `offset` of the console, if a console is there and no byte leaves by it.
    fn console(
        &'static self,
        context: &H::Context,
        syndrome: u64,
        offset: u64,
        whole: Rest,
    ) -> Option<Rest> {
        let loaded = self
            .loaded(H::cpu())
            .filter(|_| offset < layout::CONSOLE_BYTES);
        let access =
            syndrome::access(syndrome).filter(|access| !access.write || !is_output(offset));
        let (Some(loaded), Some(access)) = (loaded, access) else {
            return Some(whole);
        };
        let mut devices = self.devices(loaded.partition);
        let Some(console) = &mut devices.console else {
            return Some(whole);
        };
        let write = access.write.then(|| context.x(access.register));
        let value = console.access(offset, access.bytes as usize, write, &mut |_| {});
        let kick = devices.update_console();
        if !access.write {
            context.set_x(access.register, access.extended(value));
        }
        resume_at(context, syndrome, GuestControl::Behind);
        if kick == 0 {
            return None;
        }
        let controller = MutexGuard::map(devices, |devices| &mut devices.controller);
        fill::<H>(controller, loaded.number, kick)
    }

    /// An interrupt, of which the guest's timer is the partition's own.
    #[inline]
    fn interrupt(&'static self) -> Option<Rest> {
        let number = H::acknowledge()?;
        let loaded = self.loaded(H::cpu()).filter(|_| number == TIMER_INTERRUPT);
        let Some(loaded) = loaded else {
            return Some(Rest::Acknowledged(number));
        };
        // It stays active until the guest ends it.
        let mut controller = self.controller(loaded.partition);
        if controller.renew_timer(loaded.number, &mut H::lists()) {
            return None;
        }
        let kick = controller.raise_timer(loaded.number);
        fill::<H>(controller, loaded.number, kick)
    }

    /// Notes that `partition` has an end of `channel` in its memory.
    pub(super) fn add_channel(&self, partition: usize, channel: usize) {
        self.channels[partition].fetch_or(1 << channel, Ordering::Relaxed);
    }
}

/// Ends an exit by which the VCPUs in `kick` have something to do: those but the one that was left,
/// which has `number` and whose list registers are filled, are to be notified.
#[inline]
fn fill<H: Hardware>(mut controller: Controller<H>, number: usize, kick: u16) -> Option<Rest> {
    let mut effects = controller.flush(number, &mut H::lists());
    effects.kick |= kick & !(1 << number);
    (effects != Effects::NONE).then_some(Rest::Effects(effects))
}

/// Carries out a write of VCPU `number` to the interrupt controller, and fills its list registers.
/// Returns what is to be done elsewhere.
fn write<H: Hardware>(
    mut controller: Controller<H>,
    number: usize,
    (frame, offset): (Frame, u64),
    (bytes, value): (usize, u64),
) -> Effects {
    let lists = &mut H::lists();
    // The interrupts that the guest has taken and ended are in the list registers.
    let mut effects = controller.sync(number, lists);
    effects.add(controller.write(frame, offset, bytes, value));
    effects.add(controller.flush(number, lists));
    effects.kick &= !(1 << number);
    effects
}

/// A use of a system register that is the VCPU's alone.
#[inline(always)]
fn use_register<H: Hardware>(context: &H::Context, syndrome: u64, register: Register) {
    let user = is_user(context.state());
    let done = match register.read {
        true => read_own::<H>(context, register.name, user)
            .map(|value| context.set_x(register.register, value)),
        false => write_own(context, register.name, user, context.x(register.register)),
    };
    let place = match done {
        Some(()) => GuestControl::Behind,
        // If EL1 denies it to EL0, EL1 gets the syndrome that the processor would give.
        None if syndrome::is_channel(register.name) => GuestControl::At(syndrome, 0),
        None => GuestControl::At(syndrome::UNDEFINED, 0),
    };
    resume_at(context, syndrome, place);
}
