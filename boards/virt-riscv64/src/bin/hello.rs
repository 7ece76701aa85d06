//! The smallest demonstration: two threads and a semaphore say hello, two others share the processor.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use taktos_kernel::{AnyThread, Kernel, Semaphore, Span, System, Thread, Timeout};
    use virt_riscv64::{Board, start};

    static MAIN: Thread<Board, 2048> = Thread::new("main").priority(10);
    static OTHER: Thread<Board, 2048> = Thread::new("other").priority(5);
    static LEFT: Thread<Board, 2048> = Thread::new("left").priority(12);
    static RIGHT: Thread<Board, 2048> = Thread::new("right").priority(12);
    static LEFT_RAN_LAST: AtomicBool = AtomicBool::new(false);
    static DONE: Semaphore<Board> = Semaphore::new(0);
    static GO: Semaphore<Board> = Semaphore::new(0);

    #[riscv_rt::entry]
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
        let _ = Kernel::<Board>::set_time_slice(Some(1.millis()));
        let _ = LEFT.start(|| share(true, "left\n"));
        let _ = RIGHT.start(|| share(false, "right\n"));
        let _ = AnyThread::<Board>::sleep(5.millis());
        Board::exit(0);
    }

    /// Keeps the processor busy; says so whenever the other one ran in between.
    fn share(left: bool, text: &str) {
        loop {
            if LEFT_RAN_LAST.swap(left, Relaxed) != left {
                Board::write(text);
            }
        }
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
        "build this for the board: cargo build -p virt-riscv64 --release --target riscv64imac-unknown-none-elf"
    );
}
