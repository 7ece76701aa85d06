//! The seam: the operations of a processor at EL2 that the hypervisor needs.
//!
//! Owns: [`Hardware`], [`Context`], [`ListRegisters`], [`Exit`].
//! Must never know: partitions, schedulers.
//!
//! # Invariants
//! - One lock for the whole hypervisor, and one for the devices of each partition. All are taken
//!   with interrupts masked (EL2 always runs masked: interrupts come at guests, or end a
//!   wait). The order: the one lock before a partition's; a processor that has a partition's takes
//!   no other one.
//! - An exit saves the general registers of the VCPU that ran, its program counter and state, in
//!   its [`Hardware::context`], and calls the board's entry, which calls the hypervisor: first
//!   without the one lock, then, if something is left to do, with it. The action that it returns
//!   ([`Next`]) is performed. [`Hardware::save`] and [`Hardware::load`] move the rest.
//! - A context belongs to the processor that runs its VCPU; all others access it only when no
//!   processor runs it, with the lock held.

use lock_api::RawMutex;
use taktos_time::Instant;

/// Why a guest was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// An exception of the guest's (or of its memory accesses) that EL2 takes.
    Exception {
        /// ESR_EL2.
        syndrome: u64,
    },
    /// A physical interrupt.
    Interrupt,
    /// An asynchronous error (SError).
    Error,
}

/// The addresses that an exception is about, where its syndrome has any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Addresses {
    /// FAR_EL2: the guest's virtual address.
    pub guest: u64,
    /// The intermediate physical address, from HPFAR_EL2 and FAR_EL2.
    pub physical: u64,
}

/// Next action of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It resumes this VCPU, which has its registers loaded.
    Guest(usize),
    /// It waits for an interrupt, and calls when one has come.
    Idle,
    /// It gives the lock back, clears or copies memory if that was requested, takes the lock again,
    /// and calls without waiting. There is more to do, and others may need the lock in between.
    Again,
}

/// How memory looks to a partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Memory: cached, writable, executable.
    Memory,
    /// Memory that is shared: cached, writable, not executable.
    Shared,
    /// A device: neither cached nor executable.
    Device,
}

/// Why something cannot be mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapError {
    /// There are no more tables.
    NoTable,
    /// An address or a length is not a whole number of pages, or beyond the space.
    Range,
}

/// The list registers of a virtual interrupt interface (GICv3, `ICH_LR<n>_EL2`), in the processor
/// or saved.
pub trait ListRegisters {
    /// How many there are, 1 to 16.
    fn count(&self) -> usize;
    /// Register `n`.
    fn read(&self, n: usize) -> u64;
    /// Writes register `n`.
    fn write(&mut self, n: usize, value: u64);
    /// Sets what asserts the maintenance interrupt besides ends with a requested notice.
    /// ICH_HCR_EL2.EOIcount is zero afterwards.
    fn set_notices(&mut self, notices: Notices);
    /// The preemption level, 0 to 31, at which the guest acknowledges an interrupt of `priority`:
    /// by its binary point.
    fn level(&self, priority: u8) -> u8;
    /// The preemption levels at which the guest has acknowledged interrupts and not dropped the
    /// priority, a bit each (ICH_AP1R0_EL2).
    fn levels(&self) -> u32;
    /// Whether the guest's end of an interrupt only drops the priority, and ICC_DIR_EL1 deactivates
    /// (ICH_VMCR_EL2.VEOIM).
    fn ends_in_two_steps(&self) -> bool;
    /// Whether writes to ICC_DIR_EL1 alone can be trapped (ICH_VTR_EL2.TDS).
    fn traps_deactivation(&self) -> bool;
}

/// The events that assert the maintenance interrupt (ICH_HCR_EL2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Notices {
    /// At most one list register is in use (UIE).
    pub underflow: bool,
    /// No list register holds an interrupt that is pending and not active (NPIE).
    pub taken: bool,
    /// Active interrupts are in no list register: an end that no list register knew (LRENPIE).
    /// Writes to ICC_DIR_EL1 are trapped, too, where [`ListRegisters::traps_deactivation`]
    /// (TDIR).
    pub away: bool,
}

