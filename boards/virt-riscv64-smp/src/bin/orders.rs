//! A scheduling script on processors 1 to 3, given from processor 0: see `taktos_workloads::orders`. The words of the command line are the
//! orders.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::{System, Thread};
    use taktos_workloads::orders::{self, StageBoard};
    use virt_riscv64_smp::{Board, each_argument, start_with};

    static MAIN: Thread<Board, { orders::STACK }> = Thread::new("main");

    #[riscv_rt::entry]
    fn entry() -> ! {
        let stage = Board::stage();
        each_argument(|words| {
            if !stage.take(words) {
                Board::write("refused: more words than there is room for\n");
                Board::exit(2);
            }
        });
        let (count, instances) = stage.instances();
        start_with(&MAIN, &instances[..count], main)
    }

    fn main() {
        orders::run::<Board>();
        Board::exit(0);
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64-smp --release --target riscv64imac-unknown-none-elf"
    );
}
