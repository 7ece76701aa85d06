//! The kernel's test-suite for several processors, under the policy that the command line names: `edf`, or another one of
//! `simple`, `priority`, `priority-affinity`, `strong-affinity` and `cbs`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::{PolicyKind, System, Thread};
    use taktos_workloads::several;
    use taktos_workloads::storm::policy;
    use virt_riscv64_smp::{Board, each_argument, start_with};

    static MAIN: Thread<Board, 16384> = Thread::new("main").priority(several::MAIN);

    #[riscv_rt::entry]
    fn entry() -> ! {
        start_with(&MAIN, &several::instances(wanted()), main)
    }

    fn main() {
        several::run::<Board>(wanted());
    }

    fn wanted() -> PolicyKind {
        let mut wanted = PolicyKind::Edf;
        each_argument(|word| match policy(word) {
            Ok(policy) => wanted = policy,
            Err(_) => {
                Board::write("there is no such policy\n");
                Board::exit(2);
            }
        });
        wanted
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64-smp --release --target riscv64imac-unknown-none-elf"
    );
}
