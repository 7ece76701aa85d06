//! Owns: the order of the guests' operations, and EL2's answers.
//! Must never know: the code that moves registers, which is tested.

use crate::check::{check, passed};
use crate::guest;
use crate::processors::{PROCESSORS, hand_over};
use crate::stage;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_abi::vm::layout::{MEMORY, PARTITIONS, TIMER_INTERRUPT};
use taktos_arch_aarch64_el2::El2;
use taktos_hypervisor::hardware::{
    Addresses, Context, Hardware, Kind, ListRegisters, MapError, Next,
};

/// The guests' memory.
const BYTES: u64 = 2 << 20;
/// Memory that must not be executed, of the first guest.
const SHARED: u64 = 0x0B00_0000;
/// A device of the first guest's: the clock.
const DEVICE: u64 = 0x0901_0000;
/// Argument of the first guest.
const ARGUMENT: u64 = 0x1234_5678_9ABC_DEF0;
const AFFINITY: u64 = 5;
/// Value that the guest reads from the device that EL2 emulates.
const ANSWER: u64 = 0xBEEF;
/// Classes of exceptions (Arm ARM, ESR_EL2.EC).
const WAIT: u64 = 0x01;
const HYPERVISOR_CALL: u64 = 0x16;
const MONITOR_CALL: u64 = 0x17;
const REGISTER: u64 = 0x18;
const FETCH: u64 = 0x20;
const DATA: u64 = 0x24;
/// An undefined instruction of EL1's, 32 bits long.
const UNDEFINED: u64 = 1 << 25;

/// A step of the guests: each exit is one; see `guest`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Call(u64),
    Timer,
    Class(u64),
    /// An access of memory: the class, the address in its space.
    Access(u64, u64),
}

use Step::{Access, Call, Class, Timer};

/// Both guests, up to the first one's moves; each of the moves; the end.
const BEGINNING: [Step; 23] = [
    Call(1),
    Call(2),
    Call(3),
    Call(4),
    Call(5),
    Timer,
    Call(6),
    Timer,
    Call(6),
    Class(WAIT),
    Class(MONITOR_CALL),
    Class(REGISTER),
    Class(REGISTER),
    Class(REGISTER),
    Class(REGISTER),
    Class(REGISTER),
    Access(DATA, 0x0900_0018),
    Call(7),
    Access(DATA, MEMORY + BYTES + 8),
    Access(FETCH, SHARED),
    Call(8),
    Call(9),
    Call(10),
];
const MOVE: [Step; 4] = [Call(4), Timer, Call(6), Call(10)];

/// Number of steps that were made.
static DONE: AtomicUsize = AtomicUsize::new(0);
/// Number of the parts of [`make_guests`] that are made.
static MADE: AtomicUsize = AtomicUsize::new(0);
/// The guest that is loaded where it runs.
static LOADED: AtomicUsize = AtomicUsize::new(0);

fn expected() -> Step {
    let done = DONE.fetch_add(1, Relaxed);
    match done.checked_sub(BEGINNING.len()) {
        None => BEGINNING[done],
        Some(later) if later == MOVE.len() * PROCESSORS - 1 => Call(11),
        Some(later) => MOVE[later % MOVE.len()],
    }
}

/// Loads the first guest on the processor that was called.
pub(crate) fn take_over(_: usize) -> Next {
    match DONE.load(Relaxed) {
        0 => make_guests(),
        _ => go_to(0),
    }
}

/// Notes each operation on memory in one exit; it is done after that exit. Then the guests begin.
fn make_guests() -> Next {
    match MADE.fetch_add(1, Relaxed) {
        0 => {
            map();
            copy(0);
        }
        1 => copy(1),
        2 => fill_and_clear(),
        _ => {
            check_clearing();
            El2::context(0).reset(MEMORY + guest::first(), ARGUMENT, AFFINITY);
            El2::context(1).reset(MEMORY + guest::second(), 0, 0);
            El2::flush(0);
            return go_to(0);
        }
    }
    Next::Again
}

