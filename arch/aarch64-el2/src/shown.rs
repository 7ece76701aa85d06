//! Owns: the record of running VCPUs for external observers. Must never know: the observers.

use crate::own::{self, CPUS};
use crate::vcpu::{Vcpu, vcpu};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// VCPU that runs on a processor: the address of its registers, or of [`TAKTOS_IDLE`].
#[repr(C)]
struct Shown {
    current: AtomicPtr<Vcpu>,
    /// As in the kernel's blocks; the hypervisor knows no heir before it switches.
    heir: AtomicPtr<Vcpu>,
}

/// For each processor; watched by the laboratory.
#[unsafe(no_mangle)]
static TAKTOS_PROCESSORS: [Shown; CPUS] = [const {
    Shown {
        current: AtomicPtr::new(ptr::null_mut()),
        heir: AtomicPtr::new(ptr::null_mut()),
    }
}; CPUS];

/// Value of `current` while no VCPU runs.
#[unsafe(no_mangle)]
static TAKTOS_IDLE: u64 = 0;

/// Notes that this processor runs VCPU `number` from now on, or none.
#[inline(always)]
pub(crate) fn show(number: Option<usize>) {
    let current = match number {
        Some(number) => ptr::from_ref(vcpu(number)),
        None => (&raw const TAKTOS_IDLE).cast(),
    };
    TAKTOS_PROCESSORS[own::number()]
        .current
        .store(current.cast_mut(), Relaxed);
}
