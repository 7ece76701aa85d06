//! The kernel's test-suite.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use realview_pb_a8::{Board, start};
    use taktos_kernel::Thread;
    use taktos_workloads::suite;

    static MAIN: Thread<Board, 8192> = Thread::new("main").priority(suite::MAIN);

    #[aarch32_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        suite::run::<Board>();
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p realview-pb-a8 --release --target armv7a-none-eabi"
    );
}
