//! How late periodic threads are, one on each processor; the command line says how.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::Thread;
    use taktos_workloads::latency;
    use virt_riscv64_smp::{Board, start_with};

    static MAIN: Thread<Board, 16384> = Thread::new("main");
    static OBJECTS: latency::Objects<Board> = latency::Objects::new();

    #[riscv_rt::entry]
    fn entry() -> ! {
        let (instances, count) = latency::configuration::<Board>();
        start_with(&MAIN, &instances[..count], main)
    }

    fn main() {
        latency::run(&OBJECTS)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64-smp --release --target riscv64imac-unknown-none-elf"
    );
}
