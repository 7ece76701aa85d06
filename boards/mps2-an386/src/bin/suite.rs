//! The kernel's test-suite.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    #![expect(
        unsafe_code,
        reason = "the handler of an interrupt is found by its symbol"
    )]

    use mps2_an386::{Board, start};
    use taktos_kernel::Thread;
    use taktos_workloads::suite;

    static MAIN: Thread<Board, 8192> = Thread::new("main").priority(suite::MAIN);

    #[cortex_m_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        suite::run::<Board>();
    }

    #[unsafe(no_mangle)]
    extern "C" fn taktos_spare_interrupt() {
        mps2_an386::suite::serve();
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p mps2-an386 --release --target thumbv7em-none-eabi"
    );
}
