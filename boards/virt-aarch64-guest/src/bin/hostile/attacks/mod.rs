//! Owns: the list of attacks. Must never know: their results.

mod caches;
mod calls;
pub mod console;
mod device;
mod end;
mod interrupts;
mod memory;
mod registers;
mod right;
mod siblings;
mod tables;
mod time;
mod user;

use crate::chance::Chance;
use crate::processor::counter;
use crate::target::ATTEMPTS;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taktos_kernel::fault::print;
use virt_aarch64_guest::Board;

/// An attack under way.
pub struct Attack<'a> {
    /// The source of its random decisions.
    pub chance: &'a mut Chance,
    /// End of its turn, in ticks.
    pub end: u64,
}

impl Attack<'_> {
    /// Counts an attempt. Returns whether the turn still lasts.
    pub fn goes_on(&self) -> bool {
        ATTEMPTS.fetch_add(1, Relaxed);
        counter() < self.end
    }
}

/// Reports an answer that is not the architecture's. Only the first few are printed.
pub fn wrong(what: core::fmt::Arguments<'_>) {
    static TOLD: AtomicU64 = AtomicU64::new(0);
    const MOST: u64 = 8;
    if TOLD.fetch_add(1, Relaxed) < MOST {
        print::<Board>(format_args!("\n@wrong {what}\n"));
    }
}

/// A kind of attack.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Runs the attack until its turn is over.
    pub begin: fn(&mut Attack<'_>),
}

const fn kind(name: &'static str, begin: fn(&mut Attack<'_>)) -> Kind {
    Kind { name, begin }
}

/// Attacks after which the program can continue, or should be able to.
pub const ALL: &[Kind] = &[
    kind("busy", time::busy),
    kind("wfi-storm", time::wait),
    kind("wfi-pending", time::wait_with_interrupt_pending),
    kind("wfe-storm", time::wait_for_events),
    kind("timer-storm", time::timer_in_the_past),
    kind("tick-storm", time::timer_a_tick_ahead),
    kind("physical-timer-storm", time::physical_timer),
    kind("sgi-storm", interrupts::send_to_all),
    kind("sgi-echo", interrupts::send_from_handler),
    kind("controller", interrupts::misuse_controller),
    kind("nesting", right::nesting),
    kind("levels", right::levels),
    kind("write-back", right::write_back),
    kind("undefined", memory::undefined),
    kind("holes", memory::holes),
    kind("jumps", memory::jumps),
    kind("odd-accesses", memory::odd_accesses),
    kind("walks", memory::walks),
    kind("hypercalls", calls::hypervisor),
    kind("smc", calls::firmware),
    kind("psci", calls::power),
    kind("hvc-storm", calls::nothing),
    kind("yield-storm", calls::give_way),
    kind("doorbell-storm", calls::doorbells),
    kind("registers", registers::read_and_write),
    kind("instructions", registers::instructions),
    kind("tlb-storm", caches::translations),
    kind("cache-storm", caches::caches),
    kind("tables", tables::change),
    kind("translation-off", tables::toggle),
    kind("console-flood", console::flood),
    kind("console-misuse", console::misuse),
    kind("user-programs", user::programs),
];

/// Attacks after which the program does not continue by itself.
pub const FINAL: &[Kind] = &[
    kind("off", end::off),
    kind("cpu-off", end::processor_off),
    kind("reset", end::reset),
    kind("sleep", end::sleep),
    kind("hang", end::hang),
    kind("fault", end::fault),
    kind("fault-loop", end::fault_for_ever),
    kind("table-loop", end::lose_the_map),
];

/// Attacks that need a device, or a second processor.
pub const EQUIPPED: &[Kind] = &[
    kind("device-storm", device::interrupts),
    kind("reset-beside", siblings::reset_while_another_leaves),
    kind("fault-beside", siblings::fault_while_another_leaves),
];

/// Returns all attacks.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    ALL.iter().chain(FINAL).chain(EQUIPPED)
}

/// Returns the attack called `name`.
pub fn named(name: &str) -> Option<&'static Kind> {
    all().find(|kind| kind.name == name)
}
