//! Owns: the operations of a processor: masks, the lock, calls, switches, interrupts, waiting; and
//! the invariants of the seam. Must never know: which processor continues next.
#![expect(unsafe_code, reason = "reads the contexts of threads")]

use crate::agenda::{Due, NEVER};
use crate::several::cpu::{Cpu, Doing};
use crate::several::history::Event;
use crate::several::world::World;
use crate::world::Handler;
use std::ptr;
use taktos_abi::Status;
use taktos_machine::{Answer, Cause, Context, Fault};

impl World {
    /// See [`Machine::mask`](taktos_machine::Machine::mask).
    pub fn mask(&self) {
        if self.cpu().masked.get() {
            self.broken("the kernel masks interrupts that are masked");
        }
        self.point();
        self.deliver();
        self.cpu().masked.set(true);
        self.take_lock();
    }

    /// See [`Machine::unmask`](taktos_machine::Machine::unmask).
    pub fn unmask(&self) {
        self.give_lock_back();
        self.end_mask();
    }

    /// Ends the mask of a processor that does not hold the lock (any more).
    pub fn end_mask(&self) {
        if self.lock.is_held_by(self.here.get()) {
            self.broken("the mask ends, and the lock is still held");
        }
        if !self.cpu().masked.replace(false) {
            self.broken("the kernel unmasks interrupts that are not masked");
        }
        if !self.cpu().in_interrupt.get()
            && let Some(handler) = self.ask_hook()
        {
            self.interrupt("the hook's", handler);
        }
        self.point();
        self.deliver();
    }

    fn take_lock(&self) {
        let here = self.here.get();
        if self.lock.is_held_by(here) {
            self.broken("the kernel takes the lock that this processor holds");
        }
        if !self.lock.ask(here) {
            self.note(Event::Waits);
            self.cpu().doing.set(Doing::Waits);
            self.fibres.suspend();
        }
        self.note(Event::Locks);
    }

    /// The kernel gives the lock back, in a thread or a handler.
    pub fn give_lock_back(&self) {
        if !self.lock.is_held_by(self.here.get()) {
            self.broken("the kernel gives back a lock that this processor does not hold");
        }
        if let Some(breach) = self.breach_of_heirs() {
            self.broken(&breach);
        }
        self.release();
    }

    fn release(&self) {
        self.note(Event::Unlocks);
        if let Some(next) = self.lock.release() {
            self.cpus[next].doing.set(Doing::Acts);
        }
    }

    /// Returns the error in the heirs at the end of a section.
    fn breach_of_heirs(&self) -> Option<String> {
        let cpus = self.online();
        for (number, cpu) in cpus.iter().enumerate() {
            let (current, heir) = (cpu.cells.current.get(), cpu.cells.heir.get());
            if heir == current {
                continue;
            }
            if !cpu.will_look() {
                return Some(self.nobody_will_look(number));
            }
            let twin = |other: &Cpu| other.cells.heir.get() == heir;
            if !heir.is_null() && cpus.iter().filter(|cpu| twin(cpu)).count() > 1 {
                return Some(format!(
                    "the heir of processor {number} is that of another one, too"
                ));
            }
        }
        None
    }

    fn nobody_will_look(&self, number: usize) -> String {
        if number == self.here.get() {
            "the section ends, the heir is another than the running thread, and no interrupt will look at it"
                .to_owned()
        } else {
            format!("the heir of processor {number} was written without a call to it")
        }
    }

    /// See [`Machine::call`](taktos_machine::Machine::call).
    pub fn call(&self, number: usize) {
        if number == self.here.get() && !self.cpu().in_interrupt.get() {
            self.broken("a processor calls itself, and not in a handler");
        }
        if number >= self.processors.get() {
            self.broken("a processor is called that the world does not have");
        }
        if !self.cpu().masked.get() && !self.cpu().in_interrupt.get() {
            self.broken("a processor is called where interrupts are not masked");
        }
        self.note(Event::Calls(number));
        self.cpus[number].coming.set(true);
        // The other one may take the interrupt now, and come to the lock.
        self.point();
    }

