//! Owns: interrupts of devices that partitions have: each notifies a thread, and stays masked until
//! a thread acknowledges it. Must never know: which device it is, by which registers it is masked.

use super::{AnyPartition, Handle, UserThread};
use crate::critical_section::{CriticalSection, Guarded};
use crate::sched::{OutcomeOf, hold, stay};
use crate::{AnyThread, Notify, System};
use taktos_abi::Status;
use taktos_machine::Isolation;

/// The interrupt of a device with registers in a partition. Made to be a static, which the
/// partition's handles name.
///
/// It is masked until the partition acknowledges it for the first time. When it comes its handler,
/// the program's, calls [`Line::arrived`]: it is masked, and its thread has a notification; the
/// partition's acknowledgement unmasks it. So a device that interrupts for ever costs others one
/// handler of fixed length for each acknowledgement, which is a call that only a thread of the
/// partition can make, when it has its turn. When the partition is stopped the interrupt is masked.
pub struct Line<S: System> {
    thread: &'static AnyThread<S>,
    bits: u32,
    mask: fn(),
    unmask: fn(),
    is_open: Guarded<bool>,
}

impl<S: System<Machine: Isolation>> Line<S> {
    /// The interrupt that `mask` keeps from its handler and `unmask` lets through; it notifies
    /// `thread` with these bits, of which one at least is set. Both functions are called with
    /// interrupts masked that may call the kernel; they take a fixed time, and call nothing of it.
    ///
    /// # Panics
    /// If no bit is set: for a static, when it is compiled.
    #[must_use]
    pub const fn new<T>(
        thread: &'static UserThread<S, T>,
        bits: u32,
        mask: fn(),
        unmask: fn(),
    ) -> Self {
        assert!(bits != 0, "a notification has a bit at least");
        Self {
            thread: thread.any(),
            bits,
            mask,
            unmask,
            is_open: Guarded::new(false),
        }
    }

    /// Serves the interrupt; for its handler, at the kernel's level. Bound: fixed (and the removal
    /// of the thread's time-out, if it has one).
    pub fn arrived(&'static self) {
        let held = hold::<S>();
        let was_open = self.is_open.get(held.section());
        self.shut(held.section());
        drop(held);
        if was_open {
            // A thread that does not run is notified of nothing: its next life acknowledges first.
            let _ = self.thread.notify(Notify::SetBits(self.bits));
        }
    }

    /// Whether the interrupt is let through. Bound: fixed. Allowed everywhere.
    pub fn is_open(&'static self) -> bool {
        self.is_open.get(hold::<S>().section())
    }

    /// Masks the interrupt, until a thread of the partition acknowledges it. Bound: fixed. Allowed
    /// everywhere.
    pub fn close(&'static self) {
        self.shut(hold::<S>().section());
    }

    fn shut(&'static self, cs: CriticalSection<'_>) {
        (self.mask)();
        self.is_open.set(cs, false);
    }

    /// Lets the interrupt through, inside a call.
    pub(super) fn acknowledge_entered(&'static self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        self.is_open.set(cs, true);
        (self.unmask)();
        stay::<S>(Status::OK)
    }
}

impl<S: System<Machine: Isolation>> AnyPartition<S> {
    /// Masks the interrupts of the partition's devices.
    pub(super) fn close_lines(&'static self) {
        for line in self.table().iter().filter_map(Handle::as_line) {
            line.close();
        }
    }
}
