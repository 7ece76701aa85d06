//! Owns: the cases of devices: the thread that has one open, the timer, a serial line that is
//! connected to itself, and a watchdog.

use super::case::{Case, Tally};
use super::{FOREVER, HIGH, NONE, SuiteBoard, UNIT, log_result, units, wait_for_permit};
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering::SeqCst};
use taktos_kernel::{
    Device, Driver, Duration, Error, OpenDevice, State, Timeout, TimerDevice, Uart, UartPort,
    WatchdogPort,
};

/// The bytes that the suite's serial line holds.
const LINE: usize = 4;
/// The bytes that its driver holds, each way.
const BUFFER: usize = 8;

/// The suite's serial line.
pub(super) type Line<S> = Uart<S, Loop, BUFFER, BUFFER>;

/// A UART with its output connected to its input. Its interrupt comes when the case raises it.
pub(super) struct Loop {
    bytes: [AtomicU8; LINE],
    sent: AtomicUsize,
    received: AtomicUsize,
    wants_room: AtomicBool,
    runs: AtomicBool,
}

impl Loop {
    pub(super) const fn new() -> Self {
        Self {
            bytes: [const { AtomicU8::new(0) }; LINE],
            sent: AtomicUsize::new(0),
            received: AtomicUsize::new(0),
            wants_room: AtomicBool::new(false),
            runs: AtomicBool::new(false),
        }
    }

    fn held(&self) -> usize {
        self.sent.load(SeqCst) - self.received.load(SeqCst)
    }
}

impl UartPort for Loop {
    fn start(&self) {
        self.received.store(self.sent.load(SeqCst), SeqCst);
        self.runs.store(true, SeqCst);
    }

    fn stop(&self) {
        self.runs.store(false, SeqCst);
    }

    fn receive(&self) -> Option<u8> {
        if self.held() == 0 {
            return None;
        }
        let at = self.received.load(SeqCst);
        let byte = self.bytes[at % LINE].load(SeqCst);
        self.received.store(at + 1, SeqCst);
        Some(byte)
    }

    fn has_room(&self) -> bool {
        self.held() < LINE
    }

    fn send(&self, byte: u8) {
        let at = self.sent.load(SeqCst);
        self.bytes[at % LINE].store(byte, SeqCst);
        self.sent.store(at + 1, SeqCst);
    }

    fn want_room(&self, wanted: bool) {
        self.wants_room.store(wanted, SeqCst);
    }

    fn control(&self, request: u32, argument: usize) -> Result<usize, Error> {
        match request {
            // For the cases: what the driver wants, and whether it runs.
            0 => Ok(argument + 1),
            1 => Ok(self.wants_room.load(SeqCst).into()),
            2 => Ok(self.runs.load(SeqCst).into()),
            _ => Err(Error::Parameter),
        }
    }
}

/// The parts that the suite's watchdog has places for.
pub(super) const PARTS: usize = 2;

/// Hardware of a watchdog that counts how often it was fed.
pub(super) struct Hardware(AtomicU32);

impl Hardware {
    pub(super) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }
}

impl WatchdogPort for Hardware {
    fn start(&self, span: Duration) -> Result<(), Error> {
        match span {
            Duration::ZERO => Err(Error::Parameter),
            _ => Ok(()),
        }
    }

    fn feed(&self) {
        self.0.store(self.0.load(SeqCst) + 1, SeqCst);
    }
}

/// Raises the line's interrupt.
fn interrupt<S: SuiteBoard>() {
    S::trigger_interrupt(|| S::objects().line.handle());
}

fn open<S: SuiteBoard>(c: &mut Case<S>, device: &'static Device<S>) -> Option<OpenDevice<S>> {
    let opened = device.open(NONE);
    c.expect("opened", opened.as_ref().err().copied(), None);
    opened.ok()
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("device");
    openings(tally);
    timer(tally);
    line(tally);
    watchdog(tally);
}

/// Serves the watchdog, and adds the name of a part to the log, or the letter of an error.
fn serve<S: SuiteBoard>() {
    match S::objects().watchdog.serve(UNIT) {
        Ok(name) => name.chars().for_each(|letter| S::objects().log.add(letter)),
        error => log_result::<S>(error),
    }
}

