//! Owns: faults on a processor that protects memory by pages, and with guards that stay.
//! Must never know: a board.

#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "arm", path = "armv7_a.rs")]
#[cfg_attr(target_arch = "riscv64", path = "riscv64.rs")]
mod architecture;

use super::{Case, FaultBoard, Instructions, Objects};
use architecture::{RETURN, jump, undefined, undefined_with_float, with_a_short_stack};
use core::hint::black_box;
use core::ptr;
use taktos_kernel::{AnyThread, System};

/// The instructions of such a processor.
pub struct Paged;

impl<S: FaultBoard> Instructions<S> for Paged {
    const CASES: &'static [Case<S>] = &[
        ("guard-of-another", guard_of_another),
        ("damaged-control-block", |_| damaged_control_block::<S>()),
        ("jump-to-data", |_| jump_to_data()),
        ("write-to-code", |_| write_to_code()),
        ("write-to-a-constant", |_| write_to_a_constant()),
        ("undefined-with-float", |_| undefined_with_float()),
    ];
    /// The next processor's stack may lie below, and ends with a guard, too.
    const DEEPEST: usize = 4 * 4096 + 2048;

    fn with_a_short_stack(room: usize, f: extern "C" fn()) -> ! {
        with_a_short_stack(room, f)
    }

    fn jump(place: usize) -> ! {
        jump(place)
    }

    fn undefined() {
        undefined();
    }
}

/// No overflow, but a pointer that leads astray: into the guard below another thread's stack.
fn guard_of_another<S: FaultBoard>(objects: &'static Objects<S>) {
    let neighbour = &objects.neighbour;
    let _ = neighbour.start(|| ());
    let behind = ptr::from_ref(neighbour).expose_provenance() + size_of::<AnyThread<S>>();
    let guard = ptr::with_exposed_provenance_mut::<u32>(behind.next_multiple_of(4096));
    // SAFETY: nothing of it is: it faults.
    unsafe { ptr::write_volatile(guard, 1) };
}

/// Does the damage of a frame that passes over the guard.
fn damaged_control_block<S: System>() {
    let block = ptr::from_ref(AnyThread::<S>::current()).expose_provenance();
    let block = ptr::with_exposed_provenance_mut::<u8>(block);
    // SAFETY: nothing of it is; the fault after it is reported all the same.
    unsafe { ptr::write_bytes(block, 0x41, size_of::<AnyThread<S>>()) };
    undefined();
}

fn jump_to_data() {
    let data = [black_box(RETURN)];
    jump(black_box(&data).as_ptr().addr());
}

fn write_to_code() {
    let code = write_to_code as *const () as *mut u32;
    // SAFETY: nothing of it is: it faults.
    unsafe { ptr::write_volatile(code, 0) };
}

fn write_to_a_constant() {
    static CONSTANT: u32 = 1;
    // SAFETY: nothing of it is: it faults.
    unsafe { ptr::write_volatile(black_box(&raw const CONSTANT).cast_mut(), 0) };
}
