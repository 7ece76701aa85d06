//! What `taktos bench` measures on four processors, in the layout that the command line names: `partitioned`, or another one of
//! `several_bench::LAYOUTS`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    #![expect(
        unsafe_code,
        reason = "the handler of an interrupt is found by its symbol"
    )]

    use taktos_kernel::{Interrupt, System, Thread};
    use taktos_workloads::bench;
    use taktos_workloads::several_bench::{self, LAYOUTS, Layout};
    use virt_aarch64_smp::{Board, each_argument, interrupt, start_with};

    static MAIN: Thread<Board, 16384> = Thread::new("main").priority(several_bench::MAIN);
    static OPERATIONS: bench::Objects<Board> = bench::Objects::new(interrupt::pend);
    static OBJECTS: several_bench::Objects<Board> = several_bench::Objects::new();

    aarch64_rt::entry!(entry, 4);
    fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
        start_with(&MAIN, wanted().instances, main)
    }

    fn main() {
        interrupt::enable();
        several_bench::run(wanted(), &OBJECTS, &OPERATIONS);
        Board::exit(0);
    }

    fn wanted() -> &'static Layout {
        let mut wanted = &LAYOUTS[0];
        each_argument(|word| match Layout::named(word) {
            Some(layout) => wanted = layout,
            None => {
                Board::write("there is no such layout\n");
                Board::exit(2);
            }
        });
        wanted
    }

    core::arch::global_asm!(
        ".globl \"taktos.mark.interrupt-wake.begin\"",
        ".set \"taktos.mark.interrupt-wake.begin\", taktos_spare_interrupt",
    );

    #[unsafe(no_mangle)]
    extern "C" fn taktos_spare_interrupt() {
        // SAFETY: this is the handler of the board's spare interrupt, which has the kernel's level.
        bench::interrupt(&OPERATIONS, &unsafe { Interrupt::assume() });
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-smp --release --target aarch64-unknown-none-softfloat"
    );
}
