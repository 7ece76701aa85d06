//! A program of a partition that is loaded: its threads look whether its memory is as at first, and
//! the first then does what its argument says.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![expect(unsafe_code, reason = "it breaks the rules by intention")]

use core::hint::black_box;
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_user::{Semaphore, Thread, Timeout, exit};

/// Given by each thread that found its memory as at first.
const RIGHT: Semaphore = Semaphore::at(0);
/// Given when the threads may begin.
const GO: Semaphore = Semaphore::at(1);
/// The other threads.
const OTHERS: [Thread; 3] = [Thread::at(2), Thread::at(3), Thread::at(4)];

const FIRST: u32 = 0x7A57_05EC;
static INITIAL: AtomicU32 = AtomicU32::new(FIRST);
/// Data that would be a function which returns, if they were executed: no fault would be reported
/// then.
static RETURN: AtomicU32 = AtomicU32::new(if cfg!(target_arch = "aarch64") {
    0xD65F_03C0
} else if cfg!(target_arch = "riscv64") {
    0x8082_8082
} else if THUMB == 1 {
    0x4770_4770
} else {
    0xE12F_FF1E
});
static ZEROS: [AtomicU32; 4] = [const { AtomicU32::new(0) }; 4];

taktos_user::entry!(begin);

fn begin(thread: usize, argument: usize) -> ! {
    if thread == 0 {
        let _ = GO.take(Timeout::FOREVER);
    }
    // Memory that the threads change is to be as at first in each life.
    let is_first = thread != 0 || INITIAL.fetch_add(1, Relaxed) == FIRST;
    if is_first && ZEROS[thread].fetch_add(1, Relaxed) == 0 {
        let _ = RIGHT.give();
    }
    if thread == 0 {
        for other in OTHERS {
            let _ = other.start(0);
        }
        act(argument);
    }
    exit()
}

/// Not inlined: tools count from and to it.
#[inline(never)]
fn act(argument: usize) {
    match argument {
        0 => {}
        1 => write(begin as *const () as usize),
        2 => execute((&raw const RETURN).addr()),
        3 => panic!(),
        place => write(place),
    }
}

fn write(place: usize) {
    // SAFETY: none: a fault is what is wanted.
    unsafe { with_exposed_provenance_mut::<u32>(place & !3).write_volatile(0) };
}

fn execute(place: usize) {
    // SAFETY: the same.
    let code = unsafe { core::mem::transmute::<usize, extern "C" fn()>(black_box(place | THUMB)) };
    code();
}

const THUMB: usize = if cfg!(all(target_arch = "arm", target_feature = "thumb-mode")) {
    1
} else {
    0
};
