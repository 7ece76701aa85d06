//! Sleeps in which the processor's own timer stands, as in a stop mode of a chip: a timer of the
//! machine wakes the processor and measures the sleep, and another one, which always runs, is what
//! the kernel's time is checked against. For machines with the timers of Arm's CMSDK.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program! {
    use chip::{Board, start};
    use chip::arch::{self, Level};
    use chip::common::registers::Register;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use taktos_kernel::{
        AnyThread, Duration, Idle, Kernel, Semaphore, System, Thread, Timeout, fault,
    };

    static MAIN: Thread<Board, 2048> = Thread::new("main").priority(5);
    static IDLE: Thread<Board, 1024> = Thread::new("idle");
    static CAME: Semaphore<Board> = Semaphore::new(0);
    /// How often the timer stood.
    static STOPS: AtomicU32 = AtomicU32::new(0);

    /// The control register of `SysTick` (Armv7-M manual, B3.3.3). A read would clear its flag.
    const SYSTICK: Register = Register(0xE000_E010);
    const RUNS: u32 = 0b111;
    const STANDS: u32 = 0b110;

    /// The second timer (CMSDK, DDI 0479, 4.2): it counts down, from `RELOAD` again after zero.
    const CONTROL: Register = Register(0x4000_1000);
    const VALUE: Register = Register(0x4000_1004);
    const RELOAD: Register = Register(0x4000_1008);
    const INTERRUPT: Register = Register(0x4000_100C);
    const COUNTS_AND_INTERRUPTS: u32 = 1 | 1 << 3;
    const NUMBER: u16 = 9;
    /// The dual timer (DDI 0479, 4.3), which counts down all the time.
    const ALWAYS_LOAD: Register = Register(0x4000_2000);
    const ALWAYS_VALUE: Register = Register(0x4000_2004);
    const ALWAYS_CONTROL: Register = Register(0x4000_2008);
    const COUNTS_32_BITS: u32 = 1 << 7 | 1 << 1;
    /// Both count at 25 MHz.
    const TICK: u64 = 40;

    /// Shorter sleeps are waits in which the timer runs.
    const SHORTEST: Duration = Duration::from_millis(1);
    const SLEEPS: u64 = 10;
    const LENGTH: Duration = Duration::from_millis(50);
    /// The longest time between a stop of the timer and the readings next to it, for all sleeps.
    const ERROR: Duration = Duration::from_micros(100);

    chip::entry!(start(&MAIN, main));

    fn main() {
        ALWAYS_LOAD.write(u32::MAX);
        ALWAYS_CONTROL.write(COUNTS_32_BITS);
        arch::enable_interrupt(NUMBER, Level::Kernel);
        if IDLE.start_idle(sleep).is_err() {
            Board::exit(1);
        }
        let (begun, ticks) = (Kernel::<Board>::now(), ALWAYS_VALUE.read());
        for sleep in 1..=SLEEPS {
            let end = begun.saturating_add(Duration::from_nanos(sleep * LENGTH.as_nanos()));
            let _ = AnyThread::<Board>::sleep(Timeout::until(end));
        }
        // Without a time-out only an interrupt wakes the processor.
        let came = CAME.take(Timeout::FOREVER);
        let passed = Kernel::<Board>::now().since(begun);
        let truly = Duration::from_nanos(u64::from(ticks - ALWAYS_VALUE.read()) * TICK);
        let error = truly.saturating_sub(passed).max(passed.saturating_sub(truly));
        fault::print::<Board>(format_args!(
            "{} stops in {} ms, which is {}\n",
            STOPS.load(Relaxed),
            passed.as_nanos() / 1_000_000,
            if came.is_ok() && error <= ERROR { "true" } else { "wrong" },
        ));
        Board::exit(i32::from(error > ERROR));
    }

    /// Stops `SysTick` until the next time-out, or until the second timer has an interrupt for the
    /// thread that waits without one.
    fn sleep(idle: &Idle<'_, Board>) {
        let left = idle.left();
        if left.is_some_and(|left| left < SHORTEST) {
            return idle.wait();
        }
        let span = left.map_or(LENGTH, |left| left.saturating_sub(SHORTEST));
        SYSTICK.write(STANDS);
        RELOAD.write((span.as_nanos() / TICK) as u32);
        VALUE.write((span.as_nanos() / TICK) as u32);
        CONTROL.write(COUNTS_AND_INTERRUPTS);
        idle.wait();
        let ticks = passed();
        SYSTICK.write(RUNS);
        CONTROL.write(0);
        STOPS.store(STOPS.load(Relaxed) + 1, Relaxed);
        if idle.slept(Duration::from_nanos(u64::from(ticks) * TICK)).is_err() {
            Board::exit(2);
        }
        if left.is_some() {
            INTERRUPT.write(1);
        }
    }

    /// The ticks of the second timer since it was started.
    fn passed() -> u32 {
        let (length, value) = (RELOAD.read(), VALUE.read());
        // It stays at zero for a tick, and then counts from `RELOAD` again.
        let rounds = u32::from(INTERRUPT.read() != 0 && value != 0);
        rounds * length + (length - value)
    }

    /// The handler of the second timer, for the sleep without a time-out.
    #[expect(unsafe_code, reason = "a handler is found by its symbol")]
    #[unsafe(no_mangle)]
    extern "C" fn taktos_interrupt_9() {
        if INTERRUPT.read() != 0 {
            INTERRUPT.write(1);
            let _ = CAME.give();
        }
    }
}
