//! Two threads that run for ever, as firmware does: one beats every 100 ms, the other works for a
//! while about as often, so that the first beat interrupts it. The correct trace of the two is
//! known.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program! {
    use core::hint::black_box;
    use mps2_an386::{Board, start};
    use taktos_kernel::{AnyThread, Span, System, Thread, Timeout};

    static MAIN: Thread<Board, 1024> = Thread::new("main").priority(20);
    static BEAT: Thread<Board, 1024> = Thread::new("beat").priority(5);
    static WORK: Thread<Board, 1024> = Thread::new("work").priority(10);

    #[cortex_m_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        let _ = BEAT.start(beat);
        let _ = WORK.start(work);
        // Neither thread ends.
        let _ = BEAT.join(Timeout::FOREVER);
    }

    fn beat() {
        loop {
            let _ = AnyThread::<Board>::sleep(100.millis());
            Board::write("beat\n");
        }
    }

    /// Works for a millisecond at least, from half a millisecond before a beat on.
    fn work() {
        loop {
            let _ = AnyThread::<Board>::sleep(99_500.micros());
            for round in 0..1_000_000_u32 {
                black_box(round);
            }
        }
    }
}
