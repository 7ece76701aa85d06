//! Owns: the state of a world with several processors; the processor that continues, how time
//! passes, its beginning and end. Must never know: what interrupts and switches do (see `act`).

use crate::agenda::NEVER;
use crate::fibre::Fibres;
use crate::several::cpu::{Cpu, Doing};
use crate::several::history::{Event, History};
use crate::several::lock::Lock;
use crate::several::order::{Chooser, Order, Step};
use crate::world::{End, Handler, Outcome};
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use taktos_machine::{Context, Fault, Upcalls};
use taktos_time::Instant;

/// How many processors a world has at most.
pub const MOST: usize = 64;

/// The number of points in one instant after which a processor loses a step of time, unless
/// [`Cpu::patience`] is changed. A thread that calls the kernel again and again must not stop the
/// clock that others wait for.
pub const PATIENCE: u32 = 100;
/// That step, in nanoseconds.
const STEP: u64 = 10_000;

/// The kernel's side of the seam.
#[derive(Clone, Copy)]
pub struct Wiring {
    pub alarm: unsafe fn(),
    pub slice_end: unsafe fn(),
    pub called: unsafe fn(),
    pub choose: unsafe fn() -> *const Context,
    pub fault: fn(&Fault<'_>) -> !,
}

pub type Hook = Box<dyn FnMut() -> Option<Handler>>;
/// Function that receives each interval of time that passes: its beginning and end, in nanoseconds.
pub type Watcher = Box<dyn FnMut(u64, u64)>;

/// A world.
pub struct World {
    pub cpus: Vec<Cpu>,
    /// How many of them this run has.
    pub processors: Cell<usize>,
    /// The processor that acts.
    pub here: Cell<usize>,
    pub now: Cell<u64>,
    pub fibres: Fibres,
    pub lock: Lock,
    /// Target of a switch that is under way: the old thread is saved when its coroutine is
    /// suspended.
    pub switch: Cell<Option<*const Context>>,
    pub started: Cell<bool>,
    pub console: RefCell<String>,
    pub hook: RefCell<Option<Hook>>,
    pub watcher: RefCell<Option<Watcher>>,
    pub history: History,
    pub switches: Cell<u64>,
    wiring: Cell<Option<Wiring>>,
    chooser: RefCell<Option<Chooser>>,
    steps: RefCell<Vec<Step>>,
    end: RefCell<Option<End>>,
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

/// See [`HostSeveral::run`](crate::HostSeveral::run).
pub fn run<U: Upcalls>(processors: usize, order: Order, boot: impl FnOnce() + 'static) -> Outcome {
    assert!(
        (1..=MOST).contains(&processors),
        "a world has 1 to {MOST} processors, not {processors}"
    );
    let world = with_world(|world| world);
    let before = world.wiring.replace(Some(Wiring {
        alarm: U::alarm,
        slice_end: U::slice_end,
        called: U::called,
        choose: U::choose,
        fault: U::fault,
    }));
    assert!(before.is_none(), "a world runs already on this thread");
    world.processors.set(processors);
    *world.chooser.borrow_mut() = Some(order.chooser());
    let first = &world.cpus[0];
    first.masked.set(true);
    first.doing.set(Doing::Acts);
    first.fibre.set(world.fibres.create(move || -> Infallible {
        boot();
        unreachable!("the boot code returned instead of starting the machine")
    }));
    world.go_round();
    world.finish()
}

impl World {
    fn new() -> Self {
        Self {
            cpus: (0..MOST).map(|_| Cpu::new()).collect(),
            processors: Cell::new(0),
            here: Cell::new(0),
            now: Cell::new(0),
            fibres: Fibres::new(),
            lock: Lock::new(),
            switch: Cell::new(None),
            started: Cell::new(false),
            console: RefCell::new(String::new()),
            hook: RefCell::new(None),
            watcher: RefCell::new(None),
            history: History::new(),
            switches: Cell::new(0),
            wiring: Cell::new(None),
            chooser: RefCell::new(None),
            steps: RefCell::new(Vec::new()),
            end: RefCell::new(None),
        }
    }

    /// The processor that acts.
    pub fn cpu(&self) -> &Cpu {
        &self.cpus[self.here.get()]
    }

    /// The processors of this run.
    pub fn online(&self) -> &[Cpu] {
        &self.cpus[..self.processors.get()]
    }

    pub fn wiring(&self) -> Wiring {
        self.wiring
            .get()
            .expect("a machine is used outside a world")
    }

    /// Notes what this processor did.
    pub fn note(&self, event: Event) {
        self.history.note(self.now.get(), self.here.get(), event);
    }

    fn go_round(&self) {
        while self.end.borrow().is_none() {
            match self.next_step() {
                Some(Step::Goes(processor)) => self.go_on(processor),
                Some(Step::Arrives(processor)) => self.arrive(processor),
                None => self.pass_time(),
            }
        }
    }