fn watchdog<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a watchdog is fed until a part misses its deadline", |c| {
        let watchdog = &c.objects().watchdog;
        let fed = || watchdog.port().0.load(SeqCst);
        let (long, short) = (Duration::from_secs(1_000), Duration::from_millis(20));
        c.start(0, HIGH, serve::<S>);
        let first = watchdog.register("a", long);
        let second = watchdog.register("b", short);
        let (Ok(first), Ok(second)) = (first, second) else {
            return c.expect_true("registered", false);
        };
        c.expect_error("third", watchdog.register("c", long), Error::Limit);
        for _ in 0..3 {
            let before = fed();
            S::busy_until(units::<S>(2));
            c.expect_true("fed", fed() > before);
            c.ok("first", first.feed());
            c.ok("second", second.feed());
        }
        c.expect_state(0, State::Blocked);
        S::busy_until(units::<S>(5));
        c.expect_state(0, State::Dormant);
        c.expect_log("b");
        let before = fed();
        c.expect_error("too late", second.feed(), Error::Timeout);
        S::busy_until(units::<S>(2));
        c.expect("fed no more", fed(), before);
        c.start_again(0, serve::<S>);
        c.expect_log("b");
        drop(second);
        c.start_again(0, serve::<S>);
        c.expect_state(0, State::Blocked);
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.expect_log("X");
        let none = watchdog.register("none", Duration::ZERO);
        c.expect_error("no span", none, Error::Parameter);
        c.expect_error("port", watchdog.serve(Duration::ZERO), Error::Parameter);
        S::trigger_interrupt(serve::<S>);
        c.expect_log("C");
    });
}

fn openings<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "one at a time has it open, and who waits gets it next",
        |c| {
            let device = &c.objects().dependents().timer;
            let Some(first) = open(c, device) else { return };
            c.expect("openings", device.openings(), 1);
            let second = device.open(NONE).err();
            c.expect("second", second, Some(Error::WouldBlock));
            let second = device.open(UNIT.into()).err();
            c.expect("second", second, Some(Error::Timeout));
            c.start(0, HIGH, || {
                let opened = S::objects().dependents().timer.open(FOREVER);
                log_result::<S>(opened.map(drop));
            });
            c.expect_state(0, State::Blocked);
            first.close();
            c.expect_log(".");
            c.expect("openings", device.openings(), 0);
        },
    );
    tally.case("a shared one is closed when the last has closed it", |c| {
        let device = &c.objects().dependents().line;
        let running = |device: &OpenDevice<S>| device.control(2, 0);
        let (Some(first), Some(second)) = (open(c, device), open(c, device)) else {
            return;
        };
        c.expect_error("third", device.open(NONE), Error::WouldBlock);
        c.expect("runs", running(&second), Ok(1));
        drop(first);
        c.expect("runs", running(&second), Ok(1));
        drop(second);
        c.expect("runs", c.objects().line.control(2, 0), Ok(0));
        S::trigger_interrupt(|| {
            let device = &S::objects().dependents().timer;
            let fallen = device.open(NONE);
            log_result::<S>(fallen.map(core::mem::forget));
        });
        c.expect_log("C");
        c.expect("openings", c.objects().dependents().timer.openings(), 0);
    });
}

/// Reads the timer.
fn count<S: SuiteBoard>(timer: &OpenDevice<S>, timeout: Timeout) -> Result<u64, Error> {
    let mut bytes = [0; 8];
    timer
        .read(&mut bytes, timeout)
        .map(|_| u64::from_le_bytes(bytes))
}

fn timer<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a timer's reader waits for the next instant", |c| {
        let Some(timer) = open(c, &c.objects().dependents().timer) else {
            return;
        };
        let unit = UNIT.as_micros() as usize;
        let start = units::<S>(0);
        c.expect("start", timer.control(TimerDevice::<S>::START, unit), Ok(0));
        c.expect_error("no wait", count(&timer, NONE), Error::WouldBlock);
        c.expect("first", count(&timer, FOREVER), Ok(1));
        c.expect_true("time", units::<S>(0) >= start.saturating_add(UNIT));
        S::busy_until(units::<S>(3));
        c.expect_true("several", count(&timer, NONE).is_ok_and(|count| count >= 2));
        let left = timer.control(TimerDevice::<S>::LEFT, 0);
        c.expect_true("left", left.is_ok_and(|left| left <= unit));
        c.expect("stop", timer.control(TimerDevice::<S>::STOP, 0), Ok(1));
        c.expect("stop", timer.control(TimerDevice::<S>::STOP, 0), Ok(0));
        c.expect_error(
            "left",
            timer.control(TimerDevice::<S>::LEFT, 0),
            Error::State,
        );
        c.expect_error("stopped", count(&timer, UNIT.into()), Error::Timeout);
        c.expect(
            "once",
            timer.control(TimerDevice::<S>::START_ONCE, unit),
            Ok(0),
        );
        c.expect("once", count(&timer, FOREVER), Ok(1));
        c.expect_error("over", count(&timer, UNIT.into()), Error::Timeout);
    });
    tally.case("a timer refuses, and stops when it is closed", |c| {
        let Some(timer) = open(c, &c.objects().dependents().timer) else {
            return;
        };
        c.expect_error("short", timer.read(&mut [0; 7], NONE), Error::Parameter);
        c.expect_error("write", timer.write(&[0], NONE), Error::State);
        let start = TimerDevice::<S>::START;
        c.expect_error("no interval", timer.control(start, 0), Error::Parameter);
        c.expect_error("unknown", timer.control(99, 0), Error::Parameter);
        c.expect("start", timer.control(start, 1_000_000), Ok(0));
        drop(timer);
        let Some(timer) = open(c, &c.objects().dependents().timer) else {
            return;
        };
        let left = timer.control(TimerDevice::<S>::LEFT, 0);
        c.expect_error("closed", left, Error::State);
    });
    tally.case("a timer that is set while one reads", |c| {
        c.start(0, HIGH, || {
            let Ok(timer) = S::objects().dependents().timer.open(FOREVER) else {
                return;
            };
            // One thread reads, another one sets: through the driver, which both reach.
            let read = count(&timer, FOREVER);
            S::objects().log.add(if read == Ok(1) { 'r' } else { 'x' });
        });
        c.expect_state(0, State::Blocked);
        let started = c
            .objects()
            .timer
            .control(TimerDevice::<S>::START, UNIT.as_micros() as usize);
        c.expect("start", started, Ok(0));
        S::busy_until(units::<S>(2));
        c.expect_log("r");
    });
}

