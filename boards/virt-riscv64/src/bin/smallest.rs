//! The smallest program, whose size is measured.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::Thread;
    use taktos_workloads::smallest;
    use virt_riscv64::{Board, start};

    static MAIN: Thread<Board, 2048> = Thread::new("main").priority(4);
    static OBJECTS: smallest::Objects<Board> = smallest::Objects::new();

    #[riscv_rt::entry]
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
        "build this for the board: cargo build -p virt-riscv64 --release --target riscv64imac-unknown-none-elf"
    );
}
