//! Owns: exits that need no lock of the hypervisor, and the part of others that needs none.
//! Must never know: schedulers, the state that the lock guards.
//!
//! Constant calls and the registers of a VCPU alone need no lock. Accesses to the interrupt
//! controller and the console, and the interrupt of the guest's timer, need that of the partition's
//! devices, a doorbell that of the other end's. Where a VCPU is to be notified that runs, its
//! processor is called; one that waits is woken with the lock of the hypervisor. So whatever other
//! partitions do, such an exit waits for no more than a ring of each of them.
//!
//! A VCPU that a sibling has just put off may still get here, once: it changes its own registers
//! and its partition's devices, which both begin again before the partition runs again.

use super::calls::{constant, psci};
use super::exits::{GuestControl, is_user, resume_at};
use super::registers::{ICC_SGI1R, is_of_the_vcpu, read_own, write_own};
use super::shared::{Controller, Loaded, Shared};
use crate::hardware::{CALL_INTERRUPT, Context, Exit, Hardware};
use crate::syndrome::{self, Access, Register};
use crate::uart::is_output;
use crate::vgic::{Effects, Frame};
use lock_api::MutexGuard;
use taktos_abi::vm::layout::TIMER_INTERRUPT;
use taktos_abi::vm::{call, layout};

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
    /// The work that a change of a partition's interrupt controller makes elsewhere.
    Effects(usize, Effects),
    /// Work of this processor that others have noted.
    Due,
    /// Nothing ends the VCPU's wait so far: it waits.
    Wait,
    /// The VCPU lets others go first once.
    Yield,
    /// The VCPU rings for this end of a channel, which is a UART.
    Rung(usize, usize),
}

impl<H: Hardware> Shared<H> {
    /// Carries out what of `exit` concerns the VCPU that was left, with the registers `context`, or
    /// its partition's interrupt controller, alone. Called by the processor that left it, without a
    /// lock. Returns what is left to do; none if the VCPU resumes. Bound: see
    /// [`VirtualGic::write`](crate::vgic::VirtualGic::write) and
    /// [`VirtualGic::flush`](crate::vgic::VirtualGic::flush); other VCPUs of the partition may be
    /// waited for, one such step each.
    #[inline(always)]
    pub fn exit(&'static self, context: &H::Context, exit: Exit) -> Option<Rest> {
        let whole = Rest::Whole(exit);
        match exit {
            Exit::Exception { syndrome } => match syndrome >> 26 {
                syndrome::HYPERCALL if syndrome as u16 == 0 => self.call_of(context, whole),
                syndrome::WAIT => self.wait(context, syndrome, whole),
                syndrome::SECURE_CALL => self.secure_call(context, syndrome, whole),
                syndrome::REGISTER => self.register(context, syndrome, whole),
                syndrome::DATA_ABORT => self.access(context, syndrome, whole),
                _ => Some(whole),
            },
            Exit::Interrupt => self.interrupt(),
            Exit::Error => Some(whole),
        }
    }

    /// A call, if its answer is the same at all times, or others have no part in it but by
    /// interrupts.
    #[inline(always)]
    fn call_of(&'static self, context: &H::Context, whole: Rest) -> Option<Rest> {
        let (function, argument) = (context.x(0) as u32, context.x(1));
        if let Some(answer) = constant(function, argument as u32) {
            context.set_x(0, answer);
            return None;
        }
        match function {
            call::RING_SELF | call::DOORBELL => self.ring(context, function, argument, whole),
            _ => self.call_by(context, function, argument, whole),
        }
    }

    /// Another call with an answer that depends on the partition.
    #[inline(never)]
    fn call_by(
        &'static self,
        context: &H::Context,
        function: u32,
        argument: u64,
        whole: Rest,
    ) -> Option<Rest> {
        let Some(loaded) = self.loaded(H::cpu()) else {
            return Some(whole);
        };
        match function {
            call::YIELD => {
                context.set_x(0, call::SUCCESS);
                Some(Rest::Yield)
            }
            call::WHO => self.who(context, loaded),
            call::CHANNEL => self.channel(context, loaded, argument),
            _ => match function & !psci::WIDE {
                psci::AFFINITY_INFO => self.affinity_info(context, loaded, function),
                psci::CPU_SUSPEND => {
                    context.set_x(0, call::SUCCESS);
                    self.wait_for_interrupt(loaded)
                }
                _ => Some(whole),
            },
        }
    }

