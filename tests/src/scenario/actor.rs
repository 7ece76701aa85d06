//! Owns: the threads of a script: each carries out its orders, and is busy otherwise.
//! Must never know: where its orders come from.

use crate::several::{SeveralHost, SeveralThread};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taktos_arch_host::HostSeveral;
use taktos_kernel::{AnyThread, ClusterMutex, Error};

/// A lock of a script.
pub type Lock = ClusterMutex<SeveralHost>;
/// Order for a thread.
pub type Order = Box<dyn FnOnce() -> Result<(), Error> + Send>;

/// A thread of a script.
pub struct Actor {
    thread: SeveralThread,
    order: Mutex<Option<Order>>,
    result: Mutex<Option<Result<(), Error>>>,
    /// Whether it is in a call.
    busy: AtomicBool,
    /// Whether it was suspended, and not resumed.
    pub suspended: AtomicBool,
}

impl Actor {
    /// A thread that does not exist.
    pub fn new() -> Self {
        Self {
            thread: SeveralThread::new("actor"),
            order: Mutex::new(None),
            result: Mutex::new(None),
            busy: AtomicBool::new(false),
            suspended: AtomicBool::new(false),
        }
    }

    /// The thread, to be created.
    pub fn own(&'static self) -> &'static SeveralThread {
        &self.thread
    }

    /// The thread.
    pub fn thread(&'static self) -> &'static AnyThread<SeveralHost> {
        &self.thread
    }

    /// Starts the thread.
    pub fn start(&'static self) -> Result<(), Error> {
        self.thread.start_with(Self::act, self)
    }

    /// Restarts the thread.
    pub fn restart(&'static self) -> Result<(), Error> {
        self.thread.restart_with(Self::act, self)
    }

    fn act(&'static self) {
        // It may have been deleted in a call.
        self.busy.store(false, Relaxed);
        HostSeveral::shielded(|| {
            loop {
                let order = self.order.lock().expect("nobody panics with it").take();
                match order {
                    None => HostSeveral::rest(),
                    Some(order) => {
                        self.busy.store(true, Relaxed);
                        let result = order();
                        self.busy.store(false, Relaxed);
                        *self.result.lock().expect("nobody panics with it") = Some(result);
                    }
                }
            }
        });
    }

    /// Whether it is in a call.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Relaxed)
    }

    /// Gives it an order, on the processor `number`, which it keeps busy. None while the order is
    /// carried out.
    pub fn tell(&self, number: usize, order: Order) -> Option<Result<(), Error>> {
        *self.result.lock().expect("nobody panics with it") = None;
        *self.order.lock().expect("nobody panics with it") = Some(order);
        HostSeveral::poke(number);
        HostSeveral::settle();
        self.result.lock().expect("nobody panics with it").take()
    }
}
