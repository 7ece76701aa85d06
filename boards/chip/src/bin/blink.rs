//! Two threads that take turns; then one that sleeps, and pends an interrupt with a handler that
//! wakes another. It needs little memory. It says how often each came about, and how long the
//! sleeps took.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program! {
    use chip::{Board, start};
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use taktos_kernel::{AnyThread, Kernel, Semaphore, Span, System, Thread, Timeout, fault};

    const STACK: usize = 384;
    /// How often each of the two gives way, and how often the interrupt comes.
    const TURNS: u32 = 100;
    const BLINKS: u32 = 10;

    static MAIN: Thread<Board, 1024> = Thread::new("main").priority(5);
    static LEFT: Thread<Board, STACK> = Thread::new("left").priority(10);
    static RIGHT: Thread<Board, STACK> = Thread::new("right").priority(10);
    static CAME: Semaphore<Board> = Semaphore::new(0);
    static LAST: AtomicU32 = AtomicU32::new(0);
    static CHANGES: AtomicU32 = AtomicU32::new(0);
    static BLINKED: AtomicU32 = AtomicU32::new(0);

    chip::entry!(start(&MAIN, main));

    fn main() {
        let _ = LEFT.start_with(take_turns, &1);
        let _ = RIGHT.start_with(take_turns, &2);
        let _ = LEFT.join(Timeout::FOREVER);
        let _ = RIGHT.join(Timeout::FOREVER);
        let begun = Kernel::<Board>::now();
        chip::interrupt::enable();
        let _ = LEFT.start(blink);
        for _ in 0..BLINKS {
            let _ = AnyThread::<Board>::sleep(5.millis());
            chip::interrupt::pend();
        }
        let _ = LEFT.join(Timeout::FOREVER);
        fault::print::<Board>(format_args!(
            "turns {} blinks {} in {} ms\n",
            CHANGES.load(Relaxed),
            BLINKED.load(Relaxed),
            Kernel::<Board>::now().since(begun).as_nanos() / 1_000_000,
        ));
        Board::exit(0);
    }

    /// Counts the turns in which the other thread came before.
    fn take_turns(number: &u32) {
        for _ in 0..TURNS {
            if LAST.load(Relaxed) != *number {
                LAST.store(*number, Relaxed);
                CHANGES.store(CHANGES.load(Relaxed) + 1, Relaxed);
            }
            AnyThread::<Board>::yield_now();
        }
    }

    /// The handler of the interrupt.
    #[expect(unsafe_code, reason = "a handler is found by its symbol")]
    #[unsafe(no_mangle)]
    extern "C" fn taktos_spare_interrupt() {
        let _ = CAME.give();
    }

    fn blink() {
        while BLINKED.load(Relaxed) < BLINKS && CAME.take(Timeout::after(100.millis())).is_ok() {
            BLINKED.store(BLINKED.load(Relaxed) + 1, Relaxed);
        }
    }
}