    /// WFI or WFE.
    #[inline]
    fn wait(&'static self, context: &H::Context, syndrome: u64, whole: Rest) -> Option<Rest> {
        let Some(loaded) = self.loaded(H::cpu()) else {
            return Some(whole);
        };
        let state = context.state();
        let waits = !syndrome::is_aarch32(state) || syndrome::holds(syndrome, state);
        resume_at(context, syndrome, GuestControl::Behind);
        match waits {
            false => None,
            true if syndrome::is_event(syndrome) => Some(Rest::Yield),
            true => self.wait_for_interrupt(loaded),
        }
    }

    /// The VCPU that was left waits for an interrupt. If one is there, its timer is due, or what it
    /// has ended has effects elsewhere, it resumes at once. One that comes from now on finds the
    /// VCPU loaded, and ends its wait when it is taken off.
    #[inline]
    fn wait_for_interrupt(&'static self, loaded: Loaded) -> Option<Rest> {
        let mut controller = self.controller(loaded.partition());
        let effects = controller.sync(loaded.number(), &mut H::lists());
        let resumes = controller.is_deliverable(loaded.number()) || effects != Effects::NONE;
        if resumes {
            return self.fill(controller, loaded, effects);
        }
        drop(controller);
        // Its timer's interrupt comes as soon as the guest runs.
        let due = H::timer().is_due(H::ticks());
        (!due).then_some(Rest::Wait)
    }

    /// A call by SMC, which is trapped before it executes.
    #[cold]
    #[inline(never)]
    fn secure_call(
        &'static self,
        context: &H::Context,
        syndrome: u64,
        whole: Rest,
    ) -> Option<Rest> {
        let rest = self.call_of(context, whole);
        if rest != Some(whole) {
            resume_at(context, syndrome, GuestControl::Behind);
        }
        rest
    }

    /// The number of the caller's partition, and how often it has been started.
    #[inline(never)]
    fn who(&'static self, context: &H::Context, loaded: Loaded) -> Option<Rest> {
        context.set_x(1, self.devices(loaded.partition()).starts.into());
        context.set_x(0, loaded.partition() as u64);
        None
    }

    /// The end of `channel` that the caller's partition has, and how long its memory is.
    #[inline(never)]
    fn channel(&self, context: &H::Context, loaded: Loaded, channel: u64) -> Option<Rest> {
        let ends = self.ends(channel);
        let answer = match ends.end_of(loaded.partition()) {
            Some(end) => {
                context.set_x(1, end as u64);
                context.set_x(2, ends.bytes());
                call::SUCCESS
            }
            None => call::INVALID,
        };
        context.set_x(0, answer);
        None
    }

    /// The interrupt of a channel, for the other end ([`call::DOORBELL`]) or the caller itself.
    #[inline(never)]
    fn ring(
        &'static self,
        context: &H::Context,
        function: u32,
        channel: u64,
        whole: Rest,
    ) -> Option<Rest> {
        let Some(loaded) = self.loaded(H::cpu()) else {
            return Some(whole);
        };
        let ends = self.ends(channel);
        let Some(end) = ends.end_of(loaded.partition()) else {
            context.set_x(0, call::INVALID);
            return None;
        };
        context.set_x(0, call::SUCCESS);
        let number = layout::CHANNEL_INTERRUPT + channel as u32;
        if function == call::RING_SELF {
            let mut controller = self.controller(loaded.partition());
            let kick = controller.raise(0, number);
            return self.fill(controller, loaded, Effects::of_kick(kick));
        }
        let Some(peer) = ends.in_memory(1 - end) else {
            return Some(Rest::Rung(channel as usize, 1 - end));
        };
        let mut devices = self.devices(peer);
        let kick = match devices.runs {
            true => devices.controller.raise(0, number),
            false => 0,
        };
        drop(devices);
        let kick = self.call_loaded(peer, kick);
        rest_of(peer, Effects::of_kick(kick))
    }

    /// Whether all VCPUs of the caller's partition in the affinity in x1 are off; of that the
    /// fields below the level in x2 do not count.
    #[inline(never)]
    fn affinity_info(
        &'static self,
        context: &H::Context,
        loaded: Loaded,
        function: u32,
    ) -> Option<Rest> {
        const LEVELS: u32 = 4;
        const FIELD: u32 = 8;
        let affinity = match function & psci::WIDE {
            0 => context.x(1) & 0xFFFF_FFFF,
            _ => context.x(1),
        };
        let devices = self.devices(loaded.partition());
        let asked = match context.x(2) as u32 {
            0 => devices.controller.mask_of(affinity),
            // Above the lowest level all VCPUs are together.
            level @ 1..LEVELS if affinity >> (level * FIELD) == 0 => Some(u16::MAX),
            _ => None,
        };
        let on = devices.on;
        drop(devices);
        context.set_x(
            0,
            asked.map_or(psci::INVALID, |asked| u64::from(asked & on == 0)),
        );
        None
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
        let mut controller = self.controller(loaded.partition());
        let kick = controller.send(loaded.number(), value);
        self.fill(controller, loaded, Effects::of_kick(kick))
    }

