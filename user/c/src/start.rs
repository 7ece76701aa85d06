//! Owns: what a C program finds when it begins: the heap, interrupts at the kernel's level, a console and an end.
//! Must never know: the standard's calls.

use crate::cmsis::status::{OK, PARAMETER};
use crate::os::{masked, os};
use crate::posix::errno::Errno;
use core::mem::MaybeUninit;
use core::slice;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos::System;
use taktos::board::{self, Board};

#[cfg(not(target_arch = "arm"))]
type Cpu = <Board as System>::Machine;

unsafe extern "C" {
    /// Where the heap begins and ends, by the linker script.
    static mut _taktos_heap_start: MaybeUninit<u8>;
    static mut _taktos_heap_end: MaybeUninit<u8>;
    /// Where the memory of the C library's `malloc` begins and ends.
    static mut _taktos_break_start: MaybeUninit<u8>;
    static mut _taktos_break_end: MaybeUninit<u8>;
}

/// Gives the heap its memory, and makes every interrupt one whose handler may call the kernel. Called once.
pub fn prepare() {
    let (start, end) = (&raw mut _taktos_heap_start, &raw mut _taktos_heap_end);
    let size = end.addr().saturating_sub(start.addr());
    // SAFETY: the linker script keeps this memory for the heap, whose it is from here on.
    let memory = unsafe { slice::from_raw_parts_mut(start, size) };
    os().heap.add(memory);
    #[cfg(target_arch = "arm")]
    board::arch::bring_to_kernel_level();
}

/// Lets the interrupt `number` reach `handler`, at the kernel's level. On a Cortex-M the handler is the one in the table of vectors. −4
/// (`osErrorParameter`) for an interrupt that the board has not, or without a handler.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_interrupt_enable(number: u32, handler: Option<extern "C" fn()>) -> i32 {
    let Some(handler) = handler.filter(|_| number < board::INTERRUPTS) else {
        return PARAMETER;
    };
    #[cfg(target_arch = "arm")]
    {
        let _ = handler;
        board::arch::enable_interrupt(number as u16, board::arch::Level::Kernel);
    }
    #[cfg(not(target_arch = "arm"))]
    {
        // SAFETY: on these processors a Rust function is called as C's are, where it takes nothing and gives nothing back.
        let handler = unsafe { core::mem::transmute::<extern "C" fn(), fn()>(handler) };
        Cpu::set_handler(number, handler);
    }
    OK
}

/// Keeps the interrupt `number` from its handler; it waits where it comes.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_interrupt_disable(number: u32) -> i32 {
    if number >= board::INTERRUPTS {
        return PARAMETER;
    }
    #[cfg(target_arch = "arm")]
    board::arch::disable_interrupt(number as u16);
    #[cfg(not(target_arch = "arm"))]
    Cpu::disable_interrupt(number);
    OK
}

/// Makes the interrupt `number` pending, as its device would.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_interrupt_pend(number: u32) -> i32 {
    if number >= board::INTERRUPTS {
        return PARAMETER;
    }
    #[cfg(target_arch = "arm")]
    board::arch::pend_interrupt(number as u16);
    #[cfg(not(target_arch = "arm"))]
    Cpu::pend_interrupt(number);
    OK
}

/// Ends the program, in an emulator: with `status`.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_exit(status: i32) -> ! {
    Board::exit(status)
}

/// Writes `length` characters to the board's console. What is no text is left out.
///
/// # Safety
/// So many characters lie there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taktos_write(text: *const u8, length: usize) {
    if text.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice::from_raw_parts(text, length) };
    for chunk in bytes.utf8_chunks() {
        Board::write(chunk.valid());
    }
}

/// The end of the memory that the C library's `malloc` has.
static BREAK: AtomicUsize = AtomicUsize::new(0);

/// `sbrk`, as newlib asks for memory by it: the old end, or −1 with `ENOMEM` where there is no more.
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
                // What the C library notes of it itself is not this thread's errno.
                Errno::NOMEM.set();
                -1
            }
        }
    })
}

/// `write`, to the console whatever the file.
///
/// # Safety
/// As [`taktos_write`].
#[unsafe(no_mangle)]
unsafe extern "C" fn taktos_write_file(_: i32, text: *const u8, length: i32) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { taktos_write(text, length.max(0) as usize) };
    length
}

// What newlib asks of a system, where the program has nothing of its own: memory, the console, an end. There are no files.
#[cfg(target_arch = "arm")]
core::arch::global_asm!(
    ".weak _sbrk, _write, _exit, _read, _close, _lseek, _fstat, _isatty, _kill, _getpid, _gettimeofday, _init, _fini",
    ".thumb_set _sbrk, taktos_sbrk",
    ".thumb_set _write, taktos_write_file",
    ".thumb_set _exit, taktos_exit",
    ".thumb_func",
    ".type taktos_no_file, %function",
    "taktos_no_file: movs r0, #0",
    "subs r0, #1",
    "bx lr",
    ".thumb_func",
    ".type taktos_is_console, %function",
    "taktos_is_console: movs r0, #1",
    "bx lr",
    ".thumb_set _read, taktos_no_file",
    ".thumb_set _close, taktos_no_file",
    ".thumb_set _lseek, taktos_no_file",
    ".thumb_set _fstat, taktos_no_file",
    ".thumb_set _kill, taktos_no_file",
    ".thumb_set _isatty, taktos_is_console",
    ".thumb_set _getpid, taktos_is_console",
    ".thumb_set _gettimeofday, taktos_posix_time_of_day",
    // What the compiler's start-up files would have for constructors of old.
    ".thumb_func",
    ".type taktos_nothing, %function",
    "taktos_nothing: bx lr",
    ".thumb_set _init, taktos_nothing",
    ".thumb_set _fini, taktos_nothing",
);

/// The start-up code of these processors calls a Rust function, which calls the program's `main`.
#[cfg(target_arch = "aarch64")]
mod entry {
    use super::{Board, System};

    unsafe extern "C" {
        fn main() -> i32;
    }

    fn run() -> ! {
        // SAFETY: the program's, called once, on the stack that the start-up code has set.
        Board::exit(unsafe { main() })
    }

    taktos::board::entry!(run());
}
