//! The smallest demonstration: two threads and a semaphore say hello.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use mps2_an386::{Board, start};
    use taktos_kernel::{AnyThread, Semaphore, Span, System, Thread, Timeout};

    static MAIN: Thread<Board, 1024> = Thread::new("main").priority(10);
    static OTHER: Thread<Board, 1024> = Thread::new("other").priority(5);
    static DONE: Semaphore<Board> = Semaphore::new(0);
    static GO: Semaphore<Board> = Semaphore::new(0);

    #[cortex_m_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        let _ = OTHER.start(other);
        Board::write("main\n");
        let _ = GO.give();
        Board::write("main again\n");
        let _ = DONE.take(Timeout::FOREVER);
        let late = DONE.take(Timeout::after(3.millis()));
        Board::write(if late.is_err() { "timed out\n" } else { "??\n" });
        Board::exit(0);
    }

    fn other() {
        Board::write("other waits\n");
        let _ = GO.take(Timeout::FOREVER);
        Board::write("other runs\n");
        let _ = AnyThread::<Board>::sleep(2.millis());
        Board::write("other slept\n");
        let _ = DONE.give();
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p mps2-an386 --release --target thumbv7em-none-eabi"
    );
}