/// Returns the machine's address of the memory of guest `space`.
const fn memory_of(space: usize) -> u64 {
    PARTITIONS + BYTES * space as u64
}

fn map() {
    for space in 0..2 {
        let mapped = El2::map(space, MEMORY, memory_of(space), BYTES, Kind::Memory);
        check("memory is mapped", mapped == Ok(()));
    }
    let shared = El2::map(0, SHARED, PARTITIONS + 2 * BYTES, 4096, Kind::Shared);
    check("a page is mapped", shared == Ok(()));
    let odd = El2::map(0, SHARED + 1, PARTITIONS, 4096, Kind::Shared);
    let beyond = El2::map(0, 0xFFFF_F000, PARTITIONS, 8192, Kind::Shared);
    let out = Err(MapError::Range);
    check(
        "what cannot be mapped is refused",
        odd == out && beyond == out,
    );
    let device = El2::map(0, DEVICE, DEVICE, 4096, Kind::Device);
    check("a device is mapped", device == Ok(()));
}

/// Notes that the guests' code is copied to the beginning of guest `space`.
fn copy(space: usize) {
    let (code, length) = guest::code();
    El2::copy(memory_of(space), code, length);
}

/// Memory that is filled, and the piece of it that is cleared.
const FILLED: u64 = PARTITIONS + 2 * BYTES + 4096;
const CLEARED: core::ops::Range<u64> = FILLED + 256..FILLED + 768;
const PATTERN: u32 = 0x5EC2_E700;

fn words() -> impl Iterator<Item = u64> {
    (0..256).map(|n| FILLED + 4 * n)
}

/// Fills memory and notes that a piece of it is cleared.
fn fill_and_clear() {
    words().for_each(|word| El2::write_word(word, PATTERN));
    El2::clear(CLEARED.start, CLEARED.end - CLEARED.start);
    check(
        "memory is cleared behind the exit",
        words().all(|word| El2::read_word(word) == PATTERN),
    );
}

/// Checks that memory was cleared, and no more of it.
fn check_clearing() {
    let expected = |word| match CLEARED.contains(&word) {
        true => 0,
        false => PATTERN,
    };
    check(
        "memory is cleared, and no more",
        words().all(|word| El2::read_word(word) == expected(word)),
    );
}

/// Loads guest `number`, of the partition of the same number.
fn go_to(number: usize) -> Next {
    LOADED.store(number, Relaxed);
    El2::load(number, number, true);
    El2::set_timer_active(false);
    El2::show(Some(number));
    Next::Guest(number)
}

fn change_to(number: usize) -> Next {
    El2::save(LOADED.load(Relaxed));
    go_to(number)
}

/// Handles an exception of the guest that is loaded.
pub(crate) fn exception(cpu: usize, syndrome: u64) -> Next {
    let Addresses {
        guest: address,
        physical,
    } = El2::addresses();
    let guest = El2::context(LOADED.load(Relaxed));
    let class = syndrome >> 26;
    let step = match class {
        HYPERVISOR_CALL => Call(syndrome & 0xFFFF),
        DATA | FETCH => Access(class, physical),
        _ => Class(class),
    };
    let expected = expected();
    if step != expected {
        unexpected("the guest comes to the step that follows");
    }
    match step {
        Call(number) => call(cpu, number),
        Access(FETCH, _) => {
            check("shared memory is not executed", address == SHARED);
            guest.set_pc(guest.x(30));
            Next::Guest(0)
        }
        Access(_, at) => {
            check("an access that faults says where", address == at);
            access(syndrome);
            pass_over();
            Next::Guest(0)
        }
        Timer | Class(_) => {
            check("what is trapped comes here", true);
            pass_over();
            Next::Guest(0)
        }
    }
}

/// Lets the guest continue after the instruction that was trapped.
fn pass_over() {
    let guest = El2::context(0);
    guest.set_pc(guest.pc() + 4);
}

