//! Owns: the objects that name other objects of the suite, which are made when the first case needs
//! them. Must never know: the cases.
#![expect(unsafe_code, reason = "one cell that is written before others read it")]

use super::{Objects, SuiteBoard, remote};
use core::cell::OnceCell;
use taktos_kernel::{Alarm, Device, Notify, RemoteCall, RemoteServer, System, Timeout, Work};

/// How many alarms there are.
pub(super) const ALARMS: usize = 8;
/// The alarm that adds an 'a' to the log.
pub(super) const CALLS_A: usize = 0;
/// The alarm that defers the work 1 with 'b'.
pub(super) const DEFERS_B: usize = 1;
/// The alarm that notifies the helper 1.
pub(super) const NOTIFIES_ONE: usize = 2;

/// Objects that refer to the suite's objects.
pub(super) struct Dependents<S: System> {
    /// Work that adds its word to the log; 2 defers itself down to 'a', too.
    pub(super) works: [Work<S>; 4],
    pub(super) server: RemoteServer<S>,
    pub(super) timer: Device<S>,
    pub(super) line: Device<S>,
}

/// Objects that refer to these in turn.
pub(super) struct Served<S: System> {
    /// The alarms 3 to 5 add 'd' to 'f' to the log, 6 waits for a permit between 'w' and 'v', 7
    /// adds a 'z', thrice.
    pub(super) alarms: [Alarm<S>; ALARMS],
    pub(super) calls: [RemoteCall<S, { remote::BYTES }>; 3],
}

/// The place of what is made once.
pub(super) struct Made<T>(OnceCell<T>);

// SAFETY: the main thread makes what is in it before the first case, when no helper runs; from then
// on it is only read.
unsafe impl<T: Sync> Sync for Made<T> {}

impl<T> Made<T> {
    pub(super) const fn new() -> Self {
        Self(OnceCell::new())
    }

    pub(super) fn get_or_make(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(make)
    }
}

fn add<S: SuiteBoard>(letter: usize) {
    S::objects().log.add(letter as u8 as char);
}

fn add_down_to_a<S: SuiteBoard>(letter: usize) {
    add::<S>(letter);
    if letter as u8 > b'a' {
        let _ = S::objects().dependents().works[2].defer(letter - 1);
    }
}

fn add_thrice<S: SuiteBoard>(letter: usize) {
    add::<S>(letter);
    let number = S::objects().number() + 1;
    S::objects().set_number(number);
    if number < 3 {
        let _ = S::objects().served().alarms[ALARMS - 1].once(super::UNIT);
    }
}

fn wait_for_permit<S: SuiteBoard>(_: usize) {
    add::<S>(b'w'.into());
    let _ = S::objects().semaphore.take(Timeout::FOREVER);
    add::<S>(b'v'.into());
}

impl<S: SuiteBoard> Dependents<S> {
    /// Returns the objects that refer to `o`'s.
    pub(super) fn of(o: &'static Objects<S>) -> Self {
        let work = |function| Work::new(&o.work, function);
        Self {
            works: [
                work(add::<S>),
                work(add::<S>),
                work(add_down_to_a::<S>),
                work(add::<S>),
            ],
            server: RemoteServer::new(remote::Functions::<S>::TABLE),
            timer: Device::new(&o.timer),
            line: Device::shared(&o.line, 2),
        }
    }
}

impl<S: SuiteBoard> Served<S> {
    /// Returns the objects that refer to `o`'s, and to their dependents.
    pub(super) fn of(o: &'static Objects<S>) -> Self {
        let calling = |letter: u8| Alarm::calling(&o.clock, add::<S>, letter.into());
        let call = || RemoteCall::new(&o.dependents().server);
        Self {
            alarms: [
                calling(b'a'),
                Alarm::deferring(&o.clock, &o.dependents().works[1], b'b'.into()),
                Alarm::notifying(&o.clock, o.thread(1).any(), Notify::Overwrite(2)),
                calling(b'd'),
                calling(b'e'),
                calling(b'f'),
                Alarm::calling(&o.clock, wait_for_permit::<S>, 0),
                Alarm::calling(&o.clock, add_thrice::<S>, b'z'.into()),
            ],
            calls: [call(), call(), call()],
        }
    }
}
