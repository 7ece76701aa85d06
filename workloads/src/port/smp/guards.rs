//! Owns: whether a page that becomes a guard is one on the other processors, too.

use super::threads::{PROCESSORS, WANTED_OVERFLOW, section, start_worker, wait};
use super::{SmpPort, check, on_each_processor};
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering::Relaxed;
use taktos_machine::{Context, Machine, StackRegion};

#[repr(C, align(4096))]
struct Page(UnsafeCell<[u8; 4096]>);

// SAFETY: written by one processor after the other.
unsafe impl Sync for Page {}

static PAGE: Page = Page(UnsafeCell::new([0; 4096]));
static STACK: Page = Page(UnsafeCell::new([0; 4096]));

fn touch() {
    // SAFETY: memory of the program's own, or, from when it is a guard, nothing: that faults.
    unsafe { PAGE.0.get().cast::<u8>().write_volatile(1) };
}

/// Each processor has seen the page as memory; one makes it a guard, another one must fault at it. Ends the program.
pub fn are_seen_everywhere<P: SmpPort>() -> ! {
    on_each_processor::<P>(|_| touch());
    section::<P, _>(|| {
        let stack = StackRegion {
            guard: PAGE.0.get().addr(),
            base: STACK.0.get().expose_provenance(),
            size: size_of::<Page>(),
        };
        let spare = Context::EMPTY;
        P::Machine::prepare(&spare, stack, never, 0, 0);
    });
    WANTED_OVERFLOW.store(PAGE.0.get().addr(), Relaxed);
    P::write("guards are seen everywhere\n");
    start_worker::<P>(0, Some(PROCESSORS - 1), touch_in_vain::<P>, 0);
    wait::<P>();
    unreachable!("nobody wakes the first thread");
}

extern "C" fn never(_: usize, _: usize) -> ! {
    unreachable!("the thread is not started")
}

fn touch_in_vain<P: SmpPort>(_: usize) {
    touch();
    check::<P>("a guard is seen on another processor", false);
}
