//! Owns: the model's state, the thread that runs in it, and what happens at which time.

use super::answer::{Answer, DONE, polled};
use super::operation::{CEILING, MUTEXES, Operation, QUEUES, SEMAPHORES, Wait, World};
use super::thread::{Life, Thread, Waits};
use std::collections::VecDeque;
use taktos_kernel::Error;

/// A semaphore; with a limit of 0 it is deleted.
#[derive(Clone, Debug)]
pub struct Semaphore {
    pub count: u32,
    pub limit: u32,
}

/// Owner of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    Nobody,
    Thread(usize),
    /// It is deleted.
    Gone,
}

/// A mutex.
#[derive(Clone, Debug)]
pub struct Mutex {
    pub owner: Owner,
    /// How often it was locked beyond the first time.
    pub depth: u32,
    pub recursive: bool,
    pub inherits: bool,
    pub ceiling: Option<u8>,
}

/// A queue.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    pub deleted: bool,
    pub messages: VecDeque<usize>,
}

/// An interrupt to come.
#[derive(Clone, Debug)]
struct Interrupt {
    at: u64,
    asked: u64,
    operations: Vec<Operation>,
}

/// Where a thread goes among its equals when its priority changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    First,
    Last,
}

/// The operations that a handler does, each with its answer.
pub type Handled = Vec<(Operation, Answer)>;

/// The model.
pub struct Kernel {
    pub threads: Vec<Thread>,
    pub semaphores: Vec<Semaphore>,
    pub mutexes: Vec<Mutex>,
    pub queues: Vec<Queue>,
    pub now: u64,
    /// Thread that runs; none while all wait.
    pub current: Option<usize>,
    /// The handlers that have run since this was taken last.
    pub handled: VecDeque<Handled>,
    /// Times of the interrupts that were requested since this was taken last.
    pub asked: Vec<u64>,
    interrupts: Vec<Interrupt>,
    slice: Option<u64>,
    slice_end: Option<u64>,
    orders: (i64, i64),
    counter: u64,
}

/// The time until a rescue.
const PATIENCE: u64 = 1_000;

impl Kernel {
    /// A world's beginning: thread 0 runs.
    pub fn new(world: &World) -> Self {
        let mutex = |recursive, inherits, ceiling| Mutex {
            owner: Owner::Nobody,
            depth: 0,
            recursive,
            inherits,
            ceiling,
        };
        let mut kernel = Self {
            threads: world
                .priorities
                .iter()
                .map(|priority| Thread::new(*priority))
                .collect(),
            semaphores: vec![
                Semaphore {
                    count: 0,
                    limit: u32::MAX,
                },
                Semaphore { count: 0, limit: 1 },
            ],
            mutexes: vec![
                mutex(false, true, None),
                mutex(true, true, None),
                mutex(false, false, Some(CEILING)),
                mutex(false, false, None),
            ],
            queues: vec![Queue::default(); QUEUES],
            now: 0,
            current: None,
            handled: VecDeque::new(),
            asked: Vec::new(),
            interrupts: Vec::new(),
            slice: None,
            slice_end: None,
            orders: (0, 0),
            counter: 0,
        };
        assert_eq!(
            (kernel.semaphores.len(), kernel.mutexes.len()),
            (SEMAPHORES, MUTEXES)
        );
        kernel.start(0).expect("the first thread starts");
        kernel.switch(false);
        kernel
    }

