//! Owns: what a C program finds when it begins: the heap, interrupts at the kernel's level, a
//! console and an end. Must never know: the standard's calls.

#[cfg(not(target_arch = "arm"))]
mod bits;
mod cpp;
// The start-up code of a Cortex-M calls `main` itself.
#[cfg(any(not(target_arch = "arm"), feature = "realview-pb-a8"))]
mod entry;
#[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
mod kept;
#[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
mod newlib;
pub mod program;
#[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
mod reentrant;
// Where handlers are in a table of vectors, and where they are set.
#[cfg_attr(
    all(target_arch = "arm", not(feature = "realview-pb-a8")),
    path = "vectors.rs"
)]
#[cfg_attr(
    not(all(target_arch = "arm", not(feature = "realview-pb-a8"))),
    path = "handlers.rs"
)]
mod interrupt;

use crate::cmsis::status::{OK, PARAMETER, Status};
use crate::os::{masked, os};
use crate::posix::errno::Errno;
use core::mem::MaybeUninit;
use core::slice;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use taktos::System;
use taktos::board::{self, Board};

unsafe extern "C" {
    /// Where the heap begins and ends, by the linker script.
    static mut _taktos_heap_start: MaybeUninit<u8>;
    static mut _taktos_heap_end: MaybeUninit<u8>;
    /// Where the memory of the C library's `malloc` begins and ends.
    static mut _taktos_break_start: MaybeUninit<u8>;
    static mut _taktos_break_end: MaybeUninit<u8>;
}

/// Gives the heap its memory, and lets the handler of every interrupt call the kernel. Called once.
pub fn prepare() {
    prepare_heap();
    interrupt::prepare();
}

/// Gives the heap its memory, unless it has it.
fn prepare_heap() {
    static IS_PREPARED: AtomicBool = AtomicBool::new(false);
    // Nothing runs during the first call, which is in `osKernelInitialize` or before it.
    if IS_PREPARED.load(Relaxed) {
        return;
    }
    IS_PREPARED.store(true, Relaxed);
    let (start, end) = (&raw mut _taktos_heap_start, &raw mut _taktos_heap_end);
    let size = end.addr().saturating_sub(start.addr());
    // SAFETY: the linker script keeps this memory for the heap, which owns it from here on.
    let memory = unsafe { slice::from_raw_parts_mut(start, size) };
    os().heap.add(memory);
}

/// Lets the interrupt `number` reach `handler`, at the kernel's level. On a Cortex-M the handler is
/// the one in the table of vectors. −4 (`osErrorParameter`) for an interrupt that the board has
/// not, or without a handler.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_interrupt_enable(
    number: u32,
    handler: Option<interrupt::Handler>,
) -> Status {
    match handler {
        Some(handler) => of_board(number, || interrupt::enable(number, handler)),
        None => PARAMETER,
    }
}

/// Keeps the interrupt `number` from its handler; it waits where it comes.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_interrupt_disable(number: u32) -> Status {
    of_board(number, || interrupt::disable(number))
}

/// Makes the interrupt `number` pending, as its device would.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_interrupt_pend(number: u32) -> Status {
    of_board(number, || interrupt::pend(number))
}

/// Does `act` with an interrupt of the board's.
fn of_board(number: u32, act: impl FnOnce()) -> Status {
    if number >= board::INTERRUPTS {
        return PARAMETER;
    }
    act();
    OK
}

/// Ends the program, in an emulator: with `status`.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_exit(status: i32) -> ! {
    Board::exit(status)
}

/// Writes `length` characters to the board's console. Bytes that are no text are left out.
///
/// # Safety
/// There are `length` characters at `text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taktos_write(text: *const u8, length: usize) {
    if text.is_null() {
        return;
    }
    // SAFETY: the caller guarantees that `length` characters at `text` are readable.
    let bytes = unsafe { slice::from_raw_parts(text, length) };
    for chunk in bytes.utf8_chunks() {
        Board::write(chunk.valid());
    }
}

/// The end of the memory that the C library's `malloc` has.
static BREAK: AtomicUsize = AtomicUsize::new(0);

/// `sbrk`, by which newlib requests memory: the old end, or −1 with `ENOMEM` if there is no more.
#[unsafe(no_mangle)]
extern "C" fn taktos_sbrk(by: isize) -> isize {
    let (first, last) = (
        (&raw const _taktos_break_start).addr(),
        (&raw const _taktos_break_end).addr(),
    );
    masked(|| {
        let old = BREAK.load(Relaxed).max(first);
        match old.checked_add_signed(by) {
            Some(new) if (first..=last).contains(&new) => {
                BREAK.store(new, Relaxed);
                old as isize
            }
            _ => {
                // The error that the C library notes itself is not this thread's errno.
                Errno::NOMEM.set();
                -1
            }
        }
    })
}

#[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
pub use kept::Kept;
#[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
use newlib::end;
#[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
use reentrant::write_out;

/// Ends the program.
#[cfg(target_arch = "aarch64")]
fn end(status: i32) -> ! {
    taktos_exit(status)
}

/// There is no C library that would keep anything.
#[cfg(target_arch = "aarch64")]
fn write_out() {}
