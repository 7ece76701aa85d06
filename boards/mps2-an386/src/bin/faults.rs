//! Faults on purpose, one a run; the emulator's semihosting argument names which
//! (`-semihosting-config enable=on,target=native,arg=faults,arg=overflow`). Each must be reported, and ends with
//! the status 70; a run that goes on ends with 1.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    #![expect(unsafe_code, reason = "does on purpose what faults")]

    use core::arch::asm;
    use core::cell::UnsafeCell;
    use core::hint::black_box;
    use core::ptr;
    use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};
    use mps2_an386::{Board, interrupt, start, urgent_interrupt};
    use taktos_kernel::{AnyThread, Kernel, Semaphore, Span, System, Thread};

    static MAIN: Thread<Board, 4096> = Thread::new("main").priority(5);
    static VICTIM: Thread<Board, 1024> = Thread::new("victim").priority(10);
    static OTHER: Thread<Board, 1024> = Thread::new("other").priority(10);

    #[cortex_m_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        if argument_is("overflow-of-the-first-thread") {
            overflow();
        }
        let Some((_, act)) = CASES.iter().find(|(name, _)| argument_is(name)) else {
            Board::write("no such case\n");
            Board::exit(1);
        };
        interrupt::enable();
        let _ = VICTIM.start(*act);
        let _ = AnyThread::<Board>::sleep(20.millis());
        Board::write("no fault\n");
        Board::exit(1);
    }

    const CASES: &[(&str, fn())] = &[
        ("overflow", overflow),
        ("overflow-after-an-interrupt", overflow_after_an_interrupt),
        ("overflow-at-a-call", overflow_at_a_call),
        ("overflow-at-an-interrupt", overflow_at_an_interrupt),
        ("overflow-at-a-switch", overflow_at_a_switch),
        (
            "overflow-at-a-switch-with-float",
            overflow_at_a_switch_with_float,
        ),
        ("overflow-of-late-float", overflow_of_late_float),
        ("overflow-at-a-resumption", overflow_at_a_resumption),
        ("overflow-of-a-handler", || in_handler(overflow)),
        ("null", null),
        ("own-region", own_region),
        ("frame-beyond-the-guard", frame_beyond_the_guard),
        ("unmapped", unmapped),
        ("jump-to-null", jump_to_null),
        ("jump-to-an-even-address", jump_to_an_even_address),
        ("jump-to-a-device", jump_to_a_device),
        ("jump-to-nowhere", jump_to_nowhere),
        ("undefined", undefined),
        ("undefined-while-masked", undefined_while_masked),
        ("undefined-in-a-handler", || in_handler(undefined)),
        ("divide", divide),
        ("unaligned", unaligned),
        ("panic", panics),
        ("panic-with-numbers", panics_with_numbers),
        ("panic-in-a-handler", || in_handler(panics)),
        ("call-from-above", call_from_above),
    ];

    static IN_HANDLER: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

    fn in_handler(act: fn()) {
        IN_HANDLER.store(act as *mut (), Relaxed);
        interrupt::pend();
    }

    #[unsafe(no_mangle)]
    extern "C" fn taktos_spare_interrupt() {
        // SAFETY: `in_handler` put a function of this type there before the interrupt.
        let act = unsafe { core::mem::transmute::<*mut (), fn()>(IN_HANDLER.load(Relaxed)) };
        act();
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

    /// The thread is switched to at the end of an interrupt, and its guard with it.
    fn overflow_after_an_interrupt() {
        let _ = AnyThread::<Board>::sleep(10.micros());
        overflow();
    }

    /// The lowest address of the running thread's stack: behind its guard, whose region the protection
    /// unit's base register names.
    fn lowest() -> usize {
        const REGION_BASE: usize = 0xE000_ED9C;
        // SAFETY: reads a register without side effects.
        let base =
            unsafe { ptr::read_volatile(ptr::with_exposed_provenance::<usize>(REGION_BASE)) };
        (base & !31) + 32
    }

    /// Does what `f` does with `room` bytes left on the stack, again and again, each time with eight
    /// bytes less.
    fn with_a_short_stack(room: usize, f: extern "C" fn()) -> ! {
        // SAFETY: goes down on the thread's own stack; does not come back to what it clobbers.
        unsafe {
            asm!(
                "2:",
                "mov sp, r4",
                "blx r5",
                "subs r4, r4, #8",
                "b 2b",
                in("r4") lowest() + room,
                in("r5") f,
                options(noreturn),
            );
        }
    }

    extern "C" fn give_way() {
        AnyThread::<Board>::yield_now();
    }

    extern "C" fn spin() {
        loop {
            core::hint::spin_loop();
        }
    }

    fn slices() {
        let _ = OTHER.start(|| spin());
        let _ = Kernel::<Board>::set_time_slice(Some(20.micros()));
    }

    /// The frame of a call that gives way does not fit.
    fn overflow_at_a_call() {
        let _ = OTHER.start(|| ());
        with_a_short_stack(32, give_way);
    }

    /// The processor's frame of an interrupted thread does not fit.
    fn overflow_at_an_interrupt() {
        slices();
        with_a_short_stack(24, spin);
    }

    /// It does, but the other registers do not.
    fn overflow_at_a_switch() {
        slices();
        with_a_short_stack(64, spin);
    }

    /// The other half of the floating-point registers does not fit.
    fn overflow_at_a_switch_with_float() {
        slices();
        use_float();
        with_a_short_stack(136, spin);
    }

    /// The processor leaves room for the first half, which is on the guard, and puts its frame below. It
    /// notices only when the switch makes it store the registers.
    fn overflow_of_late_float() {
        slices();
        use_float();
        with_a_short_stack(24, spin);
    }

    fn use_float() {
        // SAFETY: brings the unit into use; no code of this program holds floating-point values.
        unsafe { asm!(".fpu fpv4-sp-d16", "vmov s0, {0}", in(reg) 0, options(nomem, nostack)) };
    }

    /// A thread that gave way with little room left is resumed at the end of an interrupt: the frame by which
    /// the processor is to go back there needs more than the call did, and does not fit.
    fn overflow_at_a_resumption() {
        slices();
        with_a_short_stack(256, give_way);
    }

    fn null() {
        // SAFETY: nothing of it is: it faults.
        black_box(unsafe { ptr::read_volatile(black_box(ptr::null::<u32>())) });
    }

    /// A region that the program itself has forbidden.
    fn own_region() {
        #[repr(align(32))]
        struct Forbidden(UnsafeCell<[u32; 8]>);
        // SAFETY: touched by one thread.
        unsafe impl Sync for Forbidden {}
        static FORBIDDEN: Forbidden = Forbidden(UnsafeCell::new([0; 8]));
        const NUMBER: usize = 0xE000_ED98;
        const BASE: usize = 0xE000_ED9C;
        const SIZE: usize = 0xE000_EDA0;
        const NO_ACCESS_32_BYTES: usize = 4 << 1 | 1;
        let place = FORBIDDEN.0.get().expose_provenance();
        // SAFETY: a region that the port leaves free; the number is put back. Then it faults.
        unsafe {
            let write = |register, value| {
                ptr::write_volatile(ptr::with_exposed_provenance_mut::<usize>(register), value);
            };
            write(NUMBER, 0);
            write(BASE, place);
            write(SIZE, NO_ACCESS_32_BYTES);
            write(NUMBER, 7);
            asm!("dsb", "isb");
            FORBIDDEN.0.get().cast::<u32>().write_volatile(1);
        }
    }

    /// So large that it passes over the guard, and overwrites the control block before it comes to the guard.
    fn frame_beyond_the_guard() {
        black_box([0x41u8; 1200]);
    }

    fn unmapped() {
        let nowhere = ptr::without_provenance_mut::<u32>(0x5000_0000);
        // SAFETY: nothing of it is: it faults.
        unsafe { ptr::write_volatile(nowhere, 1) };
    }

    fn jump(place: usize) -> ! {
        // SAFETY: nothing of it is: it faults.
        unsafe { asm!("bx {}", in(reg) place, options(noreturn)) }
    }

    /// A null pointer to a function: the even address asks for a state that the processor does not have.
    fn jump_to_null() {
        jump(0);
    }

    fn jump_to_an_even_address() {
        jump(jump_to_null as *const () as usize & !3);
    }

    /// Devices cannot be executed.
    fn jump_to_a_device() {
        jump(0x4000_0001);
    }

    /// The vectors cannot either.
    fn jump_to_nowhere() {
        jump(1);
    }

    fn undefined() {
        // SAFETY: faults.
        unsafe { asm!("udf #0") };
    }

    /// With everything masked that can be.
    fn undefined_while_masked() {
        // SAFETY: faults.
        unsafe { asm!("cpsid i", "udf #0") };
    }

    /// What the processor traps only where it is told to.
    fn divide() {
        const CONFIGURATION: usize = 0xE000_ED14;
        const TRAP_DIVISION: u32 = 1 << 4;
        let configuration = ptr::with_exposed_provenance_mut::<u32>(CONFIGURATION);
        // SAFETY: changes one bit of the processor's configuration; then faults.
        unsafe {
            configuration.write_volatile(configuration.read_volatile() | TRAP_DIVISION);
            asm!("dsb", "isb", "udiv {0}, {0}, {1}", inout(reg) 1 => _, in(reg) 0);
        }
    }

    /// Two words at once cannot be loaded from anywhere.
    fn unaligned() {
        let words = [0u32; 4];
        let place = words.as_ptr().wrapping_byte_add(2);
        // SAFETY: faults.
        unsafe { asm!("ldrd {0}, {1}, [{2}]", out(reg) _, out(reg) _, in(reg) place) };
    }

    fn panics() {
        panic!("on purpose");
    }

    /// In a program that formats text.
    fn panics_with_numbers() {
        taktos_kernel::fault::print::<Board>(format_args!("{}\n", black_box(41)));
        panic!("{} on purpose", black_box(42));
    }

    static NOBODY_WAITS: Semaphore<Board> = Semaphore::new(0);

    /// What would wake nobody is done in place, where it cannot be refused.
    fn call_from_above() {
        urgent_interrupt::enable(0x20);
        urgent_interrupt::pend();
    }

    #[unsafe(no_mangle)]
    extern "C" fn taktos_urgent_interrupt() {
        let _ = NOBODY_WAITS.give();
    }

    /// Whether `name` is a word of the command line.
    fn argument_is(name: &str) -> bool {
        let mut line = [0u8; 128];
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
        let mut block = [buffer.as_mut_ptr().expose_provenance(), buffer.len()];
        let failed: u32;
        // SAFETY: the debugger writes into the buffer, and its length into the block.
        unsafe {
            asm!(
                "bkpt #0xAB",
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
        "build this for the board: cargo build -p mps2-an386 --release --target thumbv7em-none-eabi"
    );
}
