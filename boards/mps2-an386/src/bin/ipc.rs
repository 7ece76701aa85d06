//! The experiment on synchronous messages, which `taktos reproduce ipc` runs.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use mps2_an386::{Board, start};
    use taktos_kernel::{System, Thread};
    use taktos_workloads::ipc;

    static MAIN: Thread<Board, 2048> = Thread::new("main").priority(2);
    static OBJECTS: ipc::Objects<Board> = ipc::Objects::new();

    #[cortex_m_rt::entry]
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
        "build this for the board: cargo build -p mps2-an386 --release --target thumbv7em-none-eabi"
    );
}