fn line<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("bytes go out as the line has room, and come in", |c| {
        let Some(line) = open(c, &c.objects().dependents().line) else {
            return;
        };
        c.expect("empty", line.write(&[], NONE), Ok(0));
        // The line takes 4, the driver 8.
        c.expect("write", line.write(b"abcdefghijkl", FOREVER), Ok(12));
        c.expect("unsent", line.control(Line::<S>::UNSENT, 0), Ok(8));
        c.expect("wanted", line.control(1, 0), Ok(1));
        c.expect_error("full", line.write(b"mn", NONE), Error::WouldBlock);
        c.expect_error("full", line.write(b"mn", UNIT.into()), Error::Timeout);
        let mut bytes = [0; 3];
        c.expect_error(
            "nothing yet",
            line.read(&mut bytes, NONE),
            Error::WouldBlock,
        );
        interrupt::<S>();
        c.expect("waiting", line.control(Line::<S>::WAITING, 0), Ok(4));
        c.expect("unsent", line.control(Line::<S>::UNSENT, 0), Ok(4));
        c.expect("read", line.read(&mut bytes, FOREVER), Ok(3));
        c.expect("bytes", bytes, *b"abc");
        c.expect("read", line.read(&mut bytes, FOREVER), Ok(1));
        c.expect("byte", bytes[0], b'd');
        c.expect("read", line.read(&mut [], NONE), Ok(0));
        interrupt::<S>();
        c.expect("wanted", line.control(1, 0), Ok(0));
        interrupt::<S>();
        let mut rest = [0; BUFFER];
        c.expect("read", line.read(&mut rest, NONE), Ok(8));
        c.expect("bytes", rest, *b"efghijkl");
        c.expect("lost", line.control(Line::<S>::LOST, 0), Ok(0));
        c.expect("of the port", line.control(0, 6), Ok(7));
        c.expect_error("unknown", line.control(9, 0), Error::Parameter);
    });
    tally.case("who writes more than there is room for waits", |c| {
        c.start(0, HIGH, || {
            let Ok(line) = S::objects().dependents().line.open(FOREVER) else {
                return;
            };
            let written = line.write(b"abcdefghijklmnopqrstuvwx", FOREVER);
            S::objects()
                .log
                .add(if written == Ok(24) { 'w' } else { 'x' });
            wait_for_permit::<S>();
        });
        let Some(line) = open(c, &c.objects().dependents().line) else {
            return;
        };
        let mut received = [0; 24];
        for quarter in received.as_chunks_mut::<LINE>().0 {
            c.expect_state(0, State::Blocked);
            interrupt::<S>();
            c.expect("read", line.read(quarter, NONE), Ok(LINE));
        }
        c.expect("bytes", received, *b"abcdefghijklmnopqrstuvwx");
        c.expect_log("w");
        c.expect("wanted", line.control(1, 0), Ok(0));
    });
    tally.case(
        "who reads goes on with the first byte; what nobody takes is lost and counted",
        |c| {
            c.start(0, HIGH, || {
                let Ok(line) = S::objects().dependents().line.open(FOREVER) else {
                    return;
                };
                let mut byte = [0; 5];
                let read = line.read(&mut byte, FOREVER);
                S::objects()
                    .log
                    .add(if read == Ok(1) { byte[0] as char } else { '?' });
            });
            let Some(line) = open(c, &c.objects().dependents().line) else {
                return;
            };
            c.expect_state(0, State::Blocked);
            c.expect("write", line.write(b"abcd", NONE), Ok(4));
            interrupt::<S>();
            c.expect_log("a");
            for _ in 0..2 {
                c.expect("write", line.write(b"efgh", NONE), Ok(4));
                interrupt::<S>();
            }
            c.expect("waiting", line.control(Line::<S>::WAITING, 0), Ok(BUFFER));
            c.expect("lost", line.control(Line::<S>::LOST, 0), Ok(3));
        },
    );
}
