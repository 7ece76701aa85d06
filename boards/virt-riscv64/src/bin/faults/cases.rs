//! Owns: what faults on purpose, and how the command line names it.
//! Must never know: which thread does it, on which processor.

use super::{Board, interrupt, start_other};
use core::arch::asm;
use core::hint::black_box;
use core::ptr;
use taktos_kernel::{AnyThread, Kernel, Span, Thread};

/// Each case's word, and what it does.
pub const CASES: &[(&str, fn())] = &[
    ("overflow", overflow),
    ("overflow-at-a-call", overflow_at_a_call),
    ("overflow-at-an-interrupt", overflow_at_an_interrupt),
    ("overflow-of-a-handler", interrupt::pend),
    ("null", null),
    ("guard-of-another", guard_of_another),
    ("damaged-control-block", damaged_control_block),
    ("unmapped", unmapped),
    ("jump-to-null", jump_to_null),
    ("jump-to-data", jump_to_data),
    ("write-to-code", write_to_code),
    ("write-to-a-constant", write_to_a_constant),
    ("undefined", undefined),
    ("undefined-with-float", undefined_with_float),
    ("panic", panics),
    ("panic-with-numbers", panics_with_numbers),
];

/// The spare interrupt uses up the handlers' stack.
#[unsafe(no_mangle)]
extern "C" fn taktos_spare_interrupt() {
    overflow();
}

/// Goes down into the guard below the handlers' stack, and no further: below it is the next processor's stack, which
/// ends with a guard, too. Below a thread's stack, which is smaller, the guard comes earlier.
fn overflow() {
    const STACK: usize = 4 * 4096;
    let here = 0_u8;
    let top = ptr::from_ref(black_box(&here)).addr();
    black_box(descend(black_box(top - STACK - 2048)));
}

#[inline(never)]
fn descend(end: usize) -> usize {
    let room = black_box([end; 4]);
    if ptr::from_ref(&room).addr() < end {
        return room[2];
    }
    descend(end).wrapping_add(room[3])
}

/// Leaves room for 32 bytes on the stack, and does what `f` does there.
fn with_a_short_stack(f: extern "C" fn()) {
    // The stack's lowest page boundary lies right below it: the guard is a page.
    // SAFETY: goes down on the thread's own stack; does not come back to what it clobbers.
    unsafe {
        asm!(
            "li t0, -4096",
            "and sp, sp, t0",
            "addi sp, sp, 32",
            "jalr {f}",
            "unimp",
            f = in(reg) f,
            options(noreturn),
        );
    }
}

/// The frame of a call that gives way does not fit.
fn overflow_at_a_call() {
    start_other(|| ());
    extern "C" fn give_way() {
        AnyThread::<Board>::yield_now();
    }
    with_a_short_stack(give_way);
}

/// The frame of an interrupted thread does not fit.
fn overflow_at_an_interrupt() {
    start_other(|| {
        loop {
            core::hint::spin_loop();
        }
    });
    let _ = Kernel::<Board>::set_time_slice(Some(20.micros()));
    extern "C" fn spin() {
        loop {
            core::hint::spin_loop();
        }
    }
    with_a_short_stack(spin);
}

fn null() {
    // SAFETY: nothing of it is: it faults.
    black_box(unsafe { ptr::read_volatile(black_box(ptr::null::<u32>())) });
}

/// A thread that is not the victim.
static NEIGHBOUR: Thread<Board, 2048> = Thread::new("neighbour").priority(20);

/// No overflow, but a pointer that leads astray: into the guard below another thread's stack.
fn guard_of_another() {
    let _ = NEIGHBOUR.start(|| ());
    let behind = ptr::from_ref(&NEIGHBOUR).expose_provenance() + size_of::<AnyThread<Board>>();
    let guard = ptr::with_exposed_provenance_mut::<u32>(behind.next_multiple_of(4096));
    // SAFETY: nothing of it is: it faults.
    unsafe { ptr::write_volatile(guard, 1) };
}

/// What a frame does that passes over the guard.
fn damaged_control_block() {
    let block = ptr::from_ref(AnyThread::<Board>::current()).expose_provenance();
    let block = ptr::with_exposed_provenance_mut::<u8>(block);
    // SAFETY: nothing of it is; the fault behind it is reported all the same.
    unsafe { ptr::write_bytes(block, 0x41, size_of::<AnyThread<Board>>()) };
    undefined();
}

fn unmapped() {
    let nowhere = ptr::without_provenance_mut::<u32>(0x5000_0000);
    // SAFETY: nothing of it is: it faults.
    unsafe { ptr::write_volatile(nowhere, 1) };
}

fn jump_to_null() {
    // SAFETY: nothing of it is: it faults.
    unsafe { asm!("jr {}", in(reg) 0u64, options(noreturn)) };
}

fn jump_to_data() {
    static mut WORDS: [u32; 1] = [0x0000_8067];
    // SAFETY: nothing of it is: it faults.
    unsafe { asm!("jr {}", in(reg) &raw mut WORDS, options(noreturn)) };
}

fn write_to_code() {
    let code = null as *const () as *mut u32;
    // SAFETY: nothing of it is: it faults.
    unsafe { ptr::write_volatile(code, 0) };
}

fn write_to_a_constant() {
    static CONSTANT: u32 = 1;
    // SAFETY: nothing of it is: it faults.
    unsafe { ptr::write_volatile(black_box(&raw const CONSTANT).cast_mut(), 0) };
}

fn undefined() {
    // SAFETY: faults.
    unsafe { asm!("unimp") };
}

/// An undefined instruction in a thread that may use the floating-point unit.
fn undefined_with_float() {
    // SAFETY: uses a register of this thread, and faults.
    unsafe {
        asm!(
            ".option push",
            ".option arch, +d",
            "fmv.d.x f0, zero",
            ".option pop",
            "unimp"
        )
    };
}

fn panics() {
    panic!("on purpose");
}

/// In a program that formats text.
fn panics_with_numbers() {
    taktos_kernel::fault::print::<Board>(format_args!("{}\n", black_box(41)));
    panic!("{} on purpose", black_box(42));
}

/// Whether this is a word behind the program's name on the command line.
pub fn argument_is(name: &str) -> bool {
    let mut line = [0u8; 64];
    let Ok(length) = command_line(&mut line) else {
        return false;
    };
    let words = core::str::from_utf8(&line[..length]).unwrap_or("");
    words
        .trim_end_matches('\0')
        .split(' ')
        .any(|word| word == name)
}

fn command_line(buffer: &mut [u8]) -> Result<usize, ()> {
    const GET_COMMAND_LINE: u64 = 0x15;
    let mut block = [buffer.as_mut_ptr().addr(), buffer.len()];
    let failed: u64;
    // SAFETY: the debugger writes into the buffer, and its length into the block.
    unsafe {
        asm!(
            ".option push",
            ".option norvc",
            // The three instructions by which the emulator knows such a call.
            "slli zero, zero, 0x1f",
            "ebreak",
            "srai zero, zero, 7",
            ".option pop",
            inout("a0") GET_COMMAND_LINE => failed,
            in("a1") block.as_mut_ptr(),
            options(nostack),
        );
    }
    if failed == 0 { Ok(block[1]) } else { Err(()) }
}
