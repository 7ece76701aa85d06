//! The calls of FreeRTOS that CMSIS-RTOS2's cannot express, a file for each of its headers; the
//! others are written in terms of the standard's in those headers (`user/c/include/freertos`). Each
//! does what FreeRTOS's reference says of it; what differs is said here and in the book.

pub mod block;
pub mod configuration;
pub mod critical;
pub mod events;
mod hooks;
pub mod memory;
mod mutex;
pub mod notification;
pub mod pended;
pub mod queue;
pub mod stream;
pub mod task;
pub mod timer;
mod waiting;

pub(crate) use hooks::start as start_hooks;

/// `BaseType_t` and `UBaseType_t`: C's `long`.
type Base = isize;
type UnsignedBase = usize;

/// `pdTRUE` and `pdPASS`, or `pdFALSE` and `pdFAIL`.
fn truth(is_so: bool) -> Base {
    is_so.into()
}

/// Makes the kernel ready, as `osKernelInitialize`, if it is not yet: FreeRTOS's programs make
/// objects without a word before.
fn prepare() {
    // SAFETY: no address is handed over. A second time it says no, and does nothing.
    unsafe { crate::cmsis::kernel::osKernelInitialize() };
}
