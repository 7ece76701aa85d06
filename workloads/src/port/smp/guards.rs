//! Owns: whether pages that become a guard are one on the other processors, too.

use super::threads::{PROCESSORS, WANTED_OVERFLOW, section, start_worker, wait};
use super::{SmpPort, check, on_each_processor};
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering::Relaxed;
use taktos_machine::{Context, Machine, StackRegion};

const PAGE: usize = 4096;

/// Memory that becomes a guard, of whatever size a guard is.
#[repr(C, align(4096))]
struct Pages(UnsafeCell<[u8; 4 * PAGE]>);

// SAFETY: written by one processor after the other.
unsafe impl Sync for Pages {}

static GUARD: Pages = Pages(UnsafeCell::new([0; 4 * PAGE]));
static STACK: Pages = Pages(UnsafeCell::new([0; 4 * PAGE]));

/// The last page of the guard.
fn last_page<P: SmpPort>() -> *mut u8 {
    let guard = const {
        let size = size_of::<<P::Machine as Machine>::Guard>();
        assert!(size >= PAGE && size <= size_of::<Pages>());
        size
    };
    GUARD.0.get().cast::<u8>().wrapping_add(guard - PAGE)
}

fn touch<P: SmpPort>() {
    // SAFETY: memory of the program's own, or, from when it is a guard, nothing: that faults.
    unsafe { last_page::<P>().write_volatile(1) };
}

/// Each processor has seen pages as memory; one makes them a guard, another one must fault at the
/// last of them. Ends the program.
pub fn are_seen_everywhere<P: SmpPort>() -> ! {
    on_each_processor::<P>(|_| touch::<P>());
    section::<P, _>(|| {
        let stack = StackRegion {
            guard: GUARD.0.get().addr(),
            base: STACK.0.get().expose_provenance(),
            size: size_of::<Pages>(),
        };
        let spare = Context::EMPTY;
        P::Machine::prepare(&spare, stack, never, 0, 0);
    });
    WANTED_OVERFLOW.store(last_page::<P>().addr(), Relaxed);
    P::write("guards are seen everywhere\n");
    start_worker::<P>(0, Some(PROCESSORS - 1), touch_in_vain::<P>, 0);
    wait::<P>();
    unreachable!("nobody wakes the first thread");
}

extern "C" fn never(_: usize, _: usize) -> ! {
    unreachable!("the thread is not started")
}

fn touch_in_vain<P: SmpPort>(_: usize) {
    touch::<P>();
    check::<P>("a guard is seen on another processor", false);
}
