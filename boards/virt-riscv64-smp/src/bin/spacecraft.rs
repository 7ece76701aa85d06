//! The task set of a spacecraft on four processors; the command line says how.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::Thread;
    use taktos_workloads::spacecraft;
    use virt_riscv64_smp::{Board, start_with};

    static MAIN: Thread<Board, 16384> = Thread::new("main");
    static OBJECTS: spacecraft::Objects<Board> = spacecraft::Objects::new();

    #[riscv_rt::entry]
    fn entry() -> ! {
        let (instances, count) = spacecraft::configuration::<Board>();
        start_with(&MAIN, &instances[..count], main)
    }

    fn main() {
        spacecraft::run(&OBJECTS)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64-smp --release --target riscv64imac-unknown-none-elf"
    );
}
