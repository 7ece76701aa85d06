//! Owns: what the program of faults needs of this board: what the language has no words for, and what faults on a processor whose
//! memory is protected by regions, of which the switch moves one.
//!
//! What calls the kernel is compiled for the program of faults alone (`inline`): what the kernel compiles for it here, it would not
//! compile anew for the programs that are measured.

use crate::{Board, urgent_interrupt};
use core::arch::asm;
use core::cell::UnsafeCell;
use core::hint::black_box;
use core::ptr;
use taktos_arch_cortex_m::{forbid, lowest_of_thread};
use taktos_kernel::fault::refuse_from_above;
use taktos_kernel::{AnyThread, Semaphore, Span, Timeout};
use taktos_workloads::faults::{
    Case, FaultBoard, Instructions, Objects, give_way, in_handler, in_handler_above, overflow,
    panics, slices, spin, start_other,
};

impl FaultBoard for Board {
    type Instructions = CortexM;
}

/// What is said in instructions of a Cortex-M.
pub struct CortexM;

impl Instructions<Board> for CortexM {
    const CASES: &'static [Case<Board>] = &[
        ("overflow-after-an-interrupt", |_| {
            overflow_after_an_interrupt()
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
        ("undefined-in-a-handler", |_| {
            in_handler::<Board>(CortexM::undefined)
        }),
        ("divide", |_| divide()),
        ("unaligned", |_| unaligned()),
        ("panic-in-a-handler", |_| in_handler::<Board>(panics)),
        ("call-from-above", |_| call_from_above()),
        ("wake-from-above", wake_from_above),
        ("wait-from-above", |_| wait_from_above()),
        ("section-from-above", |_| section_from_above()),
    ];
    /// To the end of memory.
    const DEEPEST: usize = usize::MAX;
    const SHORT: usize = 24;

    /// Does so again and again, each time with eight bytes less.
    fn with_a_short_stack(room: usize, f: extern "C" fn()) -> ! {
        // SAFETY: goes down on the thread's own stack; does not come back to what it clobbers.
        unsafe {
            asm!(
                "2:",
                "mov sp, r4",
                "blx r5",
                "subs r4, r4, #8",
                "b 2b",
                in("r4") lowest_of_thread() + room,
                in("r5") f,
                options(noreturn),
            );
        }
    }

    fn jump(place: usize) -> ! {
        jump(place)
    }

    fn undefined() {
        // SAFETY: faults.
        unsafe { asm!("udf #0") };
    }
}

/// The thread is switched to at the end of an interrupt, and its guard with it.
#[inline]
fn overflow_after_an_interrupt() {
    let _ = AnyThread::<Board>::sleep(10.micros());
    overflow::<Board>();
}

/// The processor's frame of an interrupted thread fits, but the other registers do not.
#[inline]
fn overflow_at_a_switch(objects: &'static Objects<Board>) {
    slices(objects);
    CortexM::with_a_short_stack(64, spin);
}

/// The other half of the floating-point registers does not fit.
#[inline]
fn overflow_at_a_switch_with_float(objects: &'static Objects<Board>) {
    slices(objects);
    use_float();
    CortexM::with_a_short_stack(136, spin);
}

/// The processor leaves room for the first half, which is on the guard, and puts its frame below. It
/// notices only when the switch makes it store the registers.
#[inline]
fn overflow_of_late_float(objects: &'static Objects<Board>) {
    slices(objects);
    use_float();
    CortexM::with_a_short_stack(24, spin);
}

fn use_float() {
    // SAFETY: brings the unit into use; no code of this program holds floating-point values.
    unsafe { asm!(".fpu fpv4-sp-d16", "vmov s0, {0}", in(reg) 0, options(nomem, nostack)) };
}

/// A thread that gave way with little room left is resumed at the end of an interrupt: the frame by which
/// the processor is to go back there needs more than the call did, and does not fit.
#[inline]
fn overflow_at_a_resumption(objects: &'static Objects<Board>) {
    slices(objects);
    CortexM::with_a_short_stack(256, give_way::<Board>);
}

/// A region that the program itself has forbidden.
fn own_region() {
    #[repr(align(32))]
    struct Forbidden(UnsafeCell<[u32; 8]>);
    // SAFETY: touched by one thread.
    unsafe impl Sync for Forbidden {}
    static FORBIDDEN: Forbidden = Forbidden(UnsafeCell::new([0; 8]));
    forbid(FORBIDDEN.0.get().addr());
    // SAFETY: nobody else has it. Faults.
    unsafe { FORBIDDEN.0.get().cast::<u32>().write_volatile(1) };
}

/// So large that it passes over the guard, and overwrites the control block before it comes to the guard.
fn frame_beyond_the_guard() {
    black_box([0x41u8; 1400]);
}

fn jump_to_an_even_address() {
    jump(divide as *const () as usize & !3);
}

/// With everything masked that can be.
fn undefined_while_masked() {
    // SAFETY: faults.
    unsafe { asm!("cpsid i", "udf #0") };
}

/// What the processor traps only where it is told to.
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

/// Two words at once cannot be loaded from anywhere.
fn unaligned() {
    let words = [0u32; 4];
    let place = words.as_ptr().wrapping_byte_add(2);
    // SAFETY: faults.
    unsafe { asm!("ldrd {0}, {1}, [{2}]", out(reg) _, out(reg) _, in(reg) place) };
}

static PERMITS: Semaphore<Board> = Semaphore::new(0);

/// Does what `act` does in a handler that must not call the kernel.
fn from_above(act: fn()) {
    urgent_interrupt::enable(0x20);
    in_handler_above(act, urgent_interrupt::pend);
}

/// What would wake nobody is done in place, where it cannot be refused.
#[inline]
fn call_from_above() {
    from_above(|| {
        let _ = PERMITS.give();
    });
}

/// A thread waits: the call would have to wake it.
#[inline]
fn wake_from_above(objects: &'static Objects<Board>) {
    start_other(objects, |_| {
        let _ = PERMITS.take(Timeout::FOREVER);
    });
    let _ = AnyThread::<Board>::sleep(10.micros());
    call_from_above();
}

#[inline]
fn wait_from_above() {
    from_above(|| {
        let _ = PERMITS.take(Timeout::NONE);
    });
}

/// The question that the critical section of other libraries asks before it is entered.
#[inline]
fn section_from_above() {
    from_above(refuse_from_above::<Board>);
}

fn jump(place: usize) -> ! {
    // SAFETY: nothing of it is: it faults.
    unsafe { asm!("bx {}", in(reg) place, options(noreturn)) }
}