/// The guest's virtual timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VirtualTimer {
    /// CNTV_CTL_EL0: bit 0 enabled, bit 1 masked.
    pub control: u64,
    /// CNTV_CVAL_EL0, in ticks of the machine's counter.
    pub compare: u64,
}

impl VirtualTimer {
    /// Returns whether it asserts its interrupt when the counter shows `ticks`: it is enabled, not
    /// masked, and its instant has come (Arm DDI 0487, D11.2).
    #[inline(always)]
    pub const fn is_due(&self, ticks: u64) -> bool {
        self.control & 3 == 1 && self.compare <= ticks
    }
}

/// The registers of a VCPU that is in the hypervisor's hands. All take `&self`: the invariant of
/// contexts (see the module's head) defines the permitted callers.
pub trait Context {
    /// General register `n`, 0 to 30; 31 reads as zero.
    fn x(&self, n: usize) -> u64;
    /// Sets general register `n`; 31 goes nowhere.
    fn set_x(&self, n: usize, value: u64);
    /// The program counter.
    fn pc(&self) -> u64;
    /// Sets the program counter.
    fn set_pc(&self, pc: u64);
    /// The processor state (SPSR_EL2): bit 7 is set if interrupts are masked.
    fn state(&self) -> u64;
    /// Sets the processor state.
    fn set_state(&self, state: u64);
    /// Stored bits of MDSCR_EL1; a reset clears them.
    fn debug(&self) -> u64;
    /// Sets them.
    fn set_debug(&self, bits: u64);
    /// Puts all registers into the state after a reset: EL1h, masked, translation off, `pc`, x0 =
    /// `argument`, the others zero, timers off, list registers empty. `affinity` is what
    /// MPIDR_EL1 shows (bit 31 set by the implementation).
    fn reset(&self, pc: u64, argument: u64, affinity: u64);
    /// The guest's timer as it was saved by [`Hardware::save`].
    fn timer(&self) -> VirtualTimer;
    /// Takes a synchronous exception to the guest's EL1 (its own VBAR_EL1), as its processor would:
    /// ESR_EL1 = `syndrome`, FAR_EL1 = `address`, ELR_EL1 and SPSR_EL1 are the program counter
    /// and the state, of AArch32 too. The VCPU is the caller's current one, loaded.
    fn inject(&self, syndrome: u64, address: u64);
}

