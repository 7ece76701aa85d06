//! The storm over the kernel on four processors. The words of the command line say which one; all have a meaning without them:
//! `seed=1+operations=100000+calm=1+policy=edf+layout=global`.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use taktos_kernel::{System, Thread};
    use taktos_workloads::storm::{self, Plan, Wanted};
    use virt_aarch64_smp::{Board, PROCESSORS, each_argument, start_with};

    static MAIN: Thread<Board, { storm::STACK }> = Thread::new("main");
    static SEED: AtomicU64 = AtomicU64::new(0);
    static OPERATIONS: AtomicU64 = AtomicU64::new(0);
    static CALM: AtomicU64 = AtomicU64::new(0);

    aarch64_rt::entry!(entry, 4);
    fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
        let mut wanted = Wanted::NEW;
        each_argument(|words| {
            for word in words.split('+') {
                if wanted.take(word).is_err() {
                    Board::write("refused: ");
                    Board::write(word);
                    Board::write(": see taktos_workloads::storm::Wanted\n");
                    Board::exit(2);
                }
            }
        });
        SEED.store(wanted.plan.seed, Relaxed);
        OPERATIONS.store(wanted.plan.operations, Relaxed);
        CALM.store(wanted.plan.calm, Relaxed);
        let (count, instances) = wanted.instances(PROCESSORS);
        start_with(&MAIN, &instances[..count], main)
    }

    fn main() {
        let passed = storm::run::<Board>(Plan {
            seed: SEED.load(Relaxed),
            operations: OPERATIONS.load(Relaxed),
            calm: CALM.load(Relaxed),
        });
        Board::exit(i32::from(!passed));
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-smp --release --target aarch64-unknown-none-softfloat"
    );
}
