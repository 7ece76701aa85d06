//! What `taktos bench` measures on four processors.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    #![expect(
        unsafe_code,
        reason = "the handler of an interrupt is found by its symbol"
    )]

    use taktos_kernel::{Interrupt, System, Thread};
    use taktos_workloads::{bench, several_bench};
    use virt_riscv64_smp::{Board, interrupt, start_with};

    static MAIN: Thread<Board, 4096> = Thread::new("main").priority(several_bench::MAIN);
    static OPERATIONS: bench::Objects<Board> = bench::Objects::new(interrupt::pend);
    static OBJECTS: several_bench::Objects<Board> = several_bench::Objects::new();

    #[riscv_rt::entry]
    fn entry() -> ! {
        start_with(&MAIN, &several_bench::INSTANCES, main)
    }

    fn main() {
        interrupt::enable();
        several_bench::run(&OBJECTS, &OPERATIONS);
        Board::exit(0);
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
        "build this for the board: cargo build -p virt-riscv64-smp --release --target riscv64imac-unknown-none-elf"
    );
}