/// A machine at EL2.
pub trait Hardware: 'static {
    /// The registers of a VCPU.
    type Context: Context + 'static;
    /// The list registers of the processor that calls.
    type Lists: ListRegisters;
    /// The lock of a partition's devices: processors get it in the order in which they came.
    type Lock: RawMutex + 'static;

    /// The number of the processor that calls, from 0.
    fn cpu() -> usize;
    /// Takes the lock.
    fn lock();
    /// Gives the lock back.
    fn unlock();

    /// The time since the machine started.
    fn now() -> Instant;
    /// When the counter shows `ticks` (the guest's virtual counter is the machine's: CNTVOFF is
    /// zero).
    fn instant(ticks: u64) -> Instant;
    /// The counter.
    fn ticks() -> u64;
    /// Sets this processor's hypervisor timer; an instant that has passed is due at once; none
    /// stops it.
    fn set_alarm(at: Option<Instant>);
    /// An interrupt to another processor: it comes as [`Exit::Interrupt`], with [`CALL_INTERRUPT`].
    fn call(cpu: usize);

    /// Takes the most urgent physical interrupt: its number; none if there is none. Its priority is
    /// dropped already; it stays active until [`Hardware::deactivate`] (or until the guest ends
    /// it, when a list register names it).
    fn acknowledge() -> Option<u32>;
    /// Ends interrupt `number`.
    fn deactivate(number: u32);
    /// Enables shared interrupt `number` and sends it to `cpu`; with none it is disabled, and
    /// requests wait meanwhile. An interrupt that is on its way already may still come to the
    /// former processor.
    fn route(number: u32, cpu: Option<usize>);
    /// Whether the source of shared interrupt `number`, which was acknowledged and not deactivated,
    /// is still asserted: the level of its line. An edge-triggered one has no level: then it
    /// returns true.
    fn is_asserted(number: u32) -> bool;
    /// Says whether private interrupt 27 (the guest's timer) is active on this processor: it
    /// belongs to the VCPU that runs here, so it changes with it.
    fn set_timer_active(active: bool);

    /// The addresses of the exception by which the guest of the processor that calls was left.
    fn addresses() -> Addresses;
    /// VCPU `vcpu`'s registers.
    fn context(vcpu: usize) -> &'static Self::Context;
    /// Saves what the exit has left in the processor of `vcpu`, which ran here: system registers,
    /// virtual timer (and stops it), virtual interface, floating point.
    fn save(vcpu: usize);
    /// Loads `vcpu`, of partition `space`, into this processor: all but what the exit's return
    /// restores. `wait_trapped`: WFI comes as an exit.
    fn load(vcpu: usize, space: usize, wait_trapped: bool);
    /// The list registers of the VCPU that is loaded here.
    fn lists() -> Self::Lists;
    /// The virtual timer of the VCPU that is loaded here.
    fn timer() -> VirtualTimer;

    /// Returns the machine's address of the virtual `address` of the VCPU that is loaded here, as a
    /// read at EL0 (`user`) or EL1 finds it. None if it would fault. Its translation is not kept
    /// from changing.
    fn translate(address: u64, user: bool) -> Option<u64>;
    /// Waits until all that was written on this processor has arrived, and takes the asynchronous
    /// error that came of it, if one did.
    fn take_error() -> bool;

    /// The identification register with op0 = 3, op1 = 0, CRn = 0, `crm` (1 to 7) and `op2` (0 to
    /// 7); zero for one that there is not.
    fn identity(crm: u32, op2: u32) -> u64;

    /// Forgets all of partition `space`'s translations on this processor, first stage too.
    fn flush(space: usize);
    /// Maps `bytes` at `at` of partition `space` to `physical`. Blocks of 2 MiB are used where they
    /// fit.
    fn map(space: usize, at: u64, physical: u64, bytes: u64, kind: Kind) -> Result<(), MapError>;
    /// Clears `bytes` of the machine's memory, whole multiples of 256 like the address: guests find
    /// zeros, whatever their caches are. It is begun when the lock has been given back, and done as
    /// far as no interrupt comes ([`Hardware::take_moved`]); the answer to the exit is
    /// [`Next::Again`], and nothing else was requested in it.
    fn clear(at: u64, bytes: u64);
    /// Copies `bytes` of the machine's memory, and makes them visible to instruction fetches. When
    /// it is done is as for [`Hardware::clear`].
    fn copy(to: u64, from: u64, bytes: u64);
    /// Returns how many bytes of the last clear or copy on this processor are done, once.
    fn take_moved() -> u64;
    /// Reads a word of a channel's memory, or of a partition's; sequentially consistent with all
    /// accesses to such words.
    fn read_word(physical: u64) -> u32;
    /// Writes a word of a channel's memory; sequentially consistent with all accesses to such
    /// words.
    fn write_word(physical: u64, value: u32);
    /// Reads a byte of a channel's memory.
    fn read_byte(physical: u64) -> u8;
    /// Writes a byte of a channel's memory.
    fn write_byte(physical: u64, value: u8);

    /// Writes to the machine's console what it has room for: how many of `bytes`. Where that is not
    /// all, [`CONSOLE_INTERRUPT`] comes when there is room again.
    fn write(bytes: &[u8]) -> usize;
    /// The next byte of the console's input.
    fn read() -> Option<u8>;
    /// Records for external observers that this processor runs `vcpu` from now on.
    fn show(vcpu: Option<usize>);
    /// Ends the machine.
    fn off() -> !;
}

/// The software interrupt by which processors call each other.
pub const CALL_INTERRUPT: u32 = 0;
/// The machine's console has input, or space that was waited for (PL011, SPI 1 on the board).
pub const CONSOLE_INTERRUPT: u32 = 33;
