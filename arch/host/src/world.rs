//! Owns: the state of one world, interrupts and switches in it, its beginning and its end.
#![expect(unsafe_code, reason = "reads the context of the current thread")]

use crate::agenda::{Due, NEVER};
use crate::clock::Clock;
use crate::fibre::Fibres;
use crate::lines::Lines;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::{fmt, ptr};
use taktos_abi::Status;
use taktos_machine::{Answer, Cause, Context, Fault, Processor, Upcalls};
use taktos_time::Instant;

/// Function that runs in a simulated interrupt.
pub type Handler = Box<dyn FnOnce()>;

/// How a world ended.
pub enum End {
    /// By [`Host::exit`](crate::Host::exit) with this status.
    Exit(i32),
    /// All threads waited, and nothing was to come that could wake one.
    Deadlock,
    /// By a panic in a shielded part; [`Host::run`](crate::Host::run) passes it on.
    Panic(Box<dyn Any + Send>),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exit with status {status}"),
            Self::Deadlock => f.write_str("deadlock: all threads wait for ever"),
            Self::Panic(_) => f.write_str("panic"),
        }
    }
}

/// Result of a world.
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Text that was written to the console.
    pub console: String,
    /// When it ended.
    pub time: Instant,
    /// How often another thread was switched to.
    pub switches: u64,
}

impl Outcome {
    /// The exit status; none where the world did not end by an exit.
    pub fn status(&self) -> Option<i32> {
        match self.end {
            End::Exit(status) => Some(status),
            _ => None,
        }
    }
}

