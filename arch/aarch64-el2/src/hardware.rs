//! Owns: [`El2`], the machine as the hypervisor sees it. Must never know: the reasons for its
//! calls.

use crate::copy::Work;
use crate::lists::LoadedLists;
use crate::tables::Piece;
use crate::vcpu::{Vcpu, vcpu};
use crate::{
    console, controller, controls, exit, fault, identity, own, shown, stage2, start, timer,
    vectors, world,
};
use aarch64_cpu::registers::{CNTV_CTL_EL0, CNTV_CVAL_EL0, Readable};
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use core::sync::atomic::{AtomicU32, Ordering};
use lock_api::{GuardNoSend, RawMutex};
use taktos_hypervisor::hardware::{Addresses, Hardware, Kind, MapError, VirtualTimer};
use taktos_lock::QueuedLock;
use taktos_time::Instant;

/// QEMU's board `virt` at EL2.
pub struct El2;

impl El2 {
    /// Sets the first processor up: its memory map, its exceptions, the clock. Called once, first
    /// of all, by the board's program, on the start-up stack; panics are reported from then on.
    pub fn set_up() {
        start::set_up();
    }

    /// Sets up the interrupt controller for `cpus` processors (1 to
    /// [`Description::CPUS`](taktos_abi::vm::Description::CPUS)). Called once, after
    /// [`El2::set_up`]; [`Hardware::route`] does something from then on. If a processor is missing,
    /// it is named and the machine ends.
    pub fn set_up_processors(cpus: usize) {
        start::set_up_processors(cpus);
    }

    /// Starts the other processors. Each, the caller too, then calls the board's `start` (see
    /// [`upcalls!`](crate::upcalls)), on a stack of its own: the caller's is not used any more.
    /// Where the firmware does not start one, it is named and the machine ends.
    pub fn run() -> ! {
        start::run()
    }
}

/// The one lock of the hypervisor.
static LOCK: QueuedLock = QueuedLock::new();

/// The lock of a partition's devices.
pub struct Spinning(QueuedLock);

// SAFETY: a queued lock has one holder. EL2 runs masked, so a processor that holds it is not
// interrupted, and never asks twice: see the invariants of `taktos_hypervisor::hardware`.
unsafe impl RawMutex for Spinning {
    const INIT: Self = Self(QueuedLock::new());
    type GuardMarker = GuardNoSend;

    #[inline(always)]
    fn lock(&self) {
        self.0.lock(core::hint::spin_loop);
    }

    #[inline(always)]
    fn try_lock(&self) -> bool {
        self.0.try_lock()
    }

    #[inline(always)]
    unsafe fn unlock(&self) {
        self.0.unlock();
    }
}

/// A word of a channel's memory, or of a partition's.
#[inline(always)]
fn word(physical: u64) -> &'static AtomicU32 {
    // SAFETY: the memory of a channel or a partition, mapped, aligned by the caller, and shared
    // with guests: accessed by words of this kind, or by bytes that no word overlaps in use.
    unsafe { &*with_exposed_provenance::<AtomicU32>(physical as usize) }
}

impl Hardware for El2 {
    type Context = Vcpu;
    type Lists = LoadedLists;
    type Lock = Spinning;

    #[inline(always)]
    fn cpu() -> usize {
        own::number()
    }

    #[inline(always)]
    fn lock() {
        LOCK.lock(core::hint::spin_loop);
    }

    #[inline(always)]
    fn unlock() {
        LOCK.unlock();
    }

    #[inline(always)]
    fn now() -> Instant {
        timer::instant(timer::ticks())
    }

    #[inline(always)]
    fn instant(ticks: u64) -> Instant {
        timer::instant(ticks)
    }

    #[inline(always)]
    fn ticks() -> u64 {
        timer::ticks()
    }

    #[inline(always)]
    fn set_alarm(at: Option<Instant>) {
        timer::set_alarm(at);
    }

    #[inline(always)]
    fn call(cpu: usize) {
        controller::call(cpu);
    }

    #[inline(always)]
    fn acknowledge() -> Option<u32> {
        controller::acknowledge()
    }

    #[inline(always)]
    fn deactivate(number: u32) {
        controller::deactivate(number);
    }

    fn route(number: u32, cpu: Option<usize>) {
        controller::route(number, cpu);
    }

    fn is_asserted(number: u32) -> bool {
        controller::is_asserted(number)
    }

    #[inline(always)]
    fn set_timer_active(active: bool) {
        controller::set_timer_active(active);
    }

    #[inline(always)]
    fn addresses() -> Addresses {
        exit::addresses()
    }

    #[inline(always)]
    fn context(number: usize) -> &'static Vcpu {
        vcpu(number)
    }

    #[inline(always)]
    fn save(number: usize) {
        world::save(vcpu(number));
    }

    #[inline(always)]
    fn load(number: usize, space: usize, wait_trapped: bool) {
        world::load(
            vcpu(number),
            stage2::stage(space),
            controls::traps(wait_trapped),
        );
    }

    #[inline(always)]
    fn lists() -> LoadedLists {
        LoadedLists::new()
    }

    #[inline(always)]
    fn timer() -> VirtualTimer {
        VirtualTimer {
            control: CNTV_CTL_EL0.get(),
            compare: CNTV_CVAL_EL0.get(),
        }
    }

    fn translate(address: u64, user: bool) -> Option<u64> {
        stage2::translate(address, user)
    }

    #[inline(always)]
    fn take_error() -> bool {
        vectors::take_error() != 0
    }

    fn identity(crm: u32, op2: u32) -> u64 {
        identity::read(crm, op2)
    }

    fn flush(space: usize) {
        stage2::flush(space);
    }

    fn map(space: usize, at: u64, physical: u64, bytes: u64, kind: Kind) -> Result<(), MapError> {
        let piece = Piece {
            at,
            physical,
            bytes,
        };
        stage2::map(space, piece, kind)
    }

    fn clear(at: u64, bytes: u64) {
        own::own().work.set(Some(Work::Clear { at, bytes }));
    }

    fn copy(to: u64, from: u64, bytes: u64) {
        own::own().work.set(Some(Work::Copy { to, from, bytes }));
    }

    #[inline(always)]
    fn take_moved() -> u64 {
        own::own().moved.take()
    }

    #[inline(always)]
    fn read_word(physical: u64) -> u32 {
        word(physical).load(Ordering::SeqCst)
    }

    #[inline(always)]
    fn write_word(physical: u64, value: u32) {
        word(physical).store(value, Ordering::SeqCst);
    }

    #[inline(always)]
    fn read_byte(physical: u64) -> u8 {
        // SAFETY: as for `word`.
        unsafe { with_exposed_provenance::<u8>(physical as usize).read_volatile() }
    }

    #[inline(always)]
    fn write_byte(physical: u64, value: u8) {
        // SAFETY: as for `word`.
        unsafe { with_exposed_provenance_mut::<u8>(physical as usize).write_volatile(value) }
    }

    fn write(bytes: &[u8]) -> usize {
        console::offer(bytes)
    }

    fn read() -> Option<u8> {
        console::read()
    }

    #[inline(always)]
    fn show(vcpu: Option<usize>) {
        shown::show(vcpu);
    }

    fn off() -> ! {
        fault::off()
    }
}
