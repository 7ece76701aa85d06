//! The smallest program, whose size is measured.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use mps2_an386::{Board, start_endless};
    use taktos_kernel::Thread;
    use taktos_workloads::smallest;

    static MAIN: Thread<Board, 512> = Thread::new("main").priority(4);
    static OBJECTS: smallest::Objects<Board> = smallest::Objects::new();

    #[cortex_m_rt::entry]
    fn entry() -> ! {
        start_endless(&MAIN, main)
    }

    fn main() -> ! {
        smallest::run(&OBJECTS)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p mps2-an386 --release --target thumbv7em-none-eabi"
    );
}