/// The kernel's side of the seam.
#[derive(Clone, Copy)]
struct Wiring {
    alarm: unsafe fn(),
    slice_end: unsafe fn(),
    fault: fn(&Fault<'_>) -> !,
}

type Hook = Box<dyn FnMut() -> Option<Handler>>;

/// A world.
pub struct World {
    pub processor: &'static Processor,
    pub clock: Clock,
    pub fibres: Fibres,
    pub masked: Cell<bool>,
    pub in_interrupt: Cell<bool>,
    pub switch_pended: Cell<bool>,
    pub console: RefCell<String>,
    pub hook: RefCell<Option<Hook>>,
    pub lines: RefCell<Lines>,
    wiring: Cell<Option<Wiring>>,
    end: RefCell<Option<End>>,
    switches: Cell<u64>,
}

thread_local! {
    // Leaked, so that coroutines can hold on to it: one for each thread of the operating system.
    static WORLD: &'static World = Box::leak(Box::new(World::new()));
}

/// Calls `body` with the calling thread's world.
#[inline]
pub fn with_world<R>(body: impl FnOnce(&'static World) -> R) -> R {
    body(WORLD.with(|world| *world))
}

/// See [`Host::run`](crate::Host::run).
pub fn run<U: Upcalls>(boot: impl FnOnce() + 'static) -> Outcome {
    let world = with_world(|world| world);
    let wiring = Wiring {
        alarm: U::alarm,
        slice_end: U::slice_end,
        fault: U::fault,
    };
    let before = world.wiring.replace(Some(wiring));
    assert!(before.is_none(), "a world runs already on this thread");
    world.masked.set(true);
    let first = world.fibres.create(move || -> Infallible {
        boot();
        unreachable!("the boot code returned instead of starting the machine")
    });
    world.fibres.resume(first);
    while world.end.borrow().is_none() {
        world.run_current();
    }
    world.finish()
}

impl World {
    fn new() -> Self {
        Self {
            processor: Box::leak(Box::new(Processor::EMPTY)),
            clock: Clock::new(),
            fibres: Fibres::new(),
            masked: Cell::new(false),
            in_interrupt: Cell::new(false),
            switch_pended: Cell::new(false),
            console: RefCell::new(String::new()),
            hook: RefCell::new(None),
            lines: RefCell::new(Lines::default()),
            wiring: Cell::new(None),
            end: RefCell::new(None),
            switches: Cell::new(0),
        }
    }

    fn run_current(&self) {
        self.fibres.resume(self.context().stack_pointer.get());
    }

    /// The current thread's context.
    fn context(&self) -> &Context {
        // SAFETY: the kernel sets the pointer before it starts the machine, and then `go_on_with`
        // does from the heir: to contexts in control blocks, which are statics.
        unsafe { &*self.processor.current.get() }
    }

    /// Makes the world ready for the next run.
    fn finish(&self) -> Outcome {
        let outcome = Outcome {
            end: self.end.take().unwrap_or(End::Deadlock),
            console: self.console.take(),
            time: Instant::from_nanos(self.clock.now.get()),
            switches: self.switches.replace(0),
        };
        self.fibres.clear();
        self.clock.reset();
        self.processor.current.set(ptr::null());
        self.processor.heir.set(ptr::null());
        self.masked.set(false);
        self.in_interrupt.set(false);
        self.switch_pended.set(false);
        self.hook.take();
        self.lines.take();
        self.wiring.set(None);
        match outcome.end {
            End::Panic(panic) => std::panic::resume_unwind(panic),
            _ => outcome,
        }
    }

    /// Ends the world, from within it.
    pub fn end(&self, end: End) -> ! {
        *self.end.borrow_mut() = Some(end);
        self.fibres.suspend();
        unreachable!("a world that has ended goes on")
    }

    /// Ends the world because the kernel breaks the machine's contract: a panic of
    /// [`Host::run`](crate::Host::run).
    pub fn broken(&self, how: &str) -> ! {
        self.end(End::Panic(Box::new(how.to_owned())))
    }

    /// Leaves the boot code for the first thread.
    pub fn leave_boot(&self) -> ! {
        self.fibres.suspend();
        unreachable!("the boot code goes on after the start")
    }

    pub fn mask(&self) {
        if self.masked.replace(true) {
            self.broken("the kernel masks interrupts that are masked");
        }
    }

    pub fn end_mask(&self) {
        if !self.masked.replace(false) {
            self.broken("the kernel unmasks interrupts that are not masked");
        }
    }

    /// Resumes `to` in the place of `from`; returns, with the result of `from`, when `from` is
    /// resumed.
    pub fn switch(&self, from: *const Context, to: *const Context, keeps_slice: bool) -> Answer {
        if from != self.processor.current.get() {
            self.broken("a decision saves another than the running thread");
        }
        if to != self.processor.heir.get() {
            self.broken("a decision switches to another than the heir");
        }
        self.go_on_with(to, keeps_slice);
        let context = self.context();
        Answer {
            status: Status::from_word(context.status.get()),
            value: context.value.get(),
        }
    }

    /// Both sides of a switch are masked.
    fn go_on_with(&self, to: *const Context, keeps_slice: bool) {
        if !keeps_slice && let Some(switch) = self.clock.agenda.at_switch.get() {
            // SAFETY: both sides of a switch are masked, and the kernel has named both threads.
            unsafe { switch(self.processor.current.get(), to, ptr::null()) };
        }
        self.processor.current.set(to);
        self.switches.set(self.switches.get() + 1);
        self.fibres.suspend();
    }

    /// Lets interrupts in: a thread calls this when it has unmasked them.
    pub fn let_in(&self) {
        if !self.in_interrupt.get()
            && let Some(handler) = self.ask_hook()
        {
            self.interrupt(handler);
        }
        self.deliver();
    }

    /// Handles all interrupts that are due, if interrupts are let in here, and makes the switches
    /// that they ask for.
    pub fn deliver(&self) {
        if self.in_interrupt.get() || self.masked.get() {
            return;
        }
        while let Some(due) = self.clock.take_due() {
            match due {
                Due::Interrupt(handler) => self.interrupt(handler),
                // SAFETY: `interrupt` marks it as a handler, of which there is one at a time: see
                // above. No thread runs meanwhile.
                Due::Alarm => self.interrupt(|| unsafe { (self.wiring().alarm)() }),
                // SAFETY: as above.
                Due::SliceEnd => self.interrupt(|| unsafe { (self.wiring().slice_end)() }),
            }
        }
    }

    fn ask_hook(&self) -> Option<Handler> {
        let mut hook = self.hook.borrow_mut().take()?;
        let handler = hook();
        *self.hook.borrow_mut() = Some(hook);
        handler
    }

    fn wiring(&self) -> Wiring {
        self.wiring
            .get()
            .expect("a machine is used outside a world")
    }

    fn interrupt(&self, handler: impl FnOnce()) {
        self.in_interrupt.set(true);
        handler();
        self.in_interrupt.set(false);
        if self.switch_pended.take() && self.processor.heir.get() != self.processor.current.get() {
            self.masked.set(true);
            self.go_on_with(self.processor.heir.get(), false);
            self.end_mask();
        }
    }

    /// Advances to the next event, which alone can wake a thread.
    pub fn idle(&self) {
        let next = self.clock.agenda.next_event();
        if next == NEVER {
            self.end(End::Deadlock);
        }
        self.clock.advance(next);
        self.deliver();
    }

    /// See [`Host::spend`](crate::Host::spend).
    pub fn spend(&self, span: u64) {
        if self.in_interrupt.get() || self.masked.get() {
            self.clock.advance(self.clock.now.get() + span);
            return;
        }
        let mut left = span;
        loop {
            self.deliver();
            if left == 0 {
                return;
            }
            let step = (self.clock.agenda.next() - self.clock.now.get()).min(left);
            self.clock.advance(self.clock.now.get() + step);
            left -= step;
        }
    }

    /// See [`Host::busy_until`](crate::Host::busy_until).
    pub fn busy_until(&self, instant: u64) {
        if self.in_interrupt.get() || self.masked.get() {
            self.clock.advance(instant);
            return;
        }
        loop {
            self.deliver();
            if self.clock.now.get() >= instant {
                return;
            }
            self.clock.advance(self.clock.agenda.next().min(instant));
        }
    }

    /// See [`Host::raise`](crate::Host::raise).
    pub fn fault(&self, cause: Cause) -> ! {
        let in_interrupt = self.in_interrupt.get();
        (self.wiring().fault)(&Fault {
            cause,
            address: None,
            values: &[],
            names: "",
            status: None,
            in_interrupt,
        })
    }
}
