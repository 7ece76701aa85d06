//! A machine at EL2 on the host: the hypervisor's real core in virtual time, its guests
//! programs of a few words.
//!
//! Owns: the run of such a machine ([`Rig`]), what its guests can do ([`Act`]), what was seen of
//! them, and guests that do one act after another ([`Script`]).
//! Must never know: how the hypervisor decides.
//!
//! Nothing takes time but [`Act::Run`], each exit ([`Costs::exit`]) and the way of an interrupt
//! from one processor to another ([`Costs::call`]). At one instant the lowest processor acts first;
//! what an act leads to on the same processor comes before anything on another one. So a run is the
//! same every time.
//!
//! A guest's interrupts are taken as its kernel would: the handler ends each at once, and switches
//! its timer off.

mod context;
mod hardware;
mod lock;
mod rig;
mod script;

pub use context::{Injected, Registers};
pub use hardware::{Mock, Shown, counter, ticks};
pub use rig::{Costs, Guest, Rig, View};
pub use script::{Script, read, write};

/// Next act of a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// It executes for this time, in nanoseconds.
    Run(u64),
    /// It sets its virtual timer for that tick of the counter; none switches it off.
    Timer(Option<u64>),
    /// It waits for an interrupt.
    Wait,
    /// It sets its virtual timer for that tick and waits, with interrupts masked in between as a
    /// kernel does.
    WaitUntil(u64),
    /// HVC #0 with these in x0 to x3.
    Call([u64; 4]),
    /// It writes or reads what is not its memory: address, bytes, what is written.
    Access(u64, u32, Option<u64>),
    /// The state that its processor is in from then on (SPSR_EL2).
    State(u64),
    /// It leaves its processor by an exception of any kind: syndrome, address, physical address,
    /// and x5.
    Exception(u64, u64, u64, u64),
    /// It writes the first value to x5, and executes for the second one's nanoseconds: then
    /// [`View::answer`] shows the contents of x5.
    Keep(u64, u64),
}

/// ESR_EL2 of a WFI (Arm DDI 0487, section D24.2.40).
const WAIT: u64 = 0x01 << 26 | 1 << 25;
/// Of an MRS or MSR, of which the register is missing.
const REGISTER: u64 = 0x18 << 26 | 1 << 25;
/// Of an MSR of zero to CNTP_CTL_EL0.
const PHYSICAL_TIMER_OFF: u64 =
    REGISTER | 3 << 20 | 1 << 17 | 3 << 14 | 14 << 10 | 31 << 5 | 2 << 1;
/// Of an HVC #0.
const HYPERCALL: u64 = 0x16 << 26 | 1 << 25;
/// Of a data abort that describes its access, to x5 or from it: nothing is mapped there.
const ACCESS: u64 = 0x24 << 26 | 1 << 25 | 1 << 24 | 5 << 16 | 1 << 15 | 7;

/// The syndrome of an access.
pub const fn access(bytes: u32, write: bool) -> u64 {
    ACCESS | (bytes.trailing_zeros() as u64) << 22 | (write as u64) << 6
}
