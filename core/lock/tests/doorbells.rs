//! The hypervisor's doorbell without its lock, in every order of events that the memory model
//! allows: one partition rings while the other one begins to wait (decision 43).
//!
//! The model has the steps of `hypervisor/src/machine`: `own.rs` (`ring`, `wait_for_interrupt`),
//! `shared.rs` (`call_loaded`), `switch.rs` (`unload`) and `waiting.rs` (`wait`, `wake`). Where
//! they change, it is to change.

mod words;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use words::{Guarded, Lock};

/// A value behind a lock.
struct Locked {
    lock: Lock,
    value: Guarded<bool>,
}

impl Locked {
    fn new() -> Self {
        Self {
            lock: Lock::of_words(),
            value: Guarded::new(false),
        }
    }

    fn with<R>(&self, act: impl FnOnce(&mut bool) -> R) -> R {
        self.lock.lock(thread::yield_now);
        let done = self.value.change(act);
        self.lock.unlock();
        done
    }
}

/// State that both processors see.
struct Machine {
    /// The lock of the hypervisor: whether the virtual processor waits.
    hypervisor: Locked,
    /// That of the partition's devices: whether the doorbell's interrupt is pending.
    devices: Locked,
    /// Whether the virtual processor is loaded.
    loaded: AtomicBool,
    /// Its processor was called: it looks for interrupts before its guest resumes.
    called: AtomicBool,
}

impl Machine {
    fn new() -> Self {
        let loaded = AtomicBool::new(true);
        Self {
            hypervisor: Locked::new(),
            devices: Locked::new(),
            loaded,
            called: AtomicBool::new(false),
        }
    }

    /// The other partition rings.
    fn ring(&self) {
        self.devices.with(|pending| *pending = true);
        match self.loaded.load(Ordering::Relaxed) {
            true => self.called.store(true, Ordering::Release),
            false => self.hypervisor.with(|waits| self.wake(waits)),
        }
    }

    /// The virtual processor is woken, if an interrupt ends its wait.
    fn wake(&self, waits: &mut bool) {
        let pending = self.devices.with(|pending| *pending);
        *waits &= !pending;
    }

    /// The guest waits; `looks` again when it is taken off.
    fn wait(&self, looks: bool) {
        if self.devices.with(|pending| *pending) {
            return;
        }
        self.hypervisor.with(|waits| {
            *waits = true;
            self.loaded.store(false, Ordering::Relaxed);
            if looks {
                self.wake(waits);
            }
        });
    }
}

/// Whether the doorbell was lost in an order of events.
fn is_lost_in_some_order(looks: bool) -> bool {
    static LOST: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    LOST.store(false, std::sync::atomic::Ordering::Relaxed);
    loom::model(move || {
        let machine = Arc::new(Machine::new());
        let sender = {
            let machine = Arc::clone(&machine);
            thread::spawn(move || machine.ring())
        };
        machine.wait(looks);
        sender.join().unwrap();
        if machine.hypervisor.with(|waits| *waits) {
            LOST.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    LOST.load(std::sync::atomic::Ordering::Relaxed)
}

#[test]
fn no_doorbell_is_lost_between_a_look_and_a_wait() {
    assert!(!is_lost_in_some_order(true));
    // Without the second look, there is an order in which it is.
    assert!(is_lost_in_some_order(false));
}
