//! The kernel's test-suite, on one processor of four; the emulator's semihosting argument says on which
//! (`-semihosting-config enable=on,target=native,arg=image,arg=2`; 0 without). Each processor is an instance of its own, as the
//! suite's cases want it, and the three others are kept busy with the kernel meanwhile.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use taktos_kernel::{
        AnyThread, Cpu, CpuSet, Duration, InstanceConfig, Kernel, PolicyKind, Priority, Semaphore,
        System, Thread, Timeout,
    };
    use taktos_workloads::suite;
    use virt_riscv64_smp::{Board, PROCESSORS, each_argument, start_with};

    static MAIN: Thread<Board, 16384> = Thread::new("main").priority(suite::MAIN);
    static NOISE: [Thread<Board, 4096>; PROCESSORS] =
        [const { Thread::new("noise").priority(suite::MAIN) }; PROCESSORS];
    /// Where the suite runs.
    static PLACE: AtomicUsize = AtomicUsize::new(0);
    static RELAY: [Semaphore<Board>; PROCESSORS] = [const { Semaphore::new(0) }; PROCESSORS];

    #[riscv_rt::entry]
    fn entry() -> ! {
        let each = core::array::from_fn::<_, PROCESSORS, _>(|number| InstanceConfig {
            name: name(number),
            policy: PolicyKind::Priority,
            cpus: CpuSet::of(cpu(number)),
        });
        start_with(&MAIN, &each, main)
    }

    fn name(number: usize) -> [u8; 4] {
        [b'c', b'p', b'u', b'0' + number as u8]
    }

    fn cpu(number: usize) -> Cpu {
        match Cpu::new(number) {
            Some(cpu) => cpu,
            None => panic!("there is no such processor"),
        }
    }

    fn main() {
        let place = (1..PROCESSORS)
            .find(|number| argument_is(*number))
            .unwrap_or(0);
        PLACE.store(place, Relaxed);
        for (number, noise) in NOISE.iter().enumerate() {
            if number != place {
                assert!(noise.create().is_ok());
                move_to(noise, number);
                assert!(noise.start_with(make_noise, &NUMBERS[number]).is_ok());
            }
        }
        move_to(AnyThread::current(), place);
        assert!(RELAY[next_noisy(place)].give().is_ok());
        let here = AnyThread::<Board>::processor().index();
        assert!(here == place);
        Board::write(WORDS[here]);
        suite::run::<Board>();
    }

    const WORDS: [&str; PROCESSORS] = [
        "on processor 0\n",
        "on processor 1\n",
        "on processor 2\n",
        "on processor 3\n",
    ];

    fn move_to(thread: &'static AnyThread<Board>, number: usize) {
        let moved = Kernel::<Board>::instance_named(name(number))
            .and_then(|instance| thread.move_to(instance, Priority::from_stored(suite::MAIN)));
        assert!(moved.is_ok());
    }

    static NUMBERS: [usize; PROCESSORS] = [0, 1, 2, 3];

    /// A token goes around among the noisy threads, across processors; who waits for it asks for the time meanwhile.
    fn make_noise(number: &'static usize) {
        let step = Duration::from_micros(900 + 130 * *number as u64);
        loop {
            if RELAY[*number].take(Timeout::after(step)).is_ok() {
                assert!(AnyThread::<Board>::sleep(step).is_ok());
                assert!(RELAY[next_noisy(*number)].give().is_ok());
            }
            AnyThread::<Board>::yield_now();
        }
    }

    /// The processor behind `number` that has no suite to run.
    fn next_noisy(number: usize) -> usize {
        let next = (number + 1) % PROCESSORS;
        if next == PLACE.load(Relaxed) {
            next_noisy(next)
        } else {
            next
        }
    }

    /// Whether a word of the command line is this number.
    fn argument_is(number: usize) -> bool {
        let mut found = false;
        each_argument(|word| found |= word.parse() == Ok(number));
        found
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64-smp --release --target riscv64imac-unknown-none-elf"
    );
}
