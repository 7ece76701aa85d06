//! Owns: a world in which the kernel and the model do the same, step by step, and are compared.
//!
//! The model goes ahead: when a thread requests its next operation, the model does the operation at
//! once, and all that follows, until some thread requests one again. Then the kernel does it. The
//! thread of the request, its result and the visible state of all objects must be as the model has
//! them.

use super::answer::{Answer, DONE, Value, polled, word};
use super::kernel::Kernel as Model;
use super::operation::{CEILING, Operation, QUEUES, ROOM, SEMAPHORES, SETS, Wait, World};
use super::thread::{Life, Waits};
use crate::{AnyThread, HostSystem, Mutex, Semaphore, Thread, leak};
use std::cell::RefCell;
use std::fmt;
use taktos_arch_host::{End, Host};
use taktos_kernel::{
    Duration, Error, Instant, Kernel, Message, MessageQueue, Pollable, Priority, Protocol,
    Received, State, System, Timeout,
};

/// Where the kernel and the model part.
#[derive(Debug)]
pub struct Difference {
    /// Difference that was found.
    pub what: String,
    /// How many operations had been begun.
    pub after: usize,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

type Queue = MessageQueue<HostSystem, u32, ROOM>;

#[derive(Clone, Copy)]
struct Objects {
    threads: &'static [Thread],
    semaphores: &'static [Semaphore; SEMAPHORES],
    mutexes: &'static [Mutex; super::operation::MUTEXES],
    queues: &'static [Queue; QUEUES],
}

struct Run {
    model: Model,
    objects: Objects,
    operations: std::vec::IntoIter<Operation>,
    begun: usize,
    difference: Option<String>,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

static NUMBERS: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Runs `world` on the kernel and on the model.
///
/// # Errors
/// The first difference.
pub fn compare(world: &World) -> Result<(), Difference> {
    let run = Run {
        model: Model::new(world),
        objects: Objects::new(world),
        operations: world.operations.clone().into_iter(),
        begun: 0,
        difference: None,
    };
    RUN.set(Some(run));
    let ended = std::panic::catch_unwind(|| {
        crate::run(|| {
            let objects = with_run(|run| run.objects);
            // All of the world's threads are more urgent than this one, which then ends.
            start(objects, 0).expect("the first thread starts");
        })
        .end
    });
    let Some(run) = RUN.take() else {
        unreachable!("the run is there until it is taken")
    };
    let what = match (run.difference, ended) {
        (Some(what), _) => what,
        (None, Ok(End::Exit(0))) if run.begun == world.operations.len() => return Ok(()),
        (None, Ok(end)) => format!("the world ended by: {end}"),
        (None, Err(panic)) => panic.downcast_ref::<String>().map_or(
            "the kernel broke its promises to the machine".into(),
            Clone::clone,
        ),
    };
    Err(Difference {
        what,
        after: run.begun,
    })
}

fn with_run<R>(body: impl FnOnce(&mut Run) -> R) -> R {
    RUN.with_borrow_mut(|run| body(run.as_mut().expect("a run is under way")))
}

impl Objects {
    fn new(world: &World) -> Self {
        let threads: Vec<Thread> = world
            .priorities
            .iter()
            .map(|priority| Thread::new("of the model").priority(*priority))
            .collect();
        let ceiling = Protocol::Ceiling(Priority::from_stored(CEILING));
        Self {
            threads: Vec::leak(threads),
            semaphores: leak([Semaphore::new(0), Semaphore::binary(0)]),
            mutexes: leak([
                Mutex::new(),
                Mutex::new().recursive(),
                Mutex::with_protocol(ceiling),
                Mutex::with_protocol(Protocol::None),
            ]),
            queues: leak([Queue::new()]),
        }
    }

