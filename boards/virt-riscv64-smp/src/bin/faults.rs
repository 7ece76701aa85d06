//! Faults on purpose, one a run; the emulator's semihosting argument names which
//! (`-semihosting-config enable=on,target=native,arg=overflow`). Each must be reported, and ends with
//! the status 70; a run that goes on ends with 1. The victim runs on the third of four processors, or on the one that
//! another word names (`on-0` to `on-3`), started by the first.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(unsafe_code, reason = "does on purpose what faults")
)]

#[cfg(target_os = "none")]
#[path = "../../../virt-riscv64/src/bin/faults/cases.rs"]
mod cases;
#[cfg(target_os = "none")]
#[path = "../../../virt-aarch64-smp/src/bin/faults/place.rs"]
mod place;
#[cfg(target_os = "none")]
use target::start_other;
#[cfg(target_os = "none")]
use virt_riscv64_smp::{Board, interrupt};

#[cfg(target_os = "none")]
mod target {
    use super::cases::{CASES, argument_is};
    use super::place::place;
    use taktos_kernel::{AnyThread, CpuSet, Span, System, Thread};
    use virt_riscv64_smp::{Board, interrupt, start};

    static MAIN: Thread<Board, 8192> = Thread::new("main").priority(5);
    static VICTIM: Thread<Board, 2048> = Thread::new("victim").priority(10);
    static OTHER: Thread<Board, 2048> = Thread::new("other").priority(10);

    #[riscv_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        let Some((_, act)) = CASES.iter().find(|(name, _)| argument_is(name)) else {
            Board::write("no such case\n");
            Board::exit(1);
        };
        interrupt::enable();
        start_there(&VICTIM, *act);
        let _ = AnyThread::<Board>::sleep(10.millis());
        Board::write("no fault\n");
        Board::exit(1);
    }

    /// Another thread beside the victim.
    pub fn start_other(act: fn()) {
        start_there(&OTHER, act);
    }

    fn start_there(thread: &'static Thread<Board, 2048>, act: fn()) {
        let place = place();
        let there = CpuSet::first(place + 1).minus(CpuSet::first(place));
        let started = thread
            .create()
            .and_then(|()| thread.set_affinity(there))
            .and_then(|()| thread.start(act));
        if started.is_err() {
            Board::write("the thread does not start\n");
            Board::exit(1);
        }
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64-smp --release --target riscv64imac-unknown-none-elf"
    );
}
