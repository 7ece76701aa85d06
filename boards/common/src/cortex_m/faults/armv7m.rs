//! Owns: the faults of Armv7-M and Armv8-M with memory protection regions, of which the switch
//! moves one, and those of handlers above the kernel's level.

use super::{
    Faults, jump, jump_to_an_even_address, overflow_at_a_switch, undefined, undefined_while_masked,
    with_a_short_stack,
};
use core::arch::asm;
use core::cell::UnsafeCell;
use core::hint::black_box;
use core::ptr;
use taktos_arch_cortex_m::forbid;
use taktos_kernel::fault::refuse_from_above;
use taktos_kernel::{AnyThread, Semaphore, Span, Timeout};
use taktos_workloads::faults::{
    Case, FaultBoard, Instructions, Objects, give_way, in_handler, overflow, panics, slices, spin,
    start_other,
};

/// A board with an interrupt above the kernel's level.
pub trait FromAbove: FaultBoard {
    /// Returns permits that no other case uses.
    fn permits() -> &'static Semaphore<Self>;
    /// Runs `act` in a handler that must not call the kernel.
    fn from_above(act: fn());
}

impl<S: FromAbove> Instructions<S> for Faults {
    const CASES: &'static [Case<S>] = &[
        ("overflow-after-an-interrupt", |_| {
            overflow_after_an_interrupt::<S>()
        }),
        ("overflow-at-a-switch", overflow_at_a_switch),
        (
            "overflow-at-a-switch-with-float",
            overflow_at_a_switch_with_float,
        ),
        ("overflow-of-late-float", overflow_of_late_float),
        ("overflow-at-a-resumption", overflow_at_a_resumption),
        ("own-region", |_| own_region()),
        ("frame-beyond-the-guard", |_| frame_beyond_the_guard()),
        ("jump-to-an-even-address", |_| jump_to_an_even_address()),
        // Devices cannot be executed, and the vectors cannot either.
        ("jump-to-a-device", |_| jump(0x4000_0001)),
        ("jump-to-nowhere", |_| jump(1)),
        ("undefined-while-masked", |_| undefined_while_masked()),
        ("undefined-in-a-handler", |_| in_handler::<S>(undefined)),
        ("divide", |_| divide()),
        ("unaligned", |_| unaligned()),
        ("panic-in-a-handler", |_| in_handler::<S>(panics)),
        ("call-from-above", |_| call_from_above::<S>()),
        ("wake-from-above", wake_from_above),
        ("wait-from-above", |_| wait_from_above::<S>()),
        ("section-from-above", |_| section_from_above::<S>()),
    ];
    /// To the end of memory.
    const DEEPEST: usize = usize::MAX;
    const SHORT: usize = 24;

    super::instructions!();
}

/// Overflows after the thread is switched to, with its guard, at the end of an interrupt.
fn overflow_after_an_interrupt<S: FromAbove>() {
    let _ = AnyThread::<S>::sleep(10.micros());
    overflow::<S>();
}

/// Overflows at a switch: the other half of the floating-point registers does not fit.
fn overflow_at_a_switch_with_float<S: FromAbove>(objects: &'static Objects<S>) {
    slices(objects);
    use_float();
    with_a_short_stack(136, spin);
}

/// Overflows late: the processor leaves space for the first half, which is on the guard, and puts
/// its frame below. It notices only when the switch makes it store the registers.
fn overflow_of_late_float<S: FromAbove>(objects: &'static Objects<S>) {
    slices(objects);
    use_float();
    with_a_short_stack(24, spin);
}

fn use_float() {
    // SAFETY: brings the unit into use; no code of this program holds floating-point values.
    unsafe { asm!(".fpu fpv4-sp-d16", "vmov s0, {0}", in(reg) 0, options(nomem, nostack)) };
}

/// Resumes a thread at the end of an interrupt that switched away with little stack left. The frame
/// by which the processor returns there needs more than the call did, and does not fit.
fn overflow_at_a_resumption<S: FromAbove>(objects: &'static Objects<S>) {
    slices(objects);
    with_a_short_stack(256, give_way::<S>);
}

/// Writes to a region that the program itself has forbidden.
fn own_region() {
    #[repr(align(32))]
    struct Forbidden(UnsafeCell<[u32; 8]>);
    // SAFETY: touched by one thread.
    unsafe impl Sync for Forbidden {}
    static FORBIDDEN: Forbidden = Forbidden(UnsafeCell::new([0; 8]));
    forbid(FORBIDDEN.0.get().addr());
    // SAFETY: no other code uses it. Faults.
    unsafe { FORBIDDEN.0.get().cast::<u32>().write_volatile(1) };
}

/// Makes a frame so large that it passes over the guard. It overwrites the control block before it
/// comes to the guard.
fn frame_beyond_the_guard() {
    black_box([0x41u8; 1400]);
}

/// Divides by zero, which the processor traps only if it is configured to.
fn divide() {
    const CONFIGURATION: usize = 0xE000_ED14;
    const TRAP_DIVISION: u32 = 1 << 4;
    let configuration = ptr::with_exposed_provenance_mut::<u32>(CONFIGURATION);
    // SAFETY: changes one bit of the processor's configuration; then faults.
    unsafe {
        configuration.write_volatile(configuration.read_volatile() | TRAP_DIVISION);
        asm!("dsb", "isb", "udiv {0}, {0}, {1}", inout(reg) 1 => _, in(reg) 0);
    }
}

/// Faults by a load of two words from an unaligned address.
fn unaligned() {
    let words = [0u32; 4];
    let place = words.as_ptr().wrapping_byte_add(2);
    // SAFETY: faults.
    unsafe { asm!("ldrd {0}, {1}, [{2}]", out(reg) _, out(reg) _, in(reg) place) };
}

/// Gives a permit that wakes no thread: that is done inline, where it cannot be refused.
fn call_from_above<S: FromAbove>() {
    S::from_above(|| {
        let _ = S::permits().give();
    });
}

/// Gives a permit for which a thread waits: the call would have to wake it.
fn wake_from_above<S: FromAbove>(objects: &'static Objects<S>) {
    start_other(objects, |_| {
        let _ = S::permits().take(Timeout::FOREVER);
    });
    let _ = AnyThread::<S>::sleep(10.micros());
    call_from_above::<S>();
}

fn wait_from_above<S: FromAbove>() {
    S::from_above(|| {
        let _ = S::permits().take(Timeout::NONE);
    });
}

/// Calls the check that the critical section of other libraries makes before it is entered.
fn section_from_above<S: FromAbove>() {
    S::from_above(refuse_from_above::<S>);
}
