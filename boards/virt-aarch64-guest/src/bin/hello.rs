//! The smallest guest: says what it was told, sleeps a little, and ends.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::fault::print;
    use taktos_kernel::{AnyThread, Kernel, Span, System, Thread};
    use virt_aarch64_guest::{Board, bootargs, start};

    static MAIN: Thread<Board, 4096> = Thread::new("main").priority(10);

    aarch64_rt::entry!(entry, 8);
    fn entry(tree: u64, _: u64, _: u64, _: u64) -> ! {
        start(tree, &MAIN, main)
    }

    fn main() {
        print::<Board>(format_args!("hello, I was told: {}\n", bootargs::words()));
        let before = Kernel::<Board>::now();
        let slept = AnyThread::<Board>::sleep(5.millis());
        let long = Kernel::<Board>::now().since(before);
        let enough = slept.is_ok() && long >= 5.millis();
        Board::write(if enough { "slept\n" } else { "did not sleep\n" });
        Board::exit(i32::from(!enough));
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-guest --release --target aarch64-unknown-none-softfloat"
    );
}
