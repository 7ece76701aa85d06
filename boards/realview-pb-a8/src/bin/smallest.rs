//! The smallest program, whose size is measured.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use realview_pb_a8::{Board, start};
    use taktos_kernel::Thread;
    use taktos_workloads::smallest;

    static MAIN: Thread<Board, 1024> = Thread::new("main").priority(4);
    static OBJECTS: smallest::Objects<Board> = smallest::Objects::new();

    #[aarch32_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        smallest::run(&OBJECTS);
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p realview-pb-a8 --release --target armv7a-none-eabi"
    );
}
