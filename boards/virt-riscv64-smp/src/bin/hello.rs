//! The smallest demonstration: a thread on each processor says hello, one after the other; then one goes around.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use taktos_kernel::{AnyThread, Cpu, CpuSet, Semaphore, System, Thread, Timeout};
    use virt_riscv64_smp::{Board, PROCESSORS, start};

    type Stack = Thread<Board, 4096>;

    static MAIN: Stack = Thread::new("main").priority(10);
    static OTHERS: [Stack; PROCESSORS] = [const { Thread::new("other").priority(5) }; PROCESSORS];
    static TURNS: [Semaphore<Board>; PROCESSORS] = [const { Semaphore::new(0) }; PROCESSORS];
    static DONE: Semaphore<Board> = Semaphore::new(0);

    const HELLOS: [&str; PROCESSORS] = [
        "hello from processor 0\n",
        "hello from processor 1\n",
        "hello from processor 2\n",
        "hello from processor 3\n",
    ];

    #[riscv_rt::entry]
    fn entry() -> ! {
        start(&MAIN, main)
    }

    fn main() {
        for (number, thread) in OTHERS.iter().enumerate() {
            expect(thread.create().is_ok() && go_to(thread, number));
            expect(thread.start_with(greet, &NUMBERS[number]).is_ok());
        }
        for turn in &TURNS {
            expect(turn.give().is_ok() && DONE.take(Timeout::FOREVER).is_ok());
        }
        for hello in HELLOS {
            let number = AnyThread::<Board>::processor().index();
            expect(go_to(AnyThread::current(), (number + 1) % PROCESSORS));
            Board::write("main, going around: ");
            Board::write(HELLOS[AnyThread::<Board>::processor().index()]);
            expect(!hello.is_empty());
        }
        Board::exit(0);
    }

    static NUMBERS: [usize; PROCESSORS] = [0, 1, 2, 3];

    fn greet(number: &'static usize) {
        expect(TURNS[*number].take(Timeout::FOREVER).is_ok());
        Board::write(HELLOS[AnyThread::<Board>::processor().index()]);
        expect(DONE.give().is_ok());
    }

    fn go_to(thread: &'static AnyThread<Board>, number: usize) -> bool {
        Cpu::new(number).is_some_and(|cpu| thread.set_affinity(CpuSet::of(cpu)).is_ok())
    }

    fn expect(holds: bool) {
        if !holds {
            Board::write("??\n");
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