    /// See [`Machine::start`](taktos_machine::Machine::start).
    pub fn leave_boot(&self) -> ! {
        for (number, cpu) in self.online().iter().enumerate() {
            let first = cpu.cells.current.get();
            if first.is_null() || cpu.cells.heir.get() != first {
                self.broken(&format!(
                    "processor {number} has no thread to begin with, or another heir"
                ));
            }
            self.check_runnable(number, first);
        }
        if self.lock.is_held_by(self.here.get()) || !self.cpu().masked.get() {
            self.broken("the machine is started unmasked, or with the lock held");
        }
        for cpu in self.online() {
            cpu.fibre
                .set(context(cpu.cells.current.get()).stack_pointer.get());
            cpu.masked.set(true);
            cpu.doing.set(Doing::Acts);
        }
        self.started.set(true);
        self.fibres.suspend();
        unreachable!("the boot code goes on after the start")
    }

    /// Checks that the processor `number` may resume `thread`.
    fn check_runnable(&self, number: usize, thread: *const Context) {
        let elsewhere =
            |(other, cpu): (usize, &Cpu)| other != number && cpu.cells.current.get() == thread;
        if self.online().iter().enumerate().any(elsewhere) {
            self.broken("a thread is to run whose registers are on another processor");
        }
        if !self.fibres.has(
            context(thread).stack_pointer.get(),
            self.cpus[number].fibre.get(),
        ) {
            self.broken("a thread is to run that was never prepared");
        }
    }

    /// Discards the coroutine `old` of a thread that is prepared again. If it runs, it ends with
    /// the next switch.
    pub fn replace_fibre(&self, old: usize) {
        for (number, cpu) in self.online().iter().enumerate() {
            if old == 0 || cpu.fibre.get() != old {
                continue;
            }
            if number != self.here.get() {
                self.broken(&format!(
                    "a thread is prepared anew that processor {number} runs"
                ));
            }
            return cpu.doomed.set(true);
        }
        self.fibres.discard(old);
    }

    /// Resumes `to` in the place of `from`; returns, with the result of `from`, when `from` is
    /// resumed.
    pub fn switch(&self, from: *const Context, to: *const Context, keeps_slice: bool) -> Answer {
        let cells = self.cpu().cells;
        if from != cells.current.get() {
            self.broken("a decision saves another than the running thread");
        }
        if to.is_null() {
            self.broken("a decision switches to a null heir");
        }
        if to != cells.heir.get() {
            self.broken("a decision switches to another than the heir");
        }
        self.go_on_with(to, keeps_slice);
        let (status, value) = self.cpu().answer.get();
        Answer {
            status: Status::from_word(status),
            value,
        }
    }

    /// Both sides of a switch are masked. The lock is held before it, and not after it.
    fn go_on_with(&self, to: *const Context, keeps_slice: bool) {
        self.check_runnable(self.here.get(), to);
        let cpu = self.cpu();
        if !keeps_slice && let Some(switch) = cpu.agenda.at_switch.get() {
            // SAFETY: both sides of a switch are masked, the lock is held, and the kernel has named
            // both threads.
            unsafe { switch(cpu.cells.current.get(), to, ptr::null()) };
        }
        if cpu.doomed.take() {
            self.fibres.discard(cpu.fibre.get());
        }
        self.switch.set(Some(to));
        self.fibres.suspend();
    }

    /// The tail of a switch: the old thread is saved.
    pub fn complete(&self, to: *const Context) {
        let cpu = self.cpu();
        cpu.cells.current.set(to);
        let to = context(to);
        cpu.fibre.set(to.stack_pointer.get());
        cpu.answer.set((to.status.get(), to.value.get()));
        self.switches.set(self.switches.get() + 1);
        self.note(Event::Switches(cpu.fibre.get()));
        if let Some(breach) = self.breach_of_heirs() {
            self.breach(&breach);
        }
        self.release();
    }

    /// Handles all interrupts that are due, if interrupts are let in here, and makes the switches
    /// that they ask for; says whether there were any.
    pub fn deliver(&self) -> bool {
        let mut any = false;
        loop {
            // Read again each time: a thread may resume on another processor.
            let cpu = self.cpu();
            if cpu.in_interrupt.get() || cpu.masked.get() {
                return any;
            }
            if cpu.called.take() {
                // SAFETY: `interrupt` marks it as a handler, of which a processor has one at a
                // time: see above. The processor was not masked, so it does not
                // hold the lock.
                self.interrupt("called", || unsafe { (self.wiring().called)() });
            } else {
                match cpu.agenda.take_due(self.now.get()) {
                    Some(Due::Interrupt(handler)) => self.interrupt("a device", handler),
                    Some(Due::Alarm) => {
                        // SAFETY: as above.
                        self.interrupt("alarm", || unsafe { (self.wiring().alarm)() })
                    }
                    Some(Due::SliceEnd) => {
                        // SAFETY: as above.
                        self.interrupt("slice end", || unsafe { (self.wiring().slice_end)() });
                    }
                    None => return any,
                }
            }
            any = true;
        }
    }

