//! The experiment on synchronous messages, which `taktos reproduce ipc` runs.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use realview_pb_a8::{Board, start};
    use taktos_kernel::{System, Thread};
    use taktos_workloads::ipc;

    static MAIN: Thread<Board, 4096> = Thread::new("main").priority(2);
    static OBJECTS: ipc::Objects<Board> = ipc::Objects::new();

    #[aarch32_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        ipc::run(&OBJECTS);
        Board::exit(0);
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p realview-pb-a8 --release --target armv7a-none-eabi"
    );
}