    fn number_of(&self, thread: &'static AnyThread) -> Option<usize> {
        self.threads
            .iter()
            .position(|other| std::ptr::eq(&**other, thread))
    }
}

fn start(objects: Objects, thread: usize) -> Result<(), Error> {
    objects.threads[thread].start_with(live, &NUMBERS[thread])
}

/// Body of every thread: requests an operation, does it, reports the result.
fn live(me: &'static usize) {
    let mut found = None;
    loop {
        let (objects, operation) = with_run(|run| (run.objects, run.next(*me, found)));
        let Some(operation) = operation else {
            let different = with_run(|run| run.difference.is_some());
            HostSystem::exit(different.into());
        };
        for at in with_run(|run| std::mem::take(&mut run.model.asked)) {
            Host::interrupt_at(Instant::from_nanos(at), handle);
        }
        found = Some(perform(objects, *me, &operation));
    }
}

/// Does what the model's handler has done.
fn handle() {
    let (objects, handled) = with_run(|run| (run.objects, run.model.handled.pop_front()));
    let Some(handled) = handled else {
        return with_run(|run| run.differ("an interrupt that the model has not had".into()));
    };
    for (operation, expected) in handled {
        let found = perform(objects, 0, &operation);
        if found != expected {
            let what = format!("in a handler {operation:?} gave {found:?}, not {expected:?}");
            with_run(|run| run.differ(what));
        }
    }
}

impl Run {
    fn differ(&mut self, what: String) {
        self.difference.get_or_insert(what);
    }

    /// Returns the next operation of `me`; its last one gave `found`. None at the end.
    fn next(&mut self, me: usize, found: Option<Answer>) -> Option<Operation> {
        self.check(me, found);
        if self.difference.is_some() {
            return None;
        }
        let mut operation = self.operations.next()?;
        self.begun += 1;
        self.prefer_what_works(me, &mut operation);
        self.make_times_concrete(&mut operation);
        self.model.act(&operation);
        self.model.proceed();
        Some(operation)
    }

    /// Random operations would rarely fit each other: three of four times another object is taken,
    /// with which the operation has an effect.
    fn prefer_what_works(&self, me: usize, operation: &mut Operation) {
        use Operation as O;
        if self.begun.is_multiple_of(4) {
            return;
        }
        let waiting = |what: Waits| self.model.waiting(what).first().copied();
        let better = match operation {
            O::Reply(..) | O::ReplyAndReceive(..) => waiting(Waits::Reply(me)),
            O::Unlock(_) => self.model.threads[me].owned.last().copied(),
            O::ReceiveFrom(..) => waiting(Waits::Call(me)).or(waiting(Waits::Send(me))),
            O::Send(..) | O::Call(..) => {
                waiting(Waits::ReceiveFrom(me)).or(waiting(Waits::Receive))
            }
            O::Start(_) => self
                .model
                .threads
                .iter()
                .position(|other| other.life == Life::Dormant),
            O::Resume(_) => self.model.threads.iter().position(|other| other.suspended),
            _ => None,
        };
        if let (
            Some(better),
            O::Reply(number, _)
            | O::ReplyAndReceive(number, ..)
            | O::Unlock(number)
            | O::ReceiveFrom(number, _)
            | O::Send(number, ..)
            | O::Call(number, ..)
            | O::Start(number)
            | O::Resume(number),
        ) = (better, operation)
        {
            *number = better;
        }
    }

    fn make_times_concrete(&self, operation: &mut Operation) {
        use Operation as O;
        if let O::Sleep(wait)
        | O::Take(_, wait)
        | O::Lock(_, wait)
        | O::Put(_, _, wait)
        | O::Get(_, wait)
        | O::Poll(_, wait)
        | O::Join(_, wait)
        | O::Send(_, _, wait)
        | O::ReceiveFrom(_, wait)
        | O::Receive(wait)
        | O::Call(_, _, wait)
        | O::ReplyAndReceive(_, _, wait) = operation
        {
            *wait = self.model.tell_apart(*wait);
        }
    }

    fn check(&mut self, me: usize, found: Option<Answer>) {
        if self.model.current != Some(me) {
            let current = self.model.current;
            return self.differ(format!("thread {me} runs, not {current:?}"));
        }
        let mut expected = self.model.threads[me].answer.take();
        if let Some(Ok(Value {
            sender: Some(sender),
            wants_reply,
            ..
        })) = &mut expected
        {
            *wants_reply = self.model.waits_for_reply(*sender, me);
        }
        if found != expected {
            return self.differ(format!("thread {me} got {found:?}, not {expected:?}"));
        }
        if !self.model.handled.is_empty() {
            return self.differ("an interrupt is missing".into());
        }
        self.check_time();
        self.check_threads();
        self.check_objects();
    }

