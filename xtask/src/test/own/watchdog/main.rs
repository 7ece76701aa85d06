//! Two threads feed a watchdog until a third one keeps one of them from it. The hardware resets the
//! board, and the program says so when it starts again.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos::board::{Board, HardwareWatchdog};
use taktos::{AnyThread, Span, System, Thread, Watchdog};

static MAIN: Thread<Board, 2048> = Thread::new("main").priority(20);
static SERVER: Thread<Board, 2048> = Thread::new("watchdog").priority(0);
static PUMP: Thread<Board, 2048> = Thread::new("pump").priority(10);
static HOG: Thread<Board, 2048> = Thread::new("hog").priority(8);
static WATCHDOG: Watchdog<Board, HardwareWatchdog, 2> = Watchdog::new(HardwareWatchdog);

/// Set by a run before; a reset leaves it.
#[unsafe(link_section = ".uninit.ran")]
static RAN: MaybeUninit<AtomicU32> = MaybeUninit::uninit();
const YES: u32 = 0x0BAD_D065;

#[taktos::main(MAIN)]
fn first() {
    // SAFETY: any word is a number.
    let ran = unsafe { RAN.assume_init_ref() };
    if ran.swap(YES, Relaxed) == YES {
        taktos::println!("reset");
        Board::exit(0);
    }
    let main = WATCHDOG.register("main", 200.millis()).unwrap();
    SERVER
        .start(|| {
            let _ = WATCHDOG.serve(20.millis());
        })
        .unwrap();
    PUMP.start(pump).unwrap();
    for _ in 0..20 {
        AnyThread::<Board>::sleep(10.millis()).unwrap();
        main.feed().unwrap();
    }
    taktos::println!("fed for 200 ms");
    HOG.start(|| loop {}).unwrap();
}

fn pump() {
    let part = WATCHDOG.register("pump", 10.millis()).unwrap();
    loop {
        AnyThread::<Board>::sleep(5.millis()).unwrap();
        part.feed().unwrap();
    }
}
