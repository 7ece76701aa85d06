//! Jobs at instants of the machine's clock, as a guest; the boot arguments say when and how long.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::Thread;
    use taktos_workloads::guest::periodic;
    use virt_aarch64_guest::{Board, start};

    static MAIN: Thread<Board, 16384> = Thread::new("main").priority(periodic::MAIN);

    aarch64_rt::entry!(entry, 8);
    fn entry(tree: u64, _: u64, _: u64, _: u64) -> ! {
        start(tree, &MAIN, main)
    }

    fn main() {
        periodic::run::<Board>()
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-guest --release --target aarch64-unknown-none-softfloat"
    );
}