    /// An access to the interrupt controller, or to the console.
    #[inline]
    fn access(&'static self, context: &H::Context, syndrome: u64, whole: Rest) -> Option<Rest> {
        let described = (self.loaded(H::cpu()), syndrome::access(syndrome));
        let (Some(loaded), Some(access)) = described else {
            return Some(whole);
        };
        let Some((frame, offset)) = Frame::at(H::addresses().physical) else {
            return self.console(context, loaded, (syndrome, access), whole);
        };
        let mut controller = self.controller(loaded.partition());
        if !controller.has_frame(frame) {
            return Some(whole);
        }
        let bytes = access.bytes as usize;
        if access.write {
            // The interrupts that the guest has taken and ended are in the list registers.
            let mut effects = controller.sync(loaded.number(), &mut H::lists());
            effects.add(controller.write(frame, offset, bytes, context.x(access.register)));
            resume_at(context, syndrome, GuestControl::Behind);
            return self.fill(controller, loaded, effects);
        }
        if frame.tells_states(offset) {
            // Sources are asked with the lock of the hypervisor.
            return Some(whole);
        }
        let value = controller.read(frame, offset, bytes);
        drop(controller);
        context.set_x(access.register, access.extended(value));
        resume_at(context, syndrome, GuestControl::Behind);
        None
    }

    /// An access to the console, if a console is there and no byte leaves by it.
    fn console(
        &'static self,
        context: &H::Context,
        loaded: Loaded,
        (syndrome, access): (u64, Access),
        whole: Rest,
    ) -> Option<Rest> {
        let offset = H::addresses().physical.wrapping_sub(layout::CONSOLE);
        if offset >= layout::CONSOLE_BYTES || access.write && is_output(offset) {
            return Some(whole);
        }
        let mut devices = self.devices(loaded.partition());
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
        self.fill(controller, loaded, Effects::of_kick(kick))
    }

    /// An interrupt, of which the guest's timer is the partition's own.
    #[inline]
    fn interrupt(&'static self) -> Option<Rest> {
        let number = H::acknowledge()?;
        let here = H::cpu();
        let Some(loaded) = self.loaded(here) else {
            return Some(Rest::Acknowledged(number));
        };
        match number {
            TIMER_INTERRUPT => self.timer(loaded),
            CALL_INTERRUPT => {
                H::deactivate(number);
                match self.take_call(here) {
                    true => Some(Rest::Due),
                    false => self.look(loaded),
                }
            }
            _ => Some(Rest::Acknowledged(number)),
        }
    }

    /// Interrupts may have come for the loaded VCPU.
    fn look(&'static self, loaded: Loaded) -> Option<Rest> {
        let devices = self.devices(loaded.partition());
        if devices.doubtful >> loaded.number() & 1 != 0 {
            return Some(Rest::Due);
        }
        let controller = MutexGuard::map(devices, |devices| &mut devices.controller);
        self.fill(controller, loaded, Effects::NONE)
    }

    /// The guest's timer has fired.
    #[inline(always)]
    fn timer(&'static self, loaded: Loaded) -> Option<Rest> {
        // It stays active until the guest ends it.
        let mut controller = self.controller(loaded.partition());
        if controller.renew_timer(loaded.number(), &mut H::lists()) {
            return None;
        }
        let kick = controller.raise_timer(loaded.number());
        self.fill(controller, loaded, Effects::of_kick(kick))
    }

    /// Ends an exit that had `effects` on the partition: the list registers of the VCPU that was
    /// left are filled, others are notified.
    #[inline]
    fn fill(
        &'static self,
        mut controller: Controller<H>,
        loaded: Loaded,
        mut effects: Effects,
    ) -> Option<Rest> {
        effects.kick &= !(1 << loaded.number());
        effects.add(controller.flush(loaded.number(), &mut H::lists()));
        drop(controller);
        effects.kick = self.call_loaded(loaded.partition(), effects.kick);
        rest_of(loaded.partition(), effects)
    }
}

/// The rest of an exit with these effects on `partition`.
#[inline(always)]
fn rest_of(partition: usize, effects: Effects) -> Option<Rest> {
    (effects != Effects::NONE).then_some(Rest::Effects(partition, effects))
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
