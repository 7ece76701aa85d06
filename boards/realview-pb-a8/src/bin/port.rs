//! The test of this board's port: switches between all kinds of frames, floating-point state, time
//! slices, alarms, interrupts. Ends with status 0, or with 1 and the name of what failed.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![expect(unsafe_code, reason = "fills registers and looks at them again")]

#[cfg(target_os = "none")]
mod target {
    use core::arch::{asm, naked_asm};
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use realview_pb_a8::{Board, interrupt, start};
    use taktos_kernel::{AnyThread, Error, Kernel, Semaphore, Span, System, Thread, Timeout};

    type Stack = Thread<Board, 2048>;

    static MAIN: Stack = Thread::new("main").priority(5);
    static LEFT: Stack = Thread::new("left").priority(10);
    static RIGHT: Stack = Thread::new("right").priority(10);
    static PLAIN: Stack = Thread::new("plain").priority(10);
    static URGENT: Stack = Thread::new("urgent").priority(1);

    #[aarch32_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        pair("voluntary to voluntary", &YIELDS_LEFT, &YIELDS_RIGHT, 0);
        slices(true);
        pair("involuntary to involuntary", &SPINS_LEFT, &SPINS_RIGHT, 10);
        pair(
            "involuntary to voluntary and back",
            &SPINS_LEFT,
            &YIELDS_RIGHT,
            10,
        );
        pair(
            "floating point, interrupted",
            &FLOATS_LEFT,
            &FLOATS_RIGHT,
            10,
        );
        pair("floating point beside none", &FLOATS_LEFT, &SPINS_RIGHT, 10);
        pair(
            "floating point, yielding",
            &FLOAT_YIELDS_LEFT,
            &FLOATS_RIGHT,
            10,
        );
        slices(false);
        pair(
            "floating point, yielding both",
            &FLOAT_YIELDS_LEFT,
            &FLOAT_YIELDS_RIGHT,
            0,
        );
        floating_point_after_an_end();
        slices_end_in_time();
        sleep_is_exact();
        interrupts();
        fast_interrupts_are_never_masked();
        Board::write("all passed\n");
        Board::exit(0);
    }

    fn slices(on: bool) {
        check(
            "slices",
            Kernel::<Board>::set_time_slice(on.then(|| 20.micros())).is_ok(),
        );
    }

    fn check(what: &str, holds: bool) {
        if !holds {
            Board::write("failed: ");
            Board::write(what);
            Board::write("\n");
            Board::exit(1);
        }
    }

    /// What a thread does, how often, and with which numbers in its registers.
    struct Work {
        name: &'static str,
        act: extern "C" fn(u32, u32) -> u32,
        rounds: u32,
        steps: u32,
        seed: u32,
        me: u32,
    }

    const fn work(
        name: &'static str,
        act: extern "C" fn(u32, u32) -> u32,
        steps: u32,
        me: u32,
    ) -> Work {
        Work {
            name,
            act,
            rounds: 100,
            steps,
            seed: 0x1000_0000 * me + 0x0123_4567,
            me,
        }
    }

    static YIELDS_LEFT: Work = work("yields left", yield_with_registers, 2, 1);
    static YIELDS_RIGHT: Work = work("yields right", yield_with_registers, 2, 2);
    static SPINS_LEFT: Work = work("spins left", spin_with_registers, 100, 1);
    static SPINS_RIGHT: Work = work("spins right", spin_with_registers, 100, 2);
    static FLOATS_LEFT: Work = work("floats left", spin_with_float, 100, 1);
    static FLOATS_RIGHT: Work = work("floats right", spin_with_float, 100, 2);
    static FLOAT_YIELDS_LEFT: Work = work("yields with float left", yield_with_float, 2, 1);
    static FLOAT_YIELDS_RIGHT: Work = work("yields with float right", yield_with_float, 2, 2);

    /// Who ran last, and how often that changed.
    static LAST: AtomicU32 = AtomicU32::new(0);
    static CHANGES: AtomicU32 = AtomicU32::new(0);

    fn labour(work: &'static Work) {
        for _ in 0..work.rounds {
            if LAST.swap(work.me, Relaxed) != work.me {
                CHANGES.fetch_add(1, Relaxed);
            }
            check(work.name, (work.act)(work.seed, work.steps) == 0);
        }
    }

    /// Runs two threads side by side; they must take turns at least so often.
    fn pair(name: &'static str, left: &'static Work, right: &'static Work, turns: u32) {
        CHANGES.store(0, Relaxed);
        check(
            name,
            LEFT.start_with(labour, left).is_ok() && RIGHT.start_with(labour, right).is_ok(),
        );
        check(
            name,
            LEFT.join(Timeout::FOREVER).is_ok() && RIGHT.join(Timeout::FOREVER).is_ok(),
        );
        check(name, CHANGES.load(Relaxed) >= turns);
        Board::write(name);
        Board::write("\n");
    }

    extern "C" fn give_way() {
        AnyThread::<Board>::yield_now();
    }

    /// Fills every register but the stack pointer, and looks whether they stay, `steps` times.
    #[unsafe(naked)]
    extern "C" fn spin_with_registers(seed: u32, steps: u32) -> u32 {
        naked_asm!(
            "push {{r4-r11, lr}}",
            "push {{r0}}",
            "mov r12, r0",
            "mov r0, r1",
            // r1 to r12 and lr: the seed and the numbers that follow it.
            "mov r1, r12",
            "add r2, r1, #1",
            "add r3, r1, #2",
            "add r4, r1, #3",
            "add r5, r1, #4",
            "add r6, r1, #5",
            "add r7, r1, #6",
            "add r8, r1, #7",
            "add r9, r1, #8",
            "add r10, r1, #9",
            "add r11, r1, #10",
            "add r12, r1, #11",
            "add lr, r1, #12",
            "2:",
            ".macro follows low, high",
            "add \\low, \\low, #1",
            "cmp \\low, \\high",
            "sub \\low, \\low, #1",
            "bne 3f",
            ".endm",
            "follows r1, r2",
            "follows r2, r3",
            "follows r3, r4",
            "follows r4, r5",
            "follows r5, r6",
            "follows r6, r7",
            "follows r7, r8",
            "follows r8, r9",
            "follows r9, r10",
            "follows r10, r11",
            "follows r11, r12",
            "follows r12, lr",
            ".purgem follows",
            "subs r0, r0, #1",
            "bne 2b",
            "ldr r0, [sp]",
            "subs r0, r0, r1",
            "add sp, sp, #4",
            "pop {{r4-r11, pc}}",
            "3:",
            "mov r0, #1",
            "add sp, sp, #4",
            "pop {{r4-r11, pc}}",
        )
    }

    /// Fills the registers that a call keeps, yields, and looks whether they are the same.
    #[unsafe(naked)]
    extern "C" fn yield_with_registers(seed: u32, steps: u32) -> u32 {
        naked_asm!(
            "push {{r4-r12, lr}}",
            "mov r4, r0",
            "mov r5, r1",
            "2:",
            "add r6, r4, #6",
            "add r7, r4, #7",
            "add r8, r4, #8",
            "add r9, r4, #9",
            "add r10, r4, #10",
            "add r11, r4, #11",
            "bl {give_way}",
            "sub r6, r6, #6",
            "sub r7, r7, #7",
            "sub r8, r8, #8",
            "sub r9, r9, #9",
            "sub r10, r10, #10",
            "sub r11, r11, #11",
            "cmp r6, r4",
            "cmpeq r7, r4",
            "cmpeq r8, r4",
            "cmpeq r9, r4",
            "cmpeq r10, r4",
            "cmpeq r11, r4",
            "movne r0, #1",
            "popne {{r4-r12, pc}}",
            "subs r5, r5, #1",
            "bne 2b",
            "mov r0, #0",
            "pop {{r4-r12, pc}}",
            give_way = sym give_way,
        )
    }

    /// Fills d0 to d31 and FPSCR, runs r3 and looks whether they are the same; for threads with float.
    macro_rules! with_float {
        ($($between:literal),* $(, $name:ident = sym $function:path)?) => {
            naked_asm!(
                ".fpu neon",
                "push {{r4-r12, lr}}",
                "mov r4, r0",
                "mov r5, r1",
                "2:",
                // A rounding mode, and a different word in each half of each register.
                "and r6, r4, #0x00400000",
                "vmsr fpscr, r6",
                "mov r7, r4",
                ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                "add r8, r7, #1",
                "vmov d\\n, r7, r8",
                "add r7, r7, #2",
                ".endr",
                $($between,)*
                "vmrs r9, fpscr",
                "cmp r9, r6",
                "bne 3f",
                "mov r7, r4",
                ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                "vmov r9, r10, d\\n",
                "add r8, r7, #1",
                "cmp r9, r7",
                "cmpeq r10, r8",
                "bne 3f",
                "add r7, r7, #2",
                ".endr",
                "subs r5, r5, #1",
                "bne 2b",
                "mov r0, #0",
                "pop {{r4-r12, pc}}",
                "3:",
                "mov r0, #1",
                "pop {{r4-r12, pc}}",
                $($name = sym $function)?
            )
        };
    }

    #[unsafe(naked)]
    extern "C" fn spin_with_float(seed: u32, steps: u32) -> u32 {
        with_float!("nop")
    }

    #[unsafe(naked)]
    extern "C" fn yield_with_float(seed: u32, steps: u32) -> u32 {
        with_float!("bl {give_way}", give_way = sym give_way)
    }

    /// A thread that ends with floating-point state leaves nothing behind, not even when it begins anew.
    fn floating_point_after_an_end() {
        for _ in 0..3 {
            check("cleared", LEFT.start(begins_cleared).is_ok());
            check("cleared", LEFT.join(Timeout::FOREVER).is_ok());
            check("cleared", RIGHT.start_with(labour, &FLOATS_RIGHT).is_ok());
            check("cleared", RIGHT.join(Timeout::FOREVER).is_ok());
        }
        Board::write("floating point begins cleared\n");
    }

    fn begins_cleared() {
        let (low, high, last): (u32, u32, u32);
        // SAFETY: reads two registers of this thread.
        unsafe {
            asm!(
                ".fpu neon",
                "vmov {0}, {1}, d0",
                "vmov.32 {2}, d31[1]",
                ".fpu none",
                out(reg) low, out(reg) high, out(reg) last,
                options(nomem, nostack, preserves_flags),
            );
        }
        check(
            "floating-point registers begin as zero",
            low | high | last == 0,
        );
        check("floats", spin_with_float(0x7777_7777, 3) == 0);
    }

    static TURNS: AtomicU32 = AtomicU32::new(0);
    static STOP: AtomicU32 = AtomicU32::new(0);

    fn slices_end_in_time() {
        STOP.store(0, Relaxed);
        check(
            "slice",
            Kernel::<Board>::set_time_slice(Some(100.micros())).is_ok(),
        );
        for thread in [&LEFT, &RIGHT, &PLAIN] {
            check("slice", thread.start(run_a_slice).is_ok());
        }
        check("slice", AnyThread::<Board>::sleep(1.millis()).is_ok());
        STOP.store(1, Relaxed);
        for thread in [&LEFT, &RIGHT, &PLAIN] {
            check("slice", thread.join(Timeout::FOREVER).is_ok());
        }
        // Ten slices, of which three were the first of a thread; two threads go on once more at the end.
        let turns = TURNS.load(Relaxed);
        check("turns", (8..=10).contains(&turns));
        slices(false);
        Board::write("slices are as long as they were set\n");
    }

    /// Notices when another thread ran meanwhile, which is after one slice.
    fn run_a_slice() {
        let mut seen = Kernel::<Board>::now();
        let mut begun = seen;
        while STOP.load(Relaxed) == 0 {
            let now = Kernel::<Board>::now();
            if now.since(seen) > 50.micros() {
                let used = seen.since(begun);
                check("slice too short", used > 95.micros());
                check("slice too long", used < 105.micros());
                TURNS.fetch_add(1, Relaxed);
                begun = now;
            }
            seen = now;
        }
    }

    fn sleep_is_exact() {
        for span in [1, 10, 100, 1_000, 10_000, 100_000] {
            let before = Kernel::<Board>::now();
            check("sleep", AnyThread::<Board>::sleep(span.micros()).is_ok());
            let slept = Kernel::<Board>::now().since(before);
            check("slept too short", slept >= span.micros());
            check(
                "slept too long",
                slept < span.micros().saturating_add(10.micros()),
            );
        }
        // Longer than the counter takes to wrap.
        let before = Kernel::<Board>::now();
        check("sleep", AnyThread::<Board>::sleep(400.secs()).is_ok());
        let slept = Kernel::<Board>::now().since(before);
        check(
            "long sleep",
            slept >= 400.secs() && slept < 400.secs().saturating_add(10.micros()),
        );
        Board::write("alarms come in time\n");
    }

    static WOKEN: Semaphore<Board> = Semaphore::new(0);
    static INTERRUPTS: AtomicU32 = AtomicU32::new(0);
    static DEPTH: AtomicU32 = AtomicU32::new(0);
    static SERVED: AtomicU32 = AtomicU32::new(0);

    /// The handler of the spare interrupt.
    #[unsafe(no_mangle)]
    extern "C" fn taktos_spare_interrupt() {
        check("handlers nest", DEPTH.fetch_add(1, Relaxed) == 0);
        check("F in a handler", program_status() & FAST == 0);
        let before = INTERRUPTS.fetch_add(1, Relaxed);
        check(
            "blocking in a handler",
            WOKEN.take(Timeout::FOREVER) == Err(Error::Context),
        );
        if before == 0 {
            // Pending at once, and served after this one.
            interrupt::pend();
            check("nested", INTERRUPTS.load(Relaxed) == 1);
        }
        check("give", WOKEN.give().is_ok());
        check(
            "woken before the end of the interrupt",
            SERVED.load(Relaxed) <= before,
        );
        DEPTH.fetch_sub(1, Relaxed);
    }

    fn serve() {
        loop {
            check("take", WOKEN.take(Timeout::FOREVER).is_ok());
            SERVED.fetch_add(1, Relaxed);
        }
    }

    fn interrupts() {
        interrupt::enable();
        check("serve", URGENT.start(serve).is_ok());
        interrupt::pend();
        wait_for(&SERVED, 2);
        check("two interrupts", INTERRUPTS.load(Relaxed) == 2);
        interrupt::pend();
        wait_for(&SERVED, 3);
        check("end", URGENT.delete().is_ok());
        Board::write("interrupts wake threads\n");
    }

    fn wait_for(word: &AtomicU32, value: u32) {
        for _ in 0..1000 {
            if word.load(Relaxed) == value {
                return;
            }
        }
        check("an interrupt came", false);
    }

    /// `CPSR.F`.
    const FAST: u32 = 1 << 6;

    fn program_status() -> u32 {
        let status;
        // SAFETY: reads a register.
        unsafe { asm!("mrs {}, cpsr", out(reg) status, options(nomem, nostack, preserves_flags)) };
        status
    }

    fn fast_interrupts_are_never_masked() {
        check("F in a thread", program_status() & FAST == 0);
        Board::write("fast interrupts are not masked\n");
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p realview-pb-a8 --release --target armv7a-none-eabi"
    );
}
