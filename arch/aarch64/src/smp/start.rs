//! Owns: how the other processors begin. Must never know: what their first threads do.
//!
//! All begin at [`another`], at EL1 and without a map; those that begin above EL1 come down by
//! [`enter!`](crate::enter) first, and wait in [`wait_to_begin`] for their stack.

use super::{controller, state};
use crate::board::{Board, Others};
use crate::{float, memory, switch, timer, vectors};
use core::arch::{asm, naked_asm};
use core::sync::atomic::{AtomicUsize, Ordering};
use smccc::psci::{self, LowestAffinityLevel};
use smccc::{Hvc, Smc};

/// How long a processor may take to start, in nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// How many processors have set themselves up.
static READY: AtomicUsize = AtomicUsize::new(1);

/// Where processors find their stacks that wait with their caches off; the lines are theirs alone.
#[repr(align(64))]
struct Beginnings([AtomicUsize; 16]);

/// In the image, and not among what is cleared by a first processor that may be late.
#[unsafe(link_section = ".data.taktos_beginnings")]
static BEGINNINGS: Beginnings = Beginnings([const { AtomicUsize::new(0) }; 16]);

unsafe extern "C" {
    // The board's start-up code: the first map, in use after it.
    fn enable_mmu();
    // The board's, by [`smp!`](crate::smp).
    fn taktos_go_on();
    // The board's, by [`enter!`](crate::enter), where it has that.
    fn taktos_enter();
}

/// Looks whether all the processors exist, before anything of them is touched, and calls those here
/// that wait by a table.
///
/// # Panics
/// Where one does not exist; the message names it.
pub(super) fn look_for_others<B: Board>() {
    for number in 1..B::PROCESSORS {
        let (processor, all) = (number as u64, LowestAffinityLevel::All);
        let is_there = match B::OTHERS {
            Others::ByHypervisor => psci::affinity_info::<Hvc>(processor, all).is_ok(),
            Others::ByFirmware => psci::affinity_info::<Smc>(processor, all).is_ok(),
            Others::ByTable(table) => {
                let word = table + size_of::<usize>() * number;
                publish(word, taktos_enter as *const () as usize);
                true
            }
        };
        assert!(is_there, "{}", missing::<B>(number));
    }
}

/// Returns the message for a processor that is missing.
fn missing<B: Board>(number: usize) -> impl core::fmt::Display {
    core::fmt::from_fn(move |text| {
        let all = B::PROCESSORS;
        write!(
            text,
            "processor {number} is not there: the board has {all} of them"
        )
    })
}

/// Starts the processors after the first, one after the other. Each is ready to be called when this
/// comes back.
///
/// # Panics
/// Panics if one does not start within a second.
pub(crate) fn start_others<B: Board>() {
    for number in 1..B::PROCESSORS {
        start_another::<B>(number);
        let begin = timer::now();
        while READY.load(Ordering::Acquire) == number {
            let waited = timer::now().since(begin).as_nanos();
            assert!(waited < SECOND, "{}", missing::<B>(number));
            core::hint::spin_loop();
        }
    }
}

/// Starts the processor `number` (PSCI: Arm DEN0022, section 5.4, `CPU_ON`).
fn start_another<B: Board>(number: usize) {
    let stack = state::stacks::<B>(number).handlers.top();
    let (processor, context) = (number as u64, stack as u64);
    let started = match B::OTHERS {
        Others::ByHypervisor => {
            psci::cpu_on::<Hvc>(processor, another as *const () as u64, context)
        }
        Others::ByFirmware => {
            publish(BEGINNINGS.0[number].as_ptr().addr(), stack);
            psci::cpu_on::<Smc>(processor, taktos_enter as *const () as u64, context)
        }
        Others::ByTable(_) => {
            publish(BEGINNINGS.0[number].as_ptr().addr(), stack);
            Ok(())
        }
    };
    if let Err(error) = started {
        panic!("processor {number} does not start: {error:?}");
    }
}

/// Writes a word of memory for a processor that waits for it with its caches off.
fn publish(address: usize, value: usize) {
    // SAFETY: the board's table, or a word of `BEGINNINGS`: no other code writes them, and nothing
    // of Rust's is there but the atomic word.
    unsafe {
        asm!(
            "str {value}, [{address}]",
            "dc civac, {address}",
            "dsb sy",
            "sev",
            value = in(reg) value,
            address = in(reg) address,
            options(nostack, preserves_flags),
        );
    }
}

/// The wait of a processor after the first at EL1, after [`enter!`](crate::enter), until it has a
/// stack. A processor without an entry in `BEGINNINGS` waits for ever.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn taktos_wait_to_begin() {
    naked_asm!(
        "mrs x4, mpidr_el1",
        "and x4, x4, #0xff",
        "cmp x4, #{places}",
        "b.hs 3f",
        "adrp x5, {beginnings}",
        "add x5, x5, :lo12:{beginnings}",
        "2: ldr x0, [x5, x4, lsl #3]",
        "cbnz x0, {another}",
        "wfe",
        "b 2b",
        "3: wfi",
        "b 3b",
        places = const 16,
        beginnings = sym BEGINNINGS,
        another = sym another,
    )
}

/// The first code of a processor after the first at EL1, without a map; its stack begins at x0.
#[unsafe(naked)]
extern "C" fn another() {
    naked_asm!(
        "bl {enable_mmu}",
        // Compiled code may use the floating-point unit until it is forbidden.
        "mrs x1, cpacr_el1",
        "orr x1, x1, #(3 << 20)",
        "msr cpacr_el1, x1",
        "isb",
        "mov sp, x0",
        "mrs x0, mpidr_el1",
        "and x0, x0, #0xff",
        "b {go_on}",
        enable_mmu = sym enable_mmu,
        go_on = sym taktos_go_on,
    )
}

/// The first Rust code of the processor `number`: sets it up, and continues with its current
/// thread.
#[doc(hidden)]
pub fn go_on<B: Board>(number: usize) -> ! {
    let state = state::numbered::<B>(number);
    state::adopt(state);
    vectors::install();
    memory::activate();
    controller::start_another::<B>(number);
    timer::follow_slice();
    float::forbid();
    READY.store(number + 1, Ordering::Release);
    switch::start(&state.processor, state.handler_stack.get())
}
