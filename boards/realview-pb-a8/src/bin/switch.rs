//! The experiment on context switching.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use realview_pb_a8::{Board, start};
    use taktos_kernel::{System, Thread};
    use taktos_workloads::switch;

    static MAIN: Thread<Board, 4096> = Thread::new("main").priority(4);
    static OBJECTS: switch::Objects<Board> = switch::Objects::new();

    #[aarch32_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        switch::run(&OBJECTS);
        Board::exit(0);
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p realview-pb-a8 --release --target armv7a-none-eabi"
    );
}
