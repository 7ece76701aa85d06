//! Owns: exits that concern nobody but the VCPU that was left, or its partition's interrupt
//! controller: they are carried out without the lock of the hypervisor.
//! Must never know: schedulers, other partitions, the state that the lock guards.
//!
//! Constant calls and the registers of a VCPU alone need no lock. Accesses to the interrupt
//! controller and the interrupt of the guest's timer need that of the controller; if others are to
//! be notified of a change, that follows with the lock of the hypervisor. So whatever other
//! partitions do, such an exit does not wait for them.
//!
//! A VCPU that a sibling has just put off may still get here, once: it changes its own registers and
//! its partition's controller, which both begin anew before the partition runs again.

use super::calls::constant;
use super::exits::{GuestControl, is_user, resume_at};
use super::registers::{is_of_the_vcpu, read_own, write_own};
use super::{CPUS, PARTITIONS, VCPUS};
use crate::hardware::{Context, Exit, Hardware};
use crate::syndrome;
use crate::table::Table;
use crate::vgic::{Effects, Frame, VirtualGic};
use core::sync::atomic::{AtomicU32, Ordering};
use lock_api::{Mutex, MutexGuard, RawMutex};
use taktos_abi::vm::layout::TIMER_INTERRUPT;

/// State that processors use without the lock of the hypervisor: the interrupt controller of each
/// partition, behind its own lock, and the VCPU that each processor has loaded.
pub struct Shared<H: Hardware> {
    controllers: Table<Mutex<H::Lock, VirtualGic>, PARTITIONS>,
    /// A processor alone writes its own, with the lock of the hypervisor: see [`Loaded::word`].
    loaded: Table<AtomicU32, CPUS>,
}

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
            controllers: Table(
                [const { Mutex::from_raw(H::Lock::INIT, VirtualGic::new()) }; PARTITIONS],
            ),
            loaded: Table([const { AtomicU32::new(0) }; CPUS]),
        }
    }

    /// The interrupt controller of `partition`. Waits for the other VCPUs of the partition, one
    /// exit each.
    #[inline(always)]
    pub(super) fn controller(
        &'static self,
        partition: usize,
    ) -> MutexGuard<'static, H::Lock, VirtualGic> {
        self.controllers[partition].lock()
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
                syndrome::HYPERCALL if syndrome as u16 == 0 => call(context, whole),
                syndrome::REGISTER => use_register::<H>(context, syndrome, whole),
                syndrome::DATA_ABORT => self.access(context, syndrome, whole),
                _ => Some(whole),
            },
            Exit::Interrupt => self.interrupt(),
            Exit::Error => Some(whole),
        }
    }

    /// An access to the interrupt controller.
    #[inline]
    fn access(&'static self, context: &H::Context, syndrome: u64, whole: Rest) -> Option<Rest> {
        let Some((frame, offset)) = Frame::at(H::addresses().physical) else {
            return Some(whole);
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
        let _ = controller.raise_timer(loaded.number);
        let effects = controller.flush(loaded.number, &mut H::lists());
        (effects != Effects::NONE).then_some(Rest::Effects(effects))
    }
}

/// Carries out a write of VCPU `number` to the interrupt controller, and fills its list registers.
/// Returns what is to be done elsewhere.
fn write<H: Hardware>(
    mut controller: MutexGuard<'static, H::Lock, VirtualGic>,
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

/// A call in the registers of the VCPU that was left: its answer, if that is the same at all
/// times.
#[inline(always)]
fn call(context: &impl Context, whole: Rest) -> Option<Rest> {
    match constant(context.x(0) as u32, context.x(1) as u32) {
        Some(answer) => {
            context.set_x(0, answer);
            None
        }
        None => Some(whole),
    }
}

/// A use of a system register, if it is the VCPU's alone.
#[inline(always)]
fn use_register<H: Hardware>(context: &H::Context, syndrome: u64, whole: Rest) -> Option<Rest> {
    let register = syndrome::register(syndrome);
    if !is_of_the_vcpu(register.name) {
        return Some(whole);
    }
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
    None
}