    fn ask_hook(&self) -> Option<Handler> {
        let mut hook = self.hook.borrow_mut().take()?;
        let handler = hook();
        *self.hook.borrow_mut() = Some(hook);
        handler
    }

    /// Runs an interrupt, and the switch that its end may need.
    pub fn interrupt(&self, kind: &'static str, handler: impl FnOnce()) {
        let cpu = self.cpu();
        self.note(Event::Interrupt(kind));
        cpu.in_interrupt.set(true);
        self.point();
        handler();
        if cpu.masked.replace(true) {
            self.broken("a handler ends masked");
        }
        cpu.in_interrupt.set(false);
        if cpu.cells.heir.get() != cpu.cells.current.get() {
            self.look();
        }
        if self.cpu().doomed.get() {
            self.broken("an interrupt returns to a thread that it has prepared anew");
        }
        self.cpu().masked.set(false);
    }

    /// The end of an interrupt at which the heir is not the current thread.
    fn look(&self) {
        let cpu = self.cpu();
        cpu.looks.set(true);
        self.point();
        self.take_lock();
        let heir = &cpu.cells.heir;
        let chosen = match heir.get().is_null() {
            // SAFETY: the end of an interrupt, masked (see `interrupt`), with the lock, which was
            // just taken.
            true => unsafe { (self.wiring().choose)() },
            false => heir.get(),
        };
        cpu.looks.set(false);
        if chosen.is_null() || chosen != heir.get() {
            self.broken("the kernel chooses nobody, or another than it makes the heir");
        }
        if chosen == cpu.cells.current.get() {
            self.give_lock_back();
        } else {
            self.go_on_with(chosen, false);
        }
    }

    /// See [`Machine::idle`](taktos_machine::Machine::idle).
    pub fn idle(&self) {
        if self.cpu().masked.get() || self.cpu().in_interrupt.get() {
            self.broken("a processor idles masked, or in an interrupt");
        }
        if self.deliver() {
            return;
        }
        self.note(Event::Idles);
        self.cpu().doing.set(Doing::Idles);
        self.fibres.suspend();
        self.deliver();
    }

    /// See [`HostSeveral::spend`](crate::HostSeveral::spend).
    pub fn spend(&self, span: u64) {
        let mut left = span;
        loop {
            let listens = self.listens();
            self.deliver();
            if left == 0 {
                return;
            }
            let begin = self.now.get();
            self.be_busy(begin.saturating_add(left), listens);
            left -= self.now.get() - begin;
        }
    }

    /// See [`HostSeveral::busy_until`](crate::HostSeveral::busy_until).
    pub fn busy_until(&self, instant: u64) {
        loop {
            let listens = self.listens();
            self.deliver();
            if self.now.get() >= instant {
                return;
            }
            self.be_busy(instant, listens);
        }
    }

    /// See [`HostSeveral::rest`](crate::HostSeveral::rest).
    pub fn rest(&self) {
        let listens = self.listens();
        if !self.deliver() {
            self.be_busy(NEVER, listens);
            self.deliver();
        }
    }

    /// See [`HostSeveral::poke`](crate::HostSeveral::poke).
    pub fn poke(&self, number: usize) {
        let cpu = &self.online()[number];
        if let Doing::Busy { .. } = cpu.doing.get() {
            cpu.doing.set(Doing::Acts);
        }
    }

    /// See [`HostSeveral::settle`](crate::HostSeveral::settle).
    pub fn settle(&self) {
        self.cpu().doing.set(Doing::Settles);
        self.fibres.suspend();
        self.deliver();
    }

    /// Whether interrupts come in here.
    pub fn listens(&self) -> bool {
        let cpu = self.cpu();
        !cpu.masked.get() && !cpu.in_interrupt.get()
    }

    /// See [`HostSeveral::raise`](crate::HostSeveral::raise).
    pub fn fault(&self, cause: Cause) -> ! {
        let in_interrupt = self.cpu().in_interrupt.get();
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

fn context(thread: *const Context) -> &'static Context {
    // SAFETY: the kernel makes the pointer, of a control block, which is a static; never null where
    // this is called: at the start and before each switch that has been looked at.
    unsafe { &*thread }
}