    fn check_time(&mut self) {
        let (found, expected) = (Kernel::<HostSystem>::now().as_nanos(), self.model.now);
        if found != expected {
            self.differ(format!("it is {found} ns, not {expected} ns"));
        }
    }

    fn check_threads(&mut self) {
        for (number, thread) in self.objects.threads.iter().enumerate() {
            let (found, expected) = (thread.state(), self.model.state(number));
            if found != expected {
                self.differ(format!("thread {number} is {found:?}, not {expected:?}"));
            }
            let model = &self.model.threads[number];
            if model.life == Life::NonExistent {
                continue;
            }
            let (base, effective) = thread.priorities();
            let (found, expected) = (
                (base.level(), effective.level()),
                (model.base, model.effective),
            );
            if found != expected {
                self.differ(format!(
                    "thread {number} has the priorities {found:?}, not {expected:?} (own, effective)"
                ));
            }
        }
    }

    fn check_objects(&mut self) {
        for (number, semaphore) in self.objects.semaphores.iter().enumerate() {
            let (found, expected) = (semaphore.count(), self.model.semaphores[number].count);
            if found != expected {
                self.differ(format!(
                    "semaphore {number} has {found} permits, not {expected}"
                ));
            }
        }
        for (number, queue) in self.objects.queues.iter().enumerate() {
            let (found, expected) = (queue.len(), self.model.queues[number].messages.len());
            if found != expected {
                self.differ(format!(
                    "queue {number} holds {found} messages, not {expected}"
                ));
            }
        }
    }
}

impl Model {
    fn state(&self, thread: usize) -> State {
        let model = &self.threads[thread];
        match model.life {
            Life::NonExistent => State::NonExistent,
            Life::Dormant => State::Dormant,
            Life::Started if !model.is_ready() => State::Blocked,
            Life::Started if self.current == Some(thread) => State::Executing,
            Life::Started => State::Ready,
        }
    }

