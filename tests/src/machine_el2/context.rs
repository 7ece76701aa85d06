//! Owns: the registers of a VCPU, its list registers among them.
//! Must never know: the guest that runs on it.

use std::cell::{Cell, RefCell};

use taktos_hypervisor::hardware::{Context, ListRegisters, Notices, VirtualTimer};

/// How many list registers there are: as on the Cortex-A53 and A57.
const LISTS: usize = 4;

/// The state of a list register that is not in use (Arm IHI 0069, section 12.4.9).
const STATE: u64 = 3 << 62;
const PENDING: u64 = 1 << 62;
/// The guest's timer.
const TIMER: u32 = taktos_abi::vm::layout::TIMER_INTERRUPT;
/// It names a physical interrupt.
const PHYSICAL: u64 = 1 << 61;
/// Where it does not: notice of the end is wanted.
const NOTIFY: u64 = 1 << 41;

/// An exception that was given to a guest's EL1: ESR_EL1, FAR_EL1, ELR_EL1, SPSR_EL1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Injected {
    /// Its cause.
    pub syndrome: u64,
    /// The address that it is about.
    pub address: u64,
    /// Where the guest was.
    pub pc: u64,
    /// The state that it was in.
    pub state: u64,
}

/// The registers of a VCPU.
#[derive(Debug, Default)]
pub struct Registers {
    x: [Cell<u64>; 31],
    pc: Cell<u64>,
    state: Cell<u64>,
    timer: Cell<VirtualTimer>,
    lists: [Cell<u64>; LISTS],
    injected: Cell<u64>,
    exception: Cell<Option<Injected>>,
    resets: Cell<u64>,
    debug: Cell<u64>,
    taken: RefCell<Vec<u32>>,
}

impl Registers {
    /// How often it was reset.
    pub fn resets(&self) -> u64 {
        self.resets.get()
    }

    /// How many exceptions it was given.
    pub fn injected(&self) -> u64 {
        self.injected.get()
    }

    /// The last exception that it was given, once.
    pub fn take_exception(&self) -> Option<Injected> {
        self.exception.take()
    }

    /// How many interrupts its guest has taken.
    pub fn taken(&self) -> u64 {
        self.taken.borrow().len() as u64
    }

    /// Whether the last interrupt that its guest has taken was `number`.
    pub(super) fn took(&self, number: u32) -> bool {
        self.taken.borrow().last() == Some(&number)
    }

    /// Whether its guest has taken interrupt `number`.
    pub fn has_taken(&self, number: u32) -> bool {
        self.taken.borrow().contains(&number)
    }

    /// Writes its virtual timer.
    pub fn set_timer(&self, at: Option<u64>) {
        self.timer.set(VirtualTimer {
            control: u64::from(at.is_some()),
            compare: at.unwrap_or(0),
        });
    }

    /// The handler of its guest takes and ends what is pending in its list registers. Says whether
    /// there was anything, and which physical interrupts are ended with it.
    pub(super) fn take_interrupts(&self) -> (bool, Vec<u32>) {
        let (mut any, mut physical) = (false, Vec::new());
        for list in &self.lists {
            let value = list.get();
            if value & STATE == 0 {
                continue;
            }
            if value & PENDING != 0 {
                any = true;
                self.taken.borrow_mut().push(value as u32);
            }
            if value as u32 == TIMER {
                self.set_timer(None);
            }
            if value & PHYSICAL != 0 {
                physical.push((value >> 32) as u32 & 0x3FF);
            }
            list.set(value & !STATE);
        }
        (any, physical)
    }

    /// An interrupt has ended of which notice is wanted: the maintenance interrupt is asserted.
    pub(super) fn has_notice(&self) -> bool {
        let ended = |value: u64| value & (STATE | PHYSICAL | NOTIFY) == NOTIFY;
        self.lists.iter().any(|list| ended(list.get()))
    }

    /// Whether a list register holds a pending interrupt.
    pub(super) fn is_interrupted(&self) -> bool {
        self.lists.iter().any(|list| list.get() & PENDING != 0)
    }
}

/// List registers.
pub struct Lists<'a>(&'a Registers);

impl ListRegisters for Lists<'_> {
    fn count(&self) -> usize {
        LISTS
    }
    fn read(&self, n: usize) -> u64 {
        self.0.lists[n].get()
    }
    fn write(&mut self, n: usize, value: u64) {
        self.0.lists[n].set(value);
    }
    fn set_notices(&mut self, _: Notices) {}
    fn level(&self, priority: u8) -> u8 {
        priority >> 3
    }
    fn levels(&self) -> u32 {
        // Its handlers do not run inside each other.
        0
    }
    fn ends_in_two_steps(&self) -> bool {
        false
    }
    fn traps_deactivation(&self) -> bool {
        true
    }
}

impl Context for Registers {
    fn x(&self, n: usize) -> u64 {
        self.x.get(n).map_or(0, Cell::get)
    }
    fn set_x(&self, n: usize, value: u64) {
        if let Some(register) = self.x.get(n) {
            register.set(value);
        }
    }
    fn pc(&self) -> u64 {
        self.pc.get()
    }
    fn set_pc(&self, pc: u64) {
        self.pc.set(pc);
    }
    fn state(&self) -> u64 {
        self.state.get()
    }
    fn set_state(&self, state: u64) {
        self.state.set(state);
    }
    fn debug(&self) -> u64 {
        self.debug.get()
    }
    fn set_debug(&self, bits: u64) {
        self.debug.set(bits);
    }
    fn reset(&self, pc: u64, argument: u64, _: u64) {
        self.debug.set(0);
        for register in &self.x {
            register.set(0);
        }
        self.set_x(0, argument);
        self.pc.set(pc);
        self.state.set(0x3C5);
        self.timer.set(VirtualTimer::default());
        for list in &self.lists {
            list.set(0);
        }
        self.resets.set(self.resets.get() + 1);
    }
    fn timer(&self) -> VirtualTimer {
        self.timer.get()
    }
    fn inject(&self, syndrome: u64, address: u64) {
        self.injected.set(self.injected.get() + 1);
        self.exception.set(Some(Injected {
            syndrome,
            address,
            pc: self.pc.get(),
            state: self.state.get(),
        }));
    }
}

impl Registers {
    /// Its list registers, as those of the processor that it is loaded in.
    pub(super) fn loaded(&self) -> Lists<'_> {
        Lists(self)
    }
}
