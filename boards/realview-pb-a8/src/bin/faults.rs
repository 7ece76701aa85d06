//! Faults on purpose, one a run; the emulator's semihosting argument names which
//! (`-semihosting-config enable=on,target=native,arg=overflow`). Each must be reported, and ends with
//! the status 70; a run that goes on ends with 1.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    #![expect(unsafe_code, reason = "does on purpose what faults")]

    use core::arch::asm;
    use core::hint::black_box;
    use core::ptr;
    use realview_pb_a8::{Board, interrupt, start};
    use taktos_kernel::{AnyThread, Kernel, Span, System, Thread};

    static MAIN: Thread<Board, 4096> = Thread::new("main").priority(5);
    static VICTIM: Thread<Board, 1024> = Thread::new("victim").priority(10);
    static OTHER: Thread<Board, 1024> = Thread::new("other").priority(10);

    #[aarch32_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        let Some((_, act)) = CASES.iter().find(|(name, _)| argument_is(name)) else {
            Board::write("no such case\n");
            Board::exit(1);
        };
        interrupt::enable();
        let _ = VICTIM.start(*act);
        let _ = AnyThread::<Board>::sleep(10.millis());
        Board::write("no fault\n");
        Board::exit(1);
    }

    const CASES: &[(&str, fn())] = &[
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

    fn overflow() {
        black_box(descend(black_box(1)));
    }

    #[expect(unconditional_recursion, reason = "a stack overflow is wanted")]
    #[inline(never)]
    fn descend(depth: u32) -> u32 {
        let room = black_box([depth; 8]);
        descend(depth + 1).wrapping_add(room[3])
    }

    /// Leaves room for 32 bytes on the stack, and does what `f` does there.
    fn with_a_short_stack(f: extern "C" fn()) {
        // The stack's lowest page boundary lies right below it: the guard is a page.
        // SAFETY: goes down on the thread's own stack; does not come back to what it clobbers.
        unsafe {
            asm!(
                "bic sp, sp, #0xFF0",
                "bic sp, sp, #0x00F",
                "add sp, sp, #32",
                "blx {f}",
                "udf #0",
                f = in(reg) f,
                options(noreturn),
            );
        }
    }

    /// The frame of a call that gives way does not fit.
    fn overflow_at_a_call() {
        let _ = OTHER.start(|| ());
        extern "C" fn give_way() {
            AnyThread::<Board>::yield_now();
        }
        with_a_short_stack(give_way);
    }

    /// The frame of an interrupted thread does not fit.
    fn overflow_at_an_interrupt() {
        let _ = OTHER.start(|| {
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
    static NEIGHBOUR: Thread<Board, 4096> = Thread::new("neighbour").priority(20);

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
        unsafe { asm!("bx {}", in(reg) 0, options(noreturn)) };
    }

    fn jump_to_data() {
        static mut WORDS: [u32; 1] = [0xE12F_FF1E];
        // SAFETY: nothing of it is: it faults.
        unsafe { asm!("bx {}", in(reg) &raw mut WORDS, options(noreturn)) };
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
        unsafe { asm!("udf #0") };
    }

    /// An undefined instruction in a thread that may use the floating-point unit.
    fn undefined_with_float() {
        // SAFETY: uses a register of this thread, and faults.
        unsafe { asm!(".fpu neon", "vmov.i32 q0, #1", ".fpu none", "udf #0") };
    }

    fn panics() {
        panic!("on purpose");
    }

    /// In a program that formats text.
    fn panics_with_numbers() {
        taktos_kernel::fault::print::<Board>(format_args!("{}\n", black_box(41)));
        panic!("{} on purpose", black_box(42));
    }

    /// The word behind the program's name on the command line.
    fn argument_is(name: &str) -> bool {
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
        const GET_COMMAND_LINE: u32 = 0x15;
        let mut block = [buffer.as_mut_ptr().addr(), buffer.len()];
        let failed: u32;
        // SAFETY: the debugger writes into the buffer, and its length into the block.
        unsafe {
            asm!(
                "svc 0x123456",
                inout("r0") GET_COMMAND_LINE => failed,
                in("r1") block.as_mut_ptr(),
                options(nostack),
            );
        }
        if failed == 0 { Ok(block[1]) } else { Err(()) }
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p realview-pb-a8 --release --target armv7a-none-eabi"
    );
}
