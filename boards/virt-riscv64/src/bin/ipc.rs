//! The experiment on synchronous messages, which `taktos reproduce ipc` runs.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::{System, Thread};
    use taktos_workloads::ipc;
    use virt_riscv64::{Board, start};

    static MAIN: Thread<Board, 8192> = Thread::new("main").priority(2);
    static OBJECTS: ipc::Objects<Board> = ipc::Objects::new();

    #[riscv_rt::entry]
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
        "build this for the board: cargo build -p virt-riscv64 --release --target riscv64imac-unknown-none-elf"
    );
}
