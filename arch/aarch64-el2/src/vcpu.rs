//! Owns: the registers of a VCPU that is not in the processor, and how it begins.
//! Must never know: when it runs.

use crate::lists::LISTS;
use aarch64_cpu::registers::{ELR_EL1, ESR_EL1, FAR_EL1, Readable, SPSR_EL1, VBAR_EL1, Writeable};
use core::cell::Cell;
use core::mem::offset_of;
use taktos_abi::vm::Description;
use taktos_hypervisor::hardware::{Context, VirtualTimer};

/// Words of the system registers that [`crate::world`] moves in pairs.
pub(crate) const SYSTEM: usize = 24;
/// The places of those that a reset sets, as `crate::world` orders them.
const SCTLR: usize = 4;
const INTERFACE: usize = 23;

/// The registers of a VCPU. The laboratory watches which one runs: see `TAKTOS_VCPUS`.
///
/// The general registers, the program counter and the state are here from an exit to the return;
/// the others only while another VCPU, or none, is loaded.
#[repr(C, align(64))]
pub struct Vcpu {
    pub(crate) x: [Cell<u64>; 31],
    pub(crate) pc: Cell<u64>,
    pub(crate) state: Cell<u64>,
    pub(crate) affinity: Cell<u64>,
    pub(crate) system: [Cell<u64>; SYSTEM],
    pub(crate) timer: [Cell<u64>; 2],
    pub(crate) float_control: [Cell<u64>; 2],
    pub(crate) float: [Cell<[u64; 2]>; 32],
    pub(crate) lists: [Cell<u64>; LISTS],
    /// ICH_HCR_EL2 and ICH_VMCR_EL2.
    pub(crate) interface: [Cell<u64>; 2],
    /// ICH_AP0R0_EL2 and ICH_AP1R0_EL2: the priorities that are being served.
    pub(crate) active: [Cell<u64>; 2],
    /// The bits of MDSCR_EL1 that are kept.
    debug: Cell<u64>,
}

/// ICH_HCR_EL2: the virtual interface is on.
const INTERFACE_ON: u64 = 1;

impl Vcpu {
    /// The offset of x30; the program counter follows it.
    pub(crate) const LINK: usize = offset_of!(Self, x) + 30 * 8;

    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    const NEW: Self = {
        const ZERO: Cell<u64> = Cell::new(0);
        Self {
            x: [ZERO; 31],
            pc: ZERO,
            state: ZERO,
            affinity: ZERO,
            system: [ZERO; SYSTEM],
            timer: [ZERO; 2],
            float_control: [ZERO; 2],
            float: [const { Cell::new([0; 2]) }; 32],
            lists: [ZERO; LISTS],
            interface: [ZERO; 2],
            active: [ZERO; 2],
            debug: ZERO,
        }
    };

    fn clear(&self) {
        let words = self
            .x
            .iter()
            .chain(&self.system)
            .chain(&self.timer)
            .chain(&self.float_control)
            .chain(&self.lists)
            .chain(&self.interface)
            .chain(&self.active);
        words.for_each(|word| word.set(0));
        self.float.iter().for_each(|pair| pair.set([0; 2]));
        self.debug.set(0);
    }
}

// The hand-written paths store x30 and the program counter as a pair.
const _: () = assert!(offset_of!(Vcpu, pc) == Vcpu::LINK + 8);

/// The registers of all VCPUs; the laboratory finds a VCPU's number by its address.
#[repr(transparent)]
pub struct Vcpus([Vcpu; Description::VCPUS]);

// SAFETY: by the invariant of contexts (see `taktos_hypervisor::hardware`) one processor at a time
// uses a VCPU's.
unsafe impl Sync for Vcpus {}

#[unsafe(no_mangle)]
static TAKTOS_VCPUS: Vcpus = Vcpus([const { Vcpu::NEW }; Description::VCPUS]);

/// VCPU `number`'s registers.
#[inline(always)]
pub(crate) fn vcpu(number: usize) -> &'static Vcpu {
    &TAKTOS_VCPUS.0[number]
}

/// SCTLR_EL1 with nothing but the bits that are one (Arm ARM of Armv8.0, D13.2.118): no
/// translation, no caches.
const SCTLR_RESET: u64 = 0x30D0_0800;
/// SPSR: EL1 on its own stack pointer, debug exceptions, errors and interrupts masked.
const EL1_MASKED: u64 = 0x3C5;
/// SPSR.M: AArch32, AArch64's exception level, and which stack pointer.
const AARCH32: u64 = 1 << 4;
const LEVEL: u64 = 0b11 << 2;
const OWN_STACK: u64 = 1;
/// MPIDR_EL1: bit 31 is one.
const AFFINITY_IS_ONE: u64 = 1 << 31;
/// ICC_SRE_EL1: the interface by system registers, and no other.
const BY_REGISTERS: u64 = 7;

/// The bytes of a vector table, which it is aligned to.
const VECTORS: u64 = 0x800;

/// Where the vector table of EL1 takes a synchronous exception from a guest in `state` (Arm ARM,
/// D1.10.2).
fn synchronous_vector(state: u64) -> u64 {
    match state {
        _ if state & AARCH32 != 0 => 0x600,
        _ if state & LEVEL == 0 => 0x400,
        _ if state & OWN_STACK != 0 => 0x200,
        _ => 0,
    }
}

impl Context for Vcpu {
    #[inline(always)]
    fn x(&self, n: usize) -> u64 {
        self.x.get(n).map_or(0, Cell::get)
    }

    #[inline(always)]
    fn set_x(&self, n: usize, value: u64) {
        if let Some(register) = self.x.get(n) {
            register.set(value);
        }
    }

    #[inline(always)]
    fn pc(&self) -> u64 {
        self.pc.get()
    }

    #[inline(always)]
    fn set_pc(&self, pc: u64) {
        self.pc.set(pc);
    }

    #[inline(always)]
    fn state(&self) -> u64 {
        self.state.get()
    }

    #[inline(always)]
    fn set_state(&self, state: u64) {
        self.state.set(state);
    }

    #[inline(always)]
    fn debug(&self) -> u64 {
        self.debug.get()
    }

    #[inline(always)]
    fn set_debug(&self, bits: u64) {
        self.debug.set(bits);
    }

    fn reset(&self, pc: u64, argument: u64, affinity: u64) {
        self.clear();
        self.x[0].set(argument);
        self.pc.set(pc);
        self.state.set(EL1_MASKED);
        self.affinity.set(affinity | AFFINITY_IS_ONE);
        self.system[SCTLR].set(SCTLR_RESET);
        self.system[INTERFACE].set(BY_REGISTERS);
        self.interface[0].set(INTERFACE_ON);
    }

    #[inline(always)]
    fn timer(&self) -> VirtualTimer {
        VirtualTimer {
            control: self.timer[0].get(),
            compare: self.timer[1].get(),
        }
    }

    fn inject(&self, syndrome: u64, address: u64) {
        ESR_EL1.set(syndrome);
        FAR_EL1.set(address);
        ELR_EL1.set(self.pc.get());
        SPSR_EL1.set(self.state.get());
        // Of the lowest bits, which are no part of an address, some can be set (Arm ARM, VBAR_EL1).
        let vectors = VBAR_EL1.get() & !(VECTORS - 1);
        self.pc.set(vectors + synchronous_vector(self.state.get()));
        self.state.set(EL1_MASKED);
    }
}