/// Handles an access to a device: a read of two bytes into x20 (ESR_EL2.ISS), or a write elsewhere.
fn access(syndrome: u64) {
    const VALID: u64 = 1 << 24;
    const WRITE: u64 = 1 << 6;
    if syndrome & WRITE == 0 {
        let (size, register) = (syndrome >> 22 & 3, syndrome >> 16 & 0x1F);
        check(
            "the syndrome tells the access",
            syndrome & VALID != 0 && size == 1 && register == 20,
        );
        El2::context(0).set_x(register as usize, ANSWER);
    }
}

fn call(cpu: usize, number: u64) -> Next {
    let guest = El2::context(LOADED.load(Relaxed));
    let told = guest.x(0);
    match number {
        1 => {
            check("a guest has its argument", told == ARGUMENT);
            check(
                "its memory is cached and shared",
                stage::is_memory(MEMORY, true),
            );
            check("so is a channel's", stage::is_memory(SHARED, false));
            check("a device is neither", stage::is_device(DEVICE));
            check("a guest has its affinity", guest.x(1) == AFFINITY | 1 << 31);
        }
        2 => {
            fill_lists();
            return change_to(1);
        }
        3 => {
            check("a guest's memory is its own", told == 0);
            check("a guest's list registers are its own", lists() == [0; 4]);
            let next = change_to(0);
            check("list registers are kept", lists() == LISTS);
            (0..LISTS.len()).for_each(|n| El2::lists().write(n, 0));
            return next;
        }
        4 => {
            check("the first guest's registers are kept", told == 0);
            if cpu == 0 && DONE.load(Relaxed) < BEGINNING.len() {
                return change_to(1);
            }
        }
        5 => {
            check("the second guest's registers are kept", told == 0);
            return change_to(0);
        }
        6 => {
            check(
                "a guest takes its timer's interrupt",
                told == u64::from(TIMER_INTERRUPT),
            );
            check(
                "its list register is free then",
                El2::lists().read(0) >> 62 == 0,
            );
        }
        7 => check("a guest reads what EL2 plays", told == ANSWER),
        8 => guest.inject(UNDEFINED, 0),
        9 => {
            // It was taken after the previous call, where the guest continues.
            check(
                "a guest takes an exception",
                told == UNDEFINED && guest.x(1) != 0,
            );
        }
        10 => {
            El2::save(0);
            El2::show(None);
            hand_over((cpu + 1) % PROCESSORS);
            return Next::Idle;
        }
        11 => passed(),
        _ => unexpected("a call of an unknown number"),
    }
    Next::Guest(LOADED.load(Relaxed))
}

/// Values of the first guest's list registers while it is not loaded: interrupts that have been
/// ended.
const LISTS: [u64; 4] = [40, 41, 42, 43];

fn fill_lists() {
    let mut lists = El2::lists();
    LISTS
        .iter()
        .enumerate()
        .for_each(|(n, value)| lists.write(n, *value));
}

fn lists() -> [u64; 4] {
    core::array::from_fn(|n| El2::lists().read(n))
}

/// Passes the guest's timer interrupt on to the guest; it stays active until the guest ends it.
pub(crate) fn timer(_: usize) -> Next {
    const PENDING: u64 = 1 << 62;
    const OF_HARDWARE: u64 = 1 << 61;
    const GROUP_1: u64 = 1 << 60;
    const PRIORITY: u64 = 0x80 << 48;
    if expected() != Timer {
        unexpected("the guest's timer");
    }
    let number = u64::from(TIMER_INTERRUPT);
    check(
        "the timer is due",
        El2::timer().control & 0b101 == 0b101 && El2::timer().compare <= El2::ticks(),
    );
    El2::lists().write(
        0,
        PENDING | OF_HARDWARE | GROUP_1 | PRIORITY | number << 32 | number,
    );
    Next::Guest(0)
}

/// Handles an exit without a pending interrupt: it comes only while there is more to do.
pub(crate) fn again(_: usize) -> Next {
    match (MADE.load(Relaxed), DONE.load(Relaxed)) {
        (1.., 0) => make_guests(),
        _ => unexpected("an interrupt that is none"),
    }
}

/// Ends the test after an unexpected event.
pub(crate) fn unexpected(what: &str) -> ! {
    check(what, false);
    El2::off()
}