    fn waits_for_reply(&self, caller: usize, server: usize) -> bool {
        self.threads[caller].waits == Some(super::thread::Waits::Reply(server))
    }
}

fn timeout(wait: Wait) -> Timeout {
    match wait {
        Wait::None => Timeout::NONE,
        Wait::After(span) => Timeout::after(Duration::from_nanos(span)),
        Wait::Past(span) => {
            let now = Kernel::<HostSystem>::now().as_nanos();
            Timeout::until(Instant::from_nanos(now - span))
        }
        Wait::Forever => Timeout::FOREVER,
    }
}

fn done(result: Result<(), Error>) -> Answer {
    result.and(DONE)
}

fn text(message: Message) -> Value {
    let Message([word, second]) = message;
    Value {
        word,
        second,
        ..Value::default()
    }
}

fn received(objects: Objects, received: Result<Received<HostSystem>, Error>) -> Answer {
    let received = received?;
    let sender = objects.number_of(received.sender);
    Ok(Value {
        sender,
        wants_reply: received.wants_reply,
        ..text(received.message)
    })
}

/// Does `operation` on the kernel.
fn perform(o: Objects, me: usize, operation: &Operation) -> Answer {
    use Operation as O;
    match *operation {
        O::Yield => AnyThread::yield_now(),
        O::Sleep(wait) => return done(AnyThread::sleep(timeout(wait))),
        O::Spend(span) => Host::spend(Duration::from_nanos(span)),
        O::Give(semaphore) => return done(o.semaphores[semaphore].give()),
        O::Take(semaphore, wait) => return done(o.semaphores[semaphore].take(timeout(wait))),
        O::DeleteSemaphore(semaphore) => return done(o.semaphores[semaphore].delete()),
        O::RenewSemaphore(semaphore, count, limit) => {
            return done(o.semaphores[semaphore].renew(count, limit));
        }
        O::Lock(mutex, wait) => return done(o.mutexes[mutex].lock(timeout(wait))),
        O::Unlock(mutex) => return done(o.mutexes[mutex].unlock()),
        O::DeleteMutex(mutex) => return done(o.mutexes[mutex].delete()),
        O::RenewMutex(mutex) => return done(o.mutexes[mutex].renew()),
        O::Put(queue, number, wait) => return done(o.queues[queue].send(&number, timeout(wait))),
        O::Get(queue, wait) => {
            return o.queues[queue]
                .receive(timeout(wait))
                .and_then(|number| word(number as usize));
        }
        O::Poll(set, wait) => return perform_poll(o, set, wait),
        O::DeleteQueue(queue) => return done(o.queues[queue].delete()),
        O::RenewQueue(queue) => return done(o.queues[queue].renew()),
        O::Create(thread) => return done(o.threads[thread].create()),
        O::Start(thread) => return done(start(o, thread)),
        O::Suspend(thread) => return done(o.threads[thread].suspend()),
        O::Resume(thread) => return done(o.threads[thread].resume()),
        O::SetPriority(thread, level) => {
            return done(o.threads[thread].set_priority(Priority::from_stored(level)));
        }
        O::CancelWait(thread) => return done(o.threads[thread].cancel_wait()),
        O::Join(thread, wait) => return done(o.threads[thread].join(timeout(wait))),
        O::Delete(thread) => return done(o.threads[thread].delete()),
        O::Exit => AnyThread::exit(),
        O::Send(..)
        | O::ReceiveFrom(..)
        | O::Receive(_)
        | O::Call(..)
        | O::Reply(..)
        | O::ReplyAndReceive(..) => return perform_message(o, me, operation),
        O::SetSlice(length) => {
            let length = (length > 0).then(|| Duration::from_nanos(length));
            return done(Kernel::<HostSystem>::set_time_slice(length));
        }
        // It was requested already, and may be due.
        O::Interrupt(..) => Host::spend(Duration::ZERO),
        O::Rescue => unreachable!("a rescue is made of other operations"),
    }
    DONE
}

fn perform_poll(o: Objects, set: usize, wait: Wait) -> Answer {
    let mut permits = o.semaphores.each_ref().map(|semaphore| semaphore.taking());
    let mut number = o.queues[0].receiving();
    let [first, second] = &mut permits;
    let mut of_objects: [Option<&mut dyn Pollable<HostSystem>>; 3] =
        [Some(first), Some(second), Some(&mut number)];
    let index = |what: &Waits| match what {
        Waits::Semaphore(semaphore) => *semaphore,
        _ => SEMAPHORES,
    };
    let branches: Vec<_> = SETS[set]
        .iter()
        .map(|what| of_objects[index(what)].take())
        .collect();
    let ended = Kernel::<HostSystem>::poll_among(&branches, timeout(wait))?;
    let outcome = match SETS[set][ended] {
        Waits::Semaphore(semaphore) => permits[semaphore].outcome().map(done),
        _ => number
            .outcome()
            .map(|got| got.and_then(|number| word(number as usize))),
    };
    Ok(polled(
        ended,
        outcome.expect("the branch that ended the poll"),
    ))
}

fn perform_message(o: Objects, me: usize, operation: &Operation) -> Answer {
    use Operation as O;
    match *operation {
        O::Send(to, word, wait) => done(o.threads[to].send(Message([word, me]), timeout(wait))),
        O::ReceiveFrom(from, wait) if from != me => {
            o.threads[from].receive_from(timeout(wait)).map(text)
        }
        O::Call(to, word, wait) => o.threads[to]
            .call(Message([word, me]), timeout(wait))
            .map(text),
        O::Reply(caller, word) => done(o.threads[caller].reply(Message([word, me]))),
        O::ReplyAndReceive(caller, word, wait) => {
            let message = Message([word, me]);
            received(
                o,
                o.threads[caller].reply_and_receive(message, timeout(wait)),
            )
        }
        O::ReceiveFrom(_, wait) | O::Receive(wait) => {
            received(o, AnyThread::receive(timeout(wait)))
        }
        _ => unreachable!("{operation:?} is not a message"),
    }
}
