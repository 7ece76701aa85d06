//! The kernel's test-suite.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::Thread;
    use taktos_workloads::suite;
    use virt_riscv64::{Board, start};

    static MAIN: Thread<Board, 16384> = Thread::new("main").priority(suite::MAIN);

    #[riscv_rt::entry]
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
        "build this for the board: cargo build -p virt-riscv64 --release --target riscv64imac-unknown-none-elf"
    );
}