    /// A number larger than all before.
    pub fn count(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    /// Returns a place after all others.
    pub fn last(&mut self) -> i64 {
        self.orders.1 += 1;
        self.orders.1
    }

    /// A place in front of all others.
    pub fn first(&mut self) -> i64 {
        self.orders.0 -= 1;
        self.orders.0
    }

    /// The thread that ought to run.
    pub fn top(&self) -> Option<usize> {
        let mut ready: Vec<usize> = (0..self.threads.len())
            .filter(|thread| self.threads[*thread].is_ready())
            .collect();
        ready.sort_by_key(|thread| (self.threads[*thread].effective, self.threads[*thread].order));
        ready.first().copied()
    }

    /// Returns the threads that wait for `what`, in their order.
    pub fn waiting(&self, what: Waits) -> Vec<usize> {
        let mut found: Vec<usize> = (0..self.threads.len())
            .filter(|thread| {
                let waits = self.threads[*thread].waits;
                waits.is_some_and(|waits| waits.number_of(what).is_some())
            })
            .collect();
        found.sort_by_key(|thread| (self.threads[*thread].effective, self.threads[*thread].order));
        found
    }

    /// Blocks `me` for `what`.
    pub fn block(&mut self, me: usize, what: Waits, wait: Wait) -> Option<Answer> {
        let order = self.last();
        let deadline = match wait {
            Wait::None => unreachable!("a call that is not to wait waits"),
            Wait::After(span) => Some(self.now + span),
            Wait::Past(span) => Some(self.now - span),
            Wait::Forever => None,
        };
        let thread = &mut self.threads[me];
        thread.waits = Some(what);
        thread.deadline = deadline;
        thread.order = order;
        self.settle(|_| Place::Last);
        None
    }

    /// Ends the wait of `thread` for `what`, alone or among others; the call for that alone would
    /// return `answer`.
    pub fn serve(&mut self, thread: usize, what: Waits, answer: Answer) {
        let answer = match self.threads[thread].waits {
            Some(poll @ Waits::Poll(_)) => poll
                .number_of(what)
                .map_or(answer, |number| Ok(polled(number, answer))),
            _ => answer,
        };
        self.wake(thread, answer);
    }

    /// Ends the wait of `thread`; its call returns `answer`.
    pub fn wake(&mut self, thread: usize, answer: Answer) {
        self.threads[thread].waits = None;
        self.threads[thread].deadline = None;
        self.threads[thread].answer = Some(answer);
        self.threads[thread].order = self.last();
    }

    /// Ends the wait of `thread`; its call fails with `error`.
    pub fn abort(&mut self, thread: usize, error: Error) {
        let slept = self.threads[thread].waits == Some(Waits::Sleep);
        let answer = if slept && error == Error::Timeout {
            DONE
        } else {
            Err(error)
        };
        self.wake(thread, answer);
        self.settle(|_| Place::First);
    }

    /// Gives each thread the effective priority that it deserves; one that changes goes where
    /// `place` says.
    pub fn settle(&mut self, place: impl Fn(usize) -> Place) {
        let deserved = self.deserved();
        for (thread, deserved) in deserved.into_iter().enumerate() {
            if self.threads[thread].effective == deserved {
                continue;
            }
            self.threads[thread].effective = deserved;
            if self.threads[thread].is_ready() && place(thread) == Place::First {
                self.threads[thread].order = self.first();
            } else if !matches!(self.threads[thread].waits, Some(Waits::Join(_))) {
                self.threads[thread].order = self.last();
            }
        }
    }

    /// Returns the priority that each thread deserves: the most urgent of its own priority, of what
    /// its mutexes lend it and of the threads that wait for it to receive or to reply.
    fn deserved(&self) -> Vec<u8> {
        let mut deserved: Vec<u8> = self.threads.iter().map(|thread| thread.base).collect();
        loop {
            let before = deserved.clone();
            for (waiter, thread) in self.threads.iter().enumerate() {
                for mutex in &thread.owned {
                    let ceiling = self.mutexes[*mutex].ceiling.unwrap_or(u8::MAX);
                    deserved[waiter] = deserved[waiter].min(ceiling);
                }
                let lent_to = match thread.waits {
                    Some(Waits::Mutex(mutex)) if self.mutexes[mutex].inherits => {
                        match self.mutexes[mutex].owner {
                            Owner::Thread(owner) => Some(owner),
                            _ => None,
                        }
                    }
                    waits => waits.and_then(Waits::served_by),
                };
                if let Some(other) = lent_to {
                    deserved[other] = deserved[other].min(deserved[waiter]);
                }
            }
            if deserved == before {
                return deserved;
            }
        }
    }

    /// Lets the thread that ought to run, run.
    /// The rest of its slice stays with one that is preempted; one that has waited or given its
    /// turn away has a whole one.
    pub fn switch(&mut self, keeps_slice: bool) {
        let top = self.top();
        if top == self.current {
            return;
        }
        let from = core::mem::replace(&mut self.current, top);
        let preempted = from.filter(|from| self.is_first_of_equals(*from));
        if let (Some(from), Some(end)) = (preempted, self.slice_end) {
            self.threads[from].slice_left = Some(end.saturating_sub(self.now).max(1));
        }
        if !keeps_slice || preempted.is_some() {
            self.begin_slice();
        }
    }

    /// Whether `thread` is ready, and comes before all its equals.
    fn is_first_of_equals(&self, thread: usize) -> bool {
        let place = |thread: &Thread| (thread.effective, thread.order);
        let own = place(&self.threads[thread]);
        let comes_before =
            |other: &Thread| other.is_ready() && other.effective == own.0 && place(other) < own;
        self.threads[thread].is_ready() && !self.threads.iter().any(comes_before)
    }

    /// The running thread's slice begins, or what is left of it.
    pub fn begin_slice(&mut self) {
        let Some(length) = self.slice else { return };
        let left = self
            .current
            .and_then(|thread| self.threads[thread].slice_left.take());
        // A slice that is over needs a tick for its end, and another one so that a machine requests
        // the interrupt: one tick alone may be left out (`Machine::begin_slice`).
        let left = left.map_or(length, |left| left.max(2));
        self.slice_end = Some(self.now + left.min(length));
    }

    fn begin_whole_slice(&mut self) {
        self.slice_end = self.slice.map(|length| self.now + length);
    }

    /// Sets the length of slices; 0 switches them off. The rest of those that were preempted
    /// stays.
    pub fn set_slice(&mut self, length: u64) {
        self.slice = (length > 0).then_some(length);
        self.begin_whole_slice();
    }

    /// Requests an interrupt.
    pub fn ask_interrupt(&mut self, delay: u64, operations: Vec<Operation>) {
        let (at, asked) = (self.now + delay, self.count());
        self.interrupts.push(Interrupt {
            at,
            asked,
            operations,
        });
        self.asked.push(at);
    }

    /// Makes the times of a call such that no two time-outs come at once: their order is not
    /// specified.
    pub fn tell_apart(&self, wait: Wait) -> Wait {
        let taken = |at| {
            self.threads
                .iter()
                .any(|thread| thread.deadline == Some(at))
        };
        match wait {
            Wait::After(span) => {
                let free = (span..).find(|span| !taken(self.now + span));
                free.map_or(wait, Wait::After)
            }
            Wait::Past(span) => {
                let mut spans = span.min(self.now)..=self.now;
                let free = spans.find(|span| !taken(self.now - span));
                free.map_or_else(|| self.tell_apart(Wait::After(1)), Wait::Past)
            }
            other => other,
        }
    }

    /// Continues until the running thread is to say what it does next.
    pub fn proceed(&mut self) {
        loop {
            if self.handle_one_due() {
                self.switch(false);
                continue;
            }
            match self.current {
                Some(thread) if self.threads[thread].busy > 0 => self.be_busy(thread),
                Some(_) => return,
                None => self.idle(),
            }
        }
    }

    fn be_busy(&mut self, thread: usize) {
        let left = self.threads[thread].busy;
        let events = self.next_event().into_iter().chain(self.slice_end);
        let step = events
            .map(|at| at - self.now)
            .min()
            .map_or(left, |step| step.min(left));
        self.now += step;
        self.threads[thread].busy -= step;
    }

    fn idle(&mut self) {
        match self.next_event() {
            Some(at) => self.now = self.now.max(at),
            None => self.ask_interrupt(PATIENCE, vec![Operation::Rescue]),
        }
    }

    fn next_deadline(&self) -> Option<u64> {
        self.threads
            .iter()
            .filter_map(|thread| thread.deadline)
            .min()
    }

    fn next_interrupt(&self) -> Option<usize> {
        let interrupts = self.interrupts.iter().enumerate();
        interrupts
            .min_by_key(|(_, interrupt)| (interrupt.at, interrupt.asked))
            .map(|(i, _)| i)
    }

    fn next_event(&self) -> Option<u64> {
        let interrupt = self.next_interrupt().map(|next| self.interrupts[next].at);
        interrupt.into_iter().chain(self.next_deadline()).min()
    }

    /// Handles the first of what is due; says whether there was something.
    fn handle_one_due(&mut self) -> bool {
        if let Some(next) = self.next_interrupt()
            && self.interrupts[next].at <= self.now
        {
            let interrupt = self.interrupts.remove(next);
            let handled = self.handle(interrupt.operations);
            self.handled.push_back(handled);
            return true;
        }
        if self.next_deadline().is_some_and(|at| at <= self.now) {
            self.expire();
            return true;
        }
        if self.slice_end.is_some_and(|at| at <= self.now) {
            // The rest of a slice, noted before slices were off, is for the next switch.
            self.begin_whole_slice();
            self.rotate();
            return true;
        }
        false
    }

    fn expire(&mut self) {
        while let Some(at) = self.next_deadline().filter(|at| *at <= self.now) {
            let late = self
                .threads
                .iter()
                .position(|thread| thread.deadline == Some(at));
            self.abort(late.expect("some thread has that deadline"), Error::Timeout);
        }
    }

    /// Lets the equals of the one that ought to run, run.
    pub fn rotate(&mut self) {
        if let Some(thread) = self.top() {
            self.threads[thread].order = self.last();
        }
    }

    fn handle(&mut self, operations: Vec<Operation>) -> Handled {
        let mut handled = Handled::new();
        for operation in operations {
            let concrete = if operation == Operation::Rescue {
                self.rescue()
            } else {
                vec![operation]
            };
            for operation in concrete {
                let answer = self.act_in_handler(&operation);
                handled.push((operation, answer));
            }
        }
        handled
    }

    /// Returns operations that make some thread ready when none is.
    fn rescue(&self) -> Vec<Operation> {
        let started = self
            .threads
            .iter()
            .position(|thread| thread.life == Life::Started);
        let Some(thread) = started else {
            return vec![Operation::Start(0)];
        };
        let mut operations = Vec::new();
        if self.threads[thread].suspended {
            operations.push(Operation::Resume(thread));
        }
        if self.threads[thread].waits.is_some() {
            operations.push(Operation::CancelWait(thread));
        }
        operations
    }
}
