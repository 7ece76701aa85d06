//! The kernel operations that `taktos bench` measures.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    #![expect(
        unsafe_code,
        reason = "the handler of an interrupt is found by its symbol"
    )]

    use taktos_kernel::{Interrupt, System, Thread};
    use taktos_workloads::bench;
    use virt_riscv64::{Board, interrupt, start};

    static MAIN: Thread<Board, 2048> = Thread::new("main").priority(20);
    static OBJECTS: bench::Objects<Board> = bench::Objects::new(interrupt::pend);

    #[riscv_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        interrupt::enable();
        bench::run(&OBJECTS);
        Board::exit(0);
    }

    core::arch::global_asm!(
        ".globl \"taktos.mark.interrupt-wake.begin\"",
        ".set \"taktos.mark.interrupt-wake.begin\", taktos_spare_interrupt",
    );

    #[unsafe(no_mangle)]
    extern "C" fn taktos_spare_interrupt() {
        // SAFETY: this is the handler of the board's spare interrupt, which has the kernel's level.
        bench::interrupt(&OBJECTS, &unsafe { Interrupt::assume() });
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64 --release --target riscv64imac-unknown-none-elf"
    );
}