    /// Returns the next step at this instant.
    fn next_step(&self) -> Option<Step> {
        let mut steps = self.steps.borrow_mut();
        steps.clear();
        let now = self.now.get();
        for (number, cpu) in self.online().iter().enumerate() {
            if cpu.can_act(now) {
                steps.push(Step::Goes(number));
            }
        }
        for (number, cpu) in self.online().iter().enumerate() {
            if cpu.can_be_reached() {
                steps.push(Step::Arrives(number));
            }
        }
        match steps.len() {
            0 => self.first_that_settles(),
            1 => Some(steps[0]),
            _ => Some(self.choose(&steps)),
        }
    }

    /// Returns the step of the processor that settles: no other one can do anything at this
    /// instant.
    fn first_that_settles(&self) -> Option<Step> {
        let settles = |cpu: &Cpu| cpu.doing.get() == Doing::Settles;
        self.online().iter().position(settles).map(Step::Goes)
    }

    fn choose(&self, steps: &[Step]) -> Step {
        let mut chooser = self.chooser.borrow_mut();
        let chooser = chooser.as_mut().expect("a world that runs has an order");
        let place = chooser(steps);
        assert!(place < steps.len(), "the order chose what cannot be");
        steps[place]
    }

    fn go_on(&self, processor: usize) {
        self.here.set(processor);
        let cpu = self.cpu();
        cpu.doing.set(Doing::Acts);
        self.fibres.resume(cpu.fibre.get());
        if let Some(switch) = self.switch.take() {
            self.complete(switch);
        }
    }

    fn arrive(&self, processor: usize) {
        let cpu = &self.cpus[processor];
        cpu.coming.set(false);
        cpu.called.set(true);
        self.history.note(self.now.get(), processor, Event::Arrives);
    }

    /// Advances to the next event: no processor can do anything now.
    fn pass_time(&self) {
        match self.online().iter().map(Cpu::next).min() {
            None | Some(NEVER) => *self.end.borrow_mut() = Some(End::Deadlock),
            Some(next) => {
                if let Some(watcher) = &mut *self.watcher.borrow_mut() {
                    watcher(self.now.get(), next);
                }
                self.now.set(next);
            }
        }
    }

    /// A point of interleaving: others may act here.
    pub fn point(&self) {
        let cpu = self.cpu();
        let (since, count) = cpu.stands.get();
        let now = self.now.get();
        if since != now {
            cpu.stands.set((now, 1));
        } else if count >= cpu.patience.get() {
            cpu.stands.set((now, 0));
            return self.be_busy(now + STEP, self.listens());
        } else {
            cpu.stands.set((now, count + 1));
        }
        if self.others_can_act() {
            self.fibres.suspend();
        }
    }

    fn others_can_act(&self) -> bool {
        let (here, now) = (self.here.get(), self.now.get());
        self.online()
            .iter()
            .enumerate()
            .any(|(number, cpu)| cpu.can_be_reached() || number != here && cpu.can_act(now))
    }

    /// Lets time pass on this processor.
    pub fn be_busy(&self, until: u64, listens: bool) {
        self.cpu().doing.set(Doing::Busy { until, listens });
        self.fibres.suspend();
    }

    /// Ends the world, from within it.
    pub fn end(&self, end: End) -> ! {
        *self.end.borrow_mut() = Some(end);
        self.fibres.suspend();
        unreachable!("a world that has ended goes on")
    }

    /// Ends the world because the kernel breaks the machine's contract: a panic of
    /// [`HostSeveral::run`](crate::HostSeveral::run).
    pub fn broken(&self, how: &str) -> ! {
        self.breach(how);
        self.fibres.suspend();
        unreachable!("a world that has ended goes on")
    }

    /// Ends the world as `broken` does, from outside the coroutines.
    pub fn breach(&self, how: &str) {
        let report = format!(
            "processor {}: {how}\nwhat happened last:\n{}",
            self.here.get(),
            self.history.tell()
        );
        *self.end.borrow_mut() = Some(End::Panic(Box::new(report)));
    }

    /// Makes the world ready for the next run.
    fn finish(&self) -> Outcome {
        let outcome = Outcome {
            end: self.end.take().unwrap_or(End::Deadlock),
            console: self.console.take(),
            time: Instant::from_nanos(self.now.replace(0)),
            switches: self.switches.replace(0),
        };
        self.fibres.clear();
        self.cpus.iter().for_each(Cpu::reset);
        self.processors.set(0);
        self.here.set(0);
        self.lock.reset();
        self.switch.set(None);
        self.started.set(false);
        self.history.reset();
        self.hook.take();
        self.watcher.take();
        self.chooser.take();
        self.wiring.set(None);
        match outcome.end {
            End::Panic(panic) => std::panic::resume_unwind(panic),
            _ => outcome,
        }
    }
}
